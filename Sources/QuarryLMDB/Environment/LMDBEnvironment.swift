import CLMDB
import Dispatch
import QuarryBackend
import QuarryKeyValue
import QuarrySystem
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An open LMDB environment, shared by all engines of the process on the same file.
///
/// It is closed when its last user has closed and its last transaction has ended, because LMDB's own close pulls the map
/// away from under whoever reads.
///
/// Sendable unchecked for the pointer of the environment, which LMDB lets all threads use; it is freed once, when no
/// transaction is counted any more and none can begin.
final class LMDBEnvironment: @unchecked Sendable {
  struct Options {
    var mapBytes: Int
    var readers: Int
    var isReadOnly: Bool
    var createsIfMissing: Bool
    var busyTimeout: Double
  }

  private struct State {
    var users = 1
    /// Transactions that exist, those in the pool among them.
    var transactions = 0
    /// Writers that wait or that end.
    var holds = 0
    var isClosed = false
    var isRemapping = false

    var isUnused: Bool { users == 0 && transactions == 0 && holds == 0 }
  }

  let environment: OpaquePointer
  let file: LMDBFile
  let identity: FileIdentity
  let isReadOnly: Bool
  /// The process, as it is counted by forks.
  let generation: UInt32
  let processID: Int32
  let maximumKeyBytes: Int
  let maximumReaders: Int
  let pageSize: Int
  let lock: ByteLocks
  let gate: LMDBWriterGate
  let pool = LMDBReaderPool()
  private let state = Mutex(State())
  /// Whether transactions are ended instead of kept.
  private let isDraining = Atomic(false)
  private let newestTable = Atomic<UInt>(0)
  /// All tables there were: a transaction may still look into an old one.
  private let tables = Mutex<[LMDBTreeTable]>([])
  /// Held by who opens handles, which LMDB allows one transaction at a time.
  private let handleGate = DispatchSemaphore(value: 0)
  /// The last page when stale readers were looked for.
  private let checkedPage = Atomic<Int>(0)

  init(_ environment: OpaquePointer, _ file: LMDBFile, _ identity: FileIdentity, isReadOnly: Bool) {
    self.environment = environment
    self.file = file
    self.identity = identity
    self.isReadOnly = isReadOnly
    generation = LMDBProcess.generation
    processID = getpid()
    // One byte less than LMDB's own limit, for `LMDBKey`.
    maximumKeyBytes = Int(mdb_env_get_maxkeysize(environment)) - 1
    var readers: UInt32 = 0
    mdb_env_get_maxreaders(environment, &readers)
    maximumReaders = Int(readers)
    var figures = MDB_stat()
    mdb_env_stat(environment, &figures)
    pageSize = Int(figures.ms_psize)
    var descriptor: Int32 = -1
    mdb_env_get_fd(environment, &descriptor)
    lock = ByteLocks(descriptor: descriptor)
    gate = LMDBWriterGate(lock)
    handleGate.signal()
  }

  deinit {
    tables.withLock { tables in
      for table in tables { table.free() }
    }
  }

  /// Whether this is a child of the process that opened it.
  @inline(__always) var isForked: Bool { generation != LMDBProcess.generation }

  // MARK: Users

  func addUser(_ options: Options) throws(StorageError) {
    if isReadOnly, !options.isReadOnly {
      throw .inUse(by: processID, "\(file.path) is open for reading only in this process")
    }
    let isOpen = state.withLock { state -> Bool in
      guard !state.isClosed else { return false }
      state.users += 1
      isDraining.store(state.isRemapping, ordering: .sequentiallyConsistent)
      return true
    }
    if !isOpen { throw StorageError(.io, "\(file.path) is being closed") }
  }

  /// The number of engines that have the environment open.
  var users: Int { state.withLock { $0.users } }

  func removeUser() {
    let isLast = state.withLock { state -> Bool in
      state.users -= 1
      return state.users == 0
    }
    if isLast {
      gate.endOrphan()
      isDraining.store(true, ordering: .sequentiallyConsistent)
      drainPool()
      LMDBRegistry.shared.closeIfUnused(self)
    }
  }

  /// Closes for good unless somebody uses it. Only for the registry.
  func closeIfUnused() -> Bool {
    let closes = state.withLock { state -> Bool in
      guard !state.isClosed, state.isUnused else { return false }
      state.isClosed = true
      return true
    }
    // A child leaves the parent's environment alone.
    if closes, !isForked { mdb_env_close(environment) }
    return closes
  }

  // MARK: Counting transactions

  /// Keeps the environment open for a writer that waits: it locks a file that closing would close.
  func hold() throws(StorageError) {
    let isOpen = state.withLock { state -> Bool in
      if !state.isClosed { state.holds += 1 }
      return !state.isClosed
    }
    if !isOpen { throw .storeClosed }
  }

  func letGo() {
    let isLast = state.withLock { state -> Bool in
      state.holds -= 1
      return state.isUnused
    }
    if isLast { LMDBRegistry.shared.closeIfUnused(self) }
  }

  /// Counts a transaction that is about to begin.
  private func retain() throws(StorageError) {
    var waited = 0
    while true {
      let isCounted: Bool? = state.withLock { state in
        if state.isClosed { return nil }
        if state.isRemapping { return false }
        state.transactions += 1
        return true
      }
      guard let isCounted else { throw .storeClosed }
      if isCounted { return }
      waited += 1
      if waited > 10_000 { throw StorageError(.busy, "the map of \(file.path) is being grown") }
      usleep(1_000)
    }
  }

  /// Counts a transaction off that has ended.
  func release() {
    let isLast = state.withLock { state -> Bool in
      state.transactions -= 1
      return state.isUnused
    }
    if isLast { LMDBRegistry.shared.closeIfUnused(self) }
  }

  private func drainPool() {
    while let transaction = pool.take() { discard(transaction) }
  }

  private func discard(_ transaction: OpaquePointer) {
    if isForked { return }
    mdb_txn_abort(transaction)
    release()
  }

  // MARK: Reading

  /// A read transaction on the newest state, from the pool where there is one.
  @inline(__always)
  func takeReader() throws(StorageError) -> OpaquePointer {
    if let transaction = pool.take() {
      if mdb_txn_renew(transaction) == MDB_SUCCESS { return transaction }
      discard(transaction)
    }
    return try makeReader()
  }

  @inline(__always)
  func giveReader(_ transaction: OpaquePointer) {
    if isForked { return }
    mdb_txn_reset(transaction)
    if isDraining.load(ordering: .sequentiallyConsistent) || !pool.give(transaction) {
      discard(transaction)
    } else if isDraining.load(ordering: .sequentiallyConsistent) {
      drainPool()
    }
  }

  @inline(never)
  private func makeReader() throws(StorageError) -> OpaquePointer {
    var attempts = 0
    while true {
      try retain()
      var transaction: OpaquePointer?
      let result = mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
      if result == MDB_SUCCESS, let transaction { return transaction }
      release()
      attempts += 1
      switch result {
      case MDB_MAP_RESIZED where attempts < 10:
        try remap()
      case MDB_READERS_FULL where attempts < 3:
        clearStaleReaders()
        if let transaction = pool.take() {
          if mdb_txn_renew(transaction) == MDB_SUCCESS { return transaction }
          discard(transaction)
        }
      case MDB_READERS_FULL:
        throw .limitExceeded("open read transactions and snapshots", limit: maximumReaders, actual: maximumReaders + 1)
      default:
        throw StorageError(lmdb: result, "a read transaction of \(file.path) cannot begin")
      }
    }
  }

  /// A read transaction together with a table that has all trees of its state.
  func beginRead() throws(StorageError) -> (transaction: OpaquePointer, table: LMDBTreeTable) {
    var attempts = 0
    while true {
      // The table first: then the state is at least as new, and the transaction knows its handles.
      let before = newestTable.load(ordering: .acquiring)
      let transaction = try takeReader()
      let table = self.table
      if let table, table.bits == before, Self.records(transaction) == table.records { return (transaction, table) }
      giveReader(transaction)
      attempts += 1
      guard attempts < 100 else { throw StorageError(.busy, "other processes are making trees in \(file.path)") }
      if newestTable.load(ordering: .acquiring) == before { try openHandles() }
    }
  }

  /// The records of the main database: one for each tree, and the marker.
  @inline(__always)
  static func records(_ transaction: OpaquePointer) -> Int {
    var figures = MDB_stat()
    return mdb_stat(transaction, 1, &figures) == MDB_SUCCESS ? Int(figures.ms_entries) : -1
  }

  // MARK: Handles

  /// The newest table of handles. Only while a transaction is counted.
  @inline(__always) var table: LMDBTreeTable? { LMDBTreeTable(bits: newestTable.load(ordering: .acquiring)) }

  func lockHandles() { handleGate.wait() }
  func unlockHandles() { handleGate.signal() }

  /// Makes a table the newest one. Only for who holds the handles.
  func publish(_ table: LMDBTreeTable) {
    tables.withLock { $0.append(table) }
    newestTable.store(table.bits, ordering: .releasing)
  }

  /// Opens the handles of trees that other processes, or processes before, have made.
  func openHandles() throws(StorageError) {
    lockHandles()
    defer { unlockHandles() }
    let transaction = try makeReader()
    var isOpen = true
    defer {
      if isOpen { mdb_txn_abort(transaction) }
      release()
    }
    var main: MDB_dbi = 0
    try check(mdb_dbi_open(transaction, nil, 0, &main))
    let records = Self.records(transaction)
    if let table, table.records == records { return }
    var handles = table?.all ?? []
    let known = Set(handles.map(\.tree))
    for tree in try trees(in: transaction, main) where !known.contains(tree) {
      var handle: MDB_dbi = 0
      try check(Self.name(tree).withCString { mdb_dbi_open(transaction, $0, 0, &handle) })
      var flags: UInt32 = 0
      try check(mdb_dbi_flags(transaction, handle, &flags))
      guard flags == 0 else {
        throw StorageError(.corrupt, "the database \(tree) of \(file.path) is no tree of Quarry")
      }
      handles.append((tree, handle))
    }
    // Committing keeps the handles open.
    isOpen = false
    try check(mdb_txn_commit(transaction))
    publish(LMDBTreeTable(handles, records: records))
  }

  private func check(_ result: Int32) throws(StorageError) {
    if result == MDB_DBS_FULL {
      throw StorageError(.limitExceeded, "\(file.path) has more trees than there was room for when it was opened")
    }
    if result != MDB_SUCCESS { throw StorageError(lmdb: result, file.path) }
  }

  static func name(_ tree: TreeID) -> String { String(tree) }

  /// The trees that the main database names.
  private func trees(in transaction: OpaquePointer, _ main: MDB_dbi) throws(StorageError) -> [TreeID] {
    var cursor: OpaquePointer?
    try check(mdb_cursor_open(transaction, main, &cursor))
    defer { mdb_cursor_close(cursor) }
    var key = MDB_val()
    var value = MDB_val()
    var result: [TreeID] = []
    while true {
      let code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
      if code == MDB_NOTFOUND { return result }
      try check(code)
      let name = String(decoding: UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size), as: UTF8.self)
      if let tree = TreeID(name), Self.name(tree).utf8.elementsEqual(name.utf8) { result.append(tree) }
    }
  }

  // MARK: Writing

  /// Begins a write transaction that knows the handles of all trees. Only for who has entered the gate.
  func beginWrite() throws(StorageError) -> (transaction: OpaquePointer, table: LMDBTreeTable) {
    clearStaleReadersAfterGrowth()
    var attempts = 0
    while true {
      try retain()
      let table = self.table
      var transaction: OpaquePointer?
      let result = mdb_txn_begin(environment, nil, 0, &transaction)
      attempts += 1
      if result == MDB_SUCCESS, let transaction {
        if let table, Self.records(transaction) == table.records { return (transaction, table) }
        mdb_txn_abort(transaction)
        release()
        guard attempts < 10 else { throw StorageError(.busy, "other processes are making trees in \(file.path)") }
        try openHandles()
      } else {
        release()
        guard result == MDB_MAP_RESIZED, attempts < 10 else {
          throw StorageError(lmdb: result, "a write transaction of \(file.path) cannot begin")
        }
        try remap()
      }
    }
  }

  /// The error of a call that writes. A write that the file system cut short comes from LMDB as EIO, whatever the reason;
  /// where no space is left, that was it.
  func writeFailure(_ result: Int32, _ what: String) -> StorageError {
    StorageError(lmdb: result == EIO && file.isOutOfSpace ? ENOSPC : result, what)
  }

  /// Frees what readers held that were killed.
  func clearStaleReaders() {
    var dead: Int32 = 0
    mdb_reader_check(environment, &dead)
  }

  /// Looks for readers that were killed whenever the file has grown by 64 pages: they keep pages from being used again.
  private func clearStaleReadersAfterGrowth() {
    var info = MDB_envinfo()
    mdb_env_info(environment, &info)
    let checked = checkedPage.load(ordering: .relaxed)
    guard info.me_last_pgno > checked + 64 || info.me_last_pgno < checked else { return }
    checkedPage.store(info.me_last_pgno, ordering: .relaxed)
    clearStaleReaders()
  }

  /// Follows a map that another process has grown, when no transaction of this process is open.
  ///
  /// - Throws: `busy` when transactions stay open; `full` when the system refuses the memory.
  private func remap() throws(StorageError) {
    let isMine = state.withLock { state -> Bool in
      if state.isRemapping || state.isClosed { return false }
      state.isRemapping = true
      return true
    }
    // Another thread does it; the caller tries again when it is done.
    guard isMine else { return }
    isDraining.store(true, ordering: .sequentiallyConsistent)
    defer {
      state.withLock { state in
        state.isRemapping = false
        isDraining.store(state.users == 0, ordering: .sequentiallyConsistent)
      }
    }
    let start = ContinuousClock.now
    while true {
      drainPool()
      if state.withLock({ $0.transactions }) == 0 { break }
      if ContinuousClock.now - start > .seconds(5) {
        throw StorageError(.busy, "\(file.path) has grown beyond this process's map, and transactions are open on it")
      }
      usleep(500)
    }
    var info = MDB_envinfo()
    mdb_env_info(environment, &info)
    // LMDB unmaps before it maps, and has no map at all when that fails: so the memory is tried for first.
    let needed = max(info.me_mapsize, (info.me_last_pgno + 1) * pageSize) * 2
    let room = mmap(nil, needed, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0)
    guard let room, room != MAP_FAILED else {
      throw StorageError(.full, "the system refuses \(needed) bytes of address space")
    }
    munmap(room, needed)
    let result = mdb_env_set_mapsize(environment, 0)
    if result != MDB_SUCCESS { throw StorageError(lmdb: result, "the map of \(file.path) cannot be grown") }
  }
}
