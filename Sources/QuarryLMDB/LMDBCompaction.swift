import CLMDB
import QuarryBackend
import QuarryKeyValue
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Writes the newest state of a store into a new file, and puts that into the place of the old one.
///
/// Only for the holder of the writers' turn. The copy is next to the data under another name, with a lock file of its own, and is
/// open when it takes the place. So nothing can fail between that moment and the first use by this process. Open transactions
/// stay in the old file, which has no name any more, and is removed with the last of them. Another process would stay there, too,
/// and write there: so none may have the store open.
///
/// A process that is killed leaves the old file or the new one, and what has the copy's name is removed by the next that
/// opens the store for writing. Between the two renamings the lock file is the old one, of which nothing is left that
/// matters once no process has it open.
struct LMDBCompaction {
  private let store: LMDBEnvironmentHistory
  private let old: LMDBEnvironment
  private let file: LMDBFile
  private let files = SystemFileSystem()
  /// Bytes of entries after which the copy is committed, so that its changed pages are not all in memory.
  private static let bytesAtOnce = 32 << 20

  init(_ store: LMDBEnvironmentHistory, _ environment: LMDBEnvironment) {
    self.store = store
    old = environment
    file = environment.file
  }

  func run() throws(StorageError) {
    let status = try requireInPlace()
    file.removeCopy()
    do throws(StorageError) {
      let version = try write(permissions: status.permissions)
      let copy = try LMDBEnvironment.openCopy(at: file.copyPath, of: old)
      // Closes it, too, where it did not become the store's.
      defer { copy.letGo() }
      // The copy is not written to before its name is on the disk.
      try copy.gate.enter(0)
      defer { copy.gate.leave() }
      try exchange(copy, version)
    } catch {
      file.removeCopy()
      throw error
    }
  }

  /// - Throws: `io` when the file was removed or replaced; `unsupported` when it has other names.
  private func requireInPlace() throws(StorageError) -> FileStatus {
    guard let status = try LMDBFile.status(file.dataPath), status.identity == old.identity else {
      throw .replaced(file)
    }
    for path in [file.dataPath, file.lockPath] where SystemPath.isLink(path) {
      throw .unsupported(.compact, "\(path) is a link, which would be left with the old content")
    }
    if status.links != 1 {
      throw .unsupported(
        .compact, "\(file.dataPath) has other names, which would be left with the old content")
    }
    return status
  }

  // MARK: Writing

  /// Writes the copy, and brings it to the disk.
  ///
  /// - Returns: The number of the newest commit, which the copy has, too.
  private func write(permissions: UInt32) throws(StorageError) -> UInt64 {
    let (transaction, table) = try old.beginRead()
    defer { old.giveReader(transaction) }
    try files.requireRoom(for: file.copyPath, about: file.byteCount) { () throws(StorageError) in
      try Self.entryBytes(transaction, table)
    }
    let version = UInt64(mdb_txn_id(transaction))
    let pageSize: Int
    if table.all.count + 1 == LMDBEnvironment.records(transaction) {
      pageSize = try fill(transaction, table, commits: version)
    } else {
      // Databases of other programs, in an order that only they know, are copied page by page.
      try copyPages()
      pageSize = old.pageSize
    }
    guard let copy = try files.open(file.copyPath, .readWrite) else { throw .replaced(file) }
    try LMDBVersion.set(version, in: copy, pageSize: pageSize, file.copyPath)
    // Users that may read and write the store may read and write the new file.
    try copy.setPermissions(permissions)
    try copy.sync()
    return version
  }

  /// Bytes of all keys and values: no file with them is smaller.
  private static func entryBytes(_ source: OpaquePointer, _ table: LMDBTreeTable) throws(StorageError) -> Int {
    var bytes = 0
    for (_, handle) in table.all {
      let walk = try LMDBWalk(source, handle, .all, descending: false)
      defer { mdb_cursor_close(walk.cursor) }
      while try walk.advance() { bytes += walk.key.mv_size + walk.value.mv_size }
    }
    return bytes
  }

  private func copyPages() throws(StorageError) {
    let descriptor = Descriptor.open(file.copyPath, O_RDWR | O_CREAT | O_EXCL, 0o600)
    guard descriptor >= 0 else { throw StorageError(system: errno, file.copyPath) }
    defer { close(descriptor) }
    let result = mdb_env_copyfd2(old.environment, descriptor, UInt32(MDB_CP_COMPACT))
    guard result == MDB_SUCCESS else { throw old.writeFailure(result, "\(file.path) cannot be copied") }
  }

  /// Stores every entry behind the one before, so that pages are full.
  ///
  /// - Parameter commits: The maximum number of commits: the copy counts its own from one, and continues from the store's.
  /// - Returns: The bytes of its pages.
  private func fill(
    _ source: OpaquePointer, _ table: LMDBTreeTable, commits: UInt64
  ) throws(StorageError) -> Int {
    // There are no locks because only the caller uses the copy, and its bytes are synced to the disk at the end.
    let raw = try LMDBEnvironment.openRaw(
      file.copyPath, old.options, MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC, trees: table.all.count + 16)
    defer { mdb_env_close(raw) }
    var writer = try Writer(raw, old, commits: commits)
    defer { writer.abort() }
    // 1 is the main database, with the marker and the records of the others.
    let main = try writer.database(nil)
    let records = try LMDBWalk(source, 1, .all, descending: false)
    defer { mdb_cursor_close(records.cursor) }
    while try records.advance() {
      if records.keyBytes.elementsEqual(LMDBMarker.key) { try writer.put(main, records.key, records.value) }
    }
    for (tree, handle) in table.all.sorted(by: { $0.tree < $1.tree }) {
      let target = try writer.database(LMDBEnvironment.name(tree))
      let walk = try LMDBWalk(source, handle, .all, descending: false)
      defer { mdb_cursor_close(walk.cursor) }
      while try walk.advance() { try writer.append(target, walk.key, walk.value, atOnce: Self.bytesAtOnce) }
      writer.endTree()
    }
    try writer.commit()
    var figures = MDB_stat()
    mdb_env_stat(raw, &figures)
    return Int(figures.ms_psize)
  }

  // MARK: The exchange

  /// The steps that no opening of the store may interrupt.
  private func exchange(_ copy: LMDBEnvironment, _ version: UInt64) throws(StorageError) {
    var failure: StorageError?
    try LMDBRegistry.shared.replace(store, with: copy) { () throws(StorageError) in
      let alone = try LMDBDirectoryLock(exclusive: file)
      defer { alone.end() }
      if let other = old.otherProcess() ?? old.otherUserOfLMDB() { throw .open(store, in: other) }
      // A program that does not know the writers' turn may have come and gone.
      guard old.lastTransaction == Int(version) else {
        throw StorageError(.busy, "a program without Quarry wrote to \(file.path) meanwhile")
      }
      _ = try requireInPlace()
      if let lock = try LMDBFile.status(file.lockPath) {
        _ = chmod(file.copyPath + LMDBFile.copyLockEnding, mode_t(lock.permissions))
      }
      try files.rename(file.copyPath, to: file.dataPath)
      // From here on the new file is the store's, whatever happens.
      do throws(StorageError) {
        try files.rename(file.copyPath + LMDBFile.copyLockEnding, to: file.lockPath)
        // After a loss of power the old file may have the name again: nothing is committed to the new one before.
        try files.syncDirectory(of: file.dataPath)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }
}

extension LMDBCompaction {
  /// Write transactions in the copy, one after the other.
  private struct Writer {
    private let raw: OpaquePointer
    private let old: LMDBEnvironment
    private var transaction: OpaquePointer?
    private var cursor: OpaquePointer?
    private var bytes = 0
    private var commitsLeft: UInt64

    init(_ raw: OpaquePointer, _ old: LMDBEnvironment, commits: UInt64) throws(StorageError) {
      self.raw = raw
      self.old = old
      commitsLeft = commits
      try begin()
    }

    private func check(_ result: Int32) throws(StorageError) {
      if result != MDB_SUCCESS { throw old.writeFailure(result, "a compacted copy of \(old.file.path)") }
    }

    private mutating func begin() throws(StorageError) {
      try check(mdb_txn_begin(raw, nil, 0, &transaction))
    }

    /// A database that is made if it is not there; nil for the main one.
    func database(_ name: String?) throws(StorageError) -> MDB_dbi {
      var handle: MDB_dbi = 0
      if let name {
        try check(name.withCString { mdb_dbi_open(transaction, $0, UInt32(MDB_CREATE), &handle) })
      } else {
        try check(mdb_dbi_open(transaction, nil, 0, &handle))
      }
      return handle
    }

    func put(_ handle: MDB_dbi, _ key: MDB_val, _ value: MDB_val) throws(StorageError) {
      var (key, value) = (key, value)
      try check(mdb_put(transaction, handle, &key, &value, 0))
    }

    /// Stores an entry behind all others of the database.
    mutating func append(
      _ handle: MDB_dbi, _ key: MDB_val, _ value: MDB_val, atOnce limit: Int
    ) throws(StorageError) {
      if bytes > limit, commitsLeft > 1 {
        try commit()
        try begin()
      }
      if cursor == nil { try check(mdb_cursor_open(transaction, handle, &cursor)) }
      var (key, value) = (key, value)
      bytes += key.mv_size + value.mv_size
      try check(mdb_cursor_put(cursor, &key, &value, UInt32(MDB_APPEND)))
    }

    mutating func endTree() {
      if let cursor { mdb_cursor_close(cursor) }
      cursor = nil
    }

    mutating func commit() throws(StorageError) {
      endTree()
      let ended = transaction
      transaction = nil
      bytes = 0
      commitsLeft -= 1
      try check(mdb_txn_commit(ended))
    }

    mutating func abort() {
      endTree()
      if let transaction { mdb_txn_abort(transaction) }
      transaction = nil
    }
  }
}

extension StorageError {
  static func replaced(_ file: LMDBFile) -> StorageError {
    .removedOrReplaced(file.path)
  }
}
