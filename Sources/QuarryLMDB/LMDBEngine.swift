import CLMDB
package import QuarryBackend
package import QuarryKeyValue
import QuarrySealed
import QuarrySystem
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Keeps trees in an LMDB environment: a named database for each.
///
/// Engines on the same file share the environment; each is closed on its own.
package final class LMDBEngine: KeyValueEngine {
  package let properties: KeyValueEngineProperties
  let store: LMDBEnvironmentHistory
  /// The place by the path of this opening; ``LMDBEnvironmentHistory/file`` has the place of the first.
  let place: LMDBFile
  private let options: OpenOptions
  let durability: BackendManifest.Durability
  private let closed = Atomic(false)

  package convenience init(_ configuration: LMDBConfiguration, _ options: OpenOptions) throws(StorageError) {
    try self.init(
      configuration, options,
      options.encryption != nil ? .sealed : configuration.checksums ? .checked : .plain)
  }

  /// - Parameter format: Whether the store is sealed; of one that is not there yet, what it becomes. Where its trees are in
  ///   pages, another engine reads and writes them: ``above(_:)``.
  init(_ configuration: LMDBConfiguration, _ options: OpenOptions, _ format: LMDBFormat) throws(StorageError) {
    let file = try LMDBFile(configuration.path)
    if options.ignoresFileSizeSignal { FileSizeSignal.ignore() }
    durability = options.durability ?? .powerLoss
    self.options = options
    place = file
    store = try LMDBRegistry.shared.open(
      file,
      LMDBEnvironment.Options(
        mapBytes: configuration.mapBytes, firstMapBytes: configuration.firstMapBytes, readers: configuration.readers,
        isReadOnly: options.isReadOnly,
        createsIfMissing: options.createsIfMissing, busyTimeout: options.busyTimeout, format: format,
        checksStructure: options.checksStructure))
    let environment = store.current
    properties = Self.properties(
      keyBytes: environment.maximumKeyBytes, readers: environment.maximumReaders, durability,
      isReadOnly: options.isReadOnly)
  }

  /// - Parameter keyBytes: Maximum length of LMDB's keys; longer ones are split, invisibly to callers.
  static func properties(
    keyBytes: Int?, readers: Int, _ durability: BackendManifest.Durability, isReadOnly: Bool
  ) -> KeyValueEngineProperties {
    KeyValueEngineProperties(
      name: "lmdb", version: LMDBConfiguration.engineVersion,
      maximumKeyBytes: keyBytes, maximumValueBytes: LMDBConfiguration.maximumValueBytes,
      maximumSnapshots: readers, maximumPathBytes: LMDBFile.longestPath, durability: durability,
      sharing: .manyProcesses,
      isReadOnly: isReadOnly, countsRanges: false, opensWithDurability: true, compacts: true,
      backsUp: true, encrypts: true, keepsLent: true)
  }

  /// Refuses: what is sealed has an engine of its own above this one.
  package func rekey(to new: Encryption, _ extent: RekeyExtent) throws(StorageError) {
    throw .notEncrypted(store.file.path)
  }

  /// The engine that has its trees in the pages of this one; nil where this one has the trees.
  func above(_ encryption: Encryption?) throws(StorageError) -> SealedEngine<LMDBEngine>? {
    let path = store.file.path
    if let encryption {
      return try SealedEngine(self, encryption: encryption, name: path, timeout: options.busyTimeout)
    }
    guard environment.options.format == .checked else { return nil }
    return try SealedEngine(checksumming: self, name: path, timeout: options.busyTimeout)
  }

  deinit {
    try? close()
  }

  /// The newest environment of the store.
  var environment: LMDBEnvironment { store.current }

  /// Two reads of memory, done by every call of the engine's transactions.
  @inline(__always)
  func requireOpen() throws(StorageError) {
    if closed.load(ordering: .acquiring) { throw .storeClosed }
    if store.isForked { throw forked() }
  }

  @inline(never)
  private func forked() -> StorageError {
    .inUse(
      by: store.processID,
      "\(store.file.path) was opened by process \(store.processID): a fork of that process must open the store itself")
  }

  func requireWritable() throws(StorageError) {
    if options.isReadOnly { throw .openedForReading }
  }

  // MARK: Transactions

  package func beginRead() throws(StorageError) -> LMDBReadTransaction {
    let (environment, transaction, table) = try begin()
    return LMDBReadTransaction(self, environment, transaction, table, snapshot: nil)
  }

  /// A read transaction of LMDB in the newest environment, which it keeps open.
  func begin() throws(StorageError) -> (LMDBEnvironment, OpaquePointer, LMDBTreeTable) {
    try requireOpen()
    while true {
      let environment = store.current
      do throws(StorageError) {
        let (transaction, table) = try environment.beginRead()
        return (environment, transaction, table)
      } catch {
        guard error.code == .closed, !store.isCurrent(environment) else { throw error }
      }
    }
  }

  /// Uses a read transaction of the pool; no object is made.
  package func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, version: inout CommitVersion,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try requireOpen()
    let found: Bool? = try store.withCurrent { environment throws(StorageError) in
      // A handle that was published before the transaction began is known to it.
      guard let known = environment.table?.handle(tree) else { return nil }
      let transaction: OpaquePointer
      do throws(StorageError) {
        transaction = try environment.takeReader()
      } catch {
        if error.code == .closed, !store.isCurrent(environment) { return nil }
        throw error
      }
      defer { environment.giveReader(transaction) }
      version = CommitVersion(UInt64(mdb_txn_id(transaction)))
      let value: UnsafeRawBufferPointer?
      if let search = LMDBSearch(tree, transaction, environment) {
        value = try search.value(key)
      } else {
        value = try LMDBTransaction.value(transaction, known, key)
      }
      guard let value else { return false }
      try body(value)
      return true
    }
    if let found { return found }
    // For a tree that is new, and where another environment has become the newest.
    return try withValueInTransaction(tree, key, version: &version, body)
  }

  package func beginWrite(timeout: Double) throws(StorageError) -> LMDBWriteTransaction {
    try requireOpen()
    try requireWritable()
    let environment = try enter(timeout)
    defer { environment.letGo() }
    do throws(StorageError) {
      try requireOpen()
      let (transaction, table) = try environment.beginWrite()
      return LMDBWriteTransaction(self, environment, transaction, table)
    } catch {
      environment.gate.leave()
      throw error
    }
  }

  /// Waits for the writers before to end, and takes the turn.
  ///
  /// - Returns: The environment that is the newest for as long as the caller has the turn; it is held, too.
  /// - Throws: `busy`.
  func enter(_ timeout: Double) throws(StorageError) -> LMDBEnvironment {
    var deadline: Deadline?
    while true {
      let environment = try store.held()
      do throws(StorageError) {
        if try !environment.gate.enterAtOnce() {
          let end = deadline ?? Deadline(after: timeout)
          deadline = end
          try environment.gate.enter(end, timeout)
        }
      } catch {
        environment.letGo()
        // The remaining time is less than how long the caller waited.
        throw error.code == .busy ? .busy(max(0, timeout)) : error
      }
      if store.isCurrent(environment) { return environment }
      environment.gate.leave()
      environment.letGo()
    }
  }

  package func snapshot() throws(StorageError) -> LMDBSnapshot {
    try requireOpen()
    return try LMDBSnapshot(self)
  }

  // MARK: Care

  /// - Complexity: Visits every record of the list of free pages.
  package func statistics() throws(StorageError) -> KeyValueEngineStatistics {
    let (environment, transaction, table) = try begin()
    defer { environment.giveReader(transaction) }
    let free = try LMDBCheck.freePages(transaction)
    var info = MDB_envinfo()
    mdb_env_info(environment.environment, &info)
    // Pages at the end that were never written are free, and not in the file.
    let bytes = environment.file.byteCount
    let used = max(0, info.me_last_pgno &+ 1 &- free) &* environment.pageSize
    return KeyValueEngineStatistics(
      bytes: bytes, freeBytes: max(0, bytes &- used),
      details: [
        "page size": String(environment.pageSize), "pages": String(info.me_last_pgno + 1), "free pages": String(free),
        "map bytes": String(info.me_mapsize), "trees": String(table.all.count),
        "readers": "\(info.me_numreaders) of \(info.me_maxreaders)",
        "version": String(UInt64(mdb_txn_id(transaction))),
        "checksums": environment.options.format.checksums,
      ])
  }

  /// The defects in the trees and the pages of the newest state.
  ///
  /// - Complexity: Visits every entry.
  package func check() throws(StorageError) -> [String] {
    let (environment, transaction, table) = try begin()
    defer { environment.giveReader(transaction) }
    if environment.options.format.hasPages {
      do throws(StorageError) {
        try environment.requireWholeStructure(readsHeads: true)
      } catch {
        guard error.code == .corrupt else { throw error }
        return [error.message]
      }
    }
    return try LMDBCheck.defects(transaction, table)
  }

  package func commitWatch() throws(StorageError) -> (any CommitWatch)? { try FileWatch(store.file.dataPath) }

  package func requireInPlace() throws(StorageError) {
    if closed.load(ordering: .acquiring) || store.isForked { return }
    if store.current.identity.isNamed(by: place.dataPath) { return }
    // A compaction gives the new file its name before the environment of that file is the newest.
    LMDBRegistry.shared.waitForExchange()
    try requireInPlace(store.current)
  }

  /// - Parameter environment: The newest one, for as long as the caller has the writers' turn.
  @inline(__always)
  func requireInPlace(_ environment: LMDBEnvironment) throws(StorageError) {
    if !environment.identity.isNamed(by: place.dataPath) { throw .replaced(place) }
  }

  package func freeDiskBytes() -> Int? { SystemFileSystem().freeBytes(beside: store.file.dataPath) }

  package func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    try requireOpen()
    let environment = try store.held()
    defer { environment.letGo() }
    try LMDBBackup(environment, progress).write(to: path)
  }

  /// Gives the store a new file with what the newest state has, each tree packed, in the place of the old one.
  ///
  /// It has the writers' turn for as long as it takes. Readers continue.
  ///
  /// - Throws: `inUse` when another process has the store open; `unsupported` for a file with other names; `readOnly`,
  ///   `busy`, `full`, `io`.
  /// - Complexity: Every entry is written.
  package func compact() throws(StorageError) {
    try requireOpen()
    try requireWritable()
    // Said at once, and not after a writer of that process has ended.
    if let other = store.current.otherProcess() { throw .open(store, in: other) }
    let environment = try enter(options.busyTimeout)
    defer {
      environment.gate.leave()
      environment.letGo()
    }
    try requireOpen()
    try requireInPlace(environment)
    try LMDBCompaction(store, environment).run()
  }

  /// Closes the store and removes its files.
  ///
  /// - Throws: `inUse` when it is open elsewhere, in this process or another; `readOnly`; `busy`; `io`.
  package func destroy() throws(StorageError) {
    try requireOpen()
    try requireWritable()
    if store.users > 1 { throw .openTwice(store) }
    if let other = store.current.otherProcess() { throw .open(store, in: other) }
    let environment = try enter(0)
    let result: Result<Void, StorageError>
    do throws(StorageError) {
      try requireInPlace(environment)
    } catch {
      environment.gate.leave()
      environment.letGo()
      throw error
    }
    do throws(StorageError) {
      try environment.file.remove()
      result = .success(())
    } catch {
      result = .failure(error)
    }
    environment.gate.leave()
    environment.letGo()
    try close()
    try result.get()
  }

  /// Closes the store and gives its directory another name.
  ///
  /// - Throws: `inUse` when it is open elsewhere, in this process or another; `unsupported` for a path that is a link;
  ///   `readOnly`; `io`.
  package func quarantine() throws(StorageError) -> String {
    try requireOpen()
    try requireWritable()
    if store.users > 1 { throw .openTwice(store) }
    if let other = store.current.otherProcess() { throw .open(store, in: other) }
    let environment = try enter(0)
    defer {
      environment.gate.leave()
      environment.letGo()
    }
    let files = SystemFileSystem()
    let (file, path) = (store.file, store.file.path)
    if SystemPath.isLink(self.place.given) { throw .isLink(self.place.given) }
    var place = ""
    try LMDBRegistry.shared.withOnlyUser(of: store) { () throws(StorageError) in
      let alone = try LMDBDirectoryLock(exclusive: file)
      defer { alone.end() }
      if let other = environment.otherProcess() ?? environment.otherUserOfLMDB() { throw .open(store, in: other) }
      guard try file.identity() == environment.identity else { throw .replaced(file) }
      place = try QuarantineName.free(for: path) { name throws(StorageError) in try files.status(of: name) != nil }
      try files.rename(path, to: place)
    }
    try? files.syncDirectory(of: place)
    try close()
    return place
  }

  package func close() throws(StorageError) {
    if closed.exchange(true, ordering: .acquiringAndReleasing) { return }
    if store.isForked { return }
    // So that a loss of power later on costs nothing of what was written before a proper close.
    if durability == .processCrash, !options.isReadOnly, let environment = try? store.held() {
      mdb_env_sync(environment.environment, 1)
      environment.letGo()
    }
    store.removeUser()
  }
}
