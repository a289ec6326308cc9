import CLMDB
package import QuarryBackend
package import QuarryKeyValue
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
  let environment: LMDBEnvironment
  let durability: BackendManifest.Durability
  private let isReadOnly: Bool
  private let closed = Atomic(false)

  package init(_ configuration: LMDBConfiguration, _ options: OpenOptions) throws(StorageError) {
    let file = try LMDBFile(configuration.path)
    durability = options.durability ?? .powerLoss
    isReadOnly = options.isReadOnly
    environment = try LMDBRegistry.shared.open(
      file,
      LMDBEnvironment.Options(
        mapBytes: configuration.mapBytes, readers: configuration.readers, isReadOnly: options.isReadOnly,
        createsIfMissing: options.createsIfMissing, busyTimeout: options.busyTimeout))
    properties = Self.properties(
      keyBytes: environment.maximumKeyBytes, readers: environment.maximumReaders, durability,
      isReadOnly: options.isReadOnly)
  }

  /// - Parameter keyBytes: How long the keys of LMDB can be; longer ones are split, so that nobody sees it.
  static func properties(
    keyBytes: Int?, readers: Int, _ durability: BackendManifest.Durability, isReadOnly: Bool
  ) -> KeyValueEngineProperties {
    KeyValueEngineProperties(
      name: "lmdb", version: LMDBConfiguration.engineVersion,
      maximumKeyBytes: keyBytes, maximumValueBytes: LMDBConfiguration.maximumValueBytes,
      maximumSnapshots: readers, durability: durability, sharing: .manyProcesses,
      isReadOnly: isReadOnly, countsRanges: false, opensWithDurability: true, backsUp: true)
  }

  deinit {
    try? close()
  }

  /// Two reads of memory, done by every call of the engine's transactions.
  @inline(__always)
  func requireOpen() throws(StorageError) {
    if closed.load(ordering: .acquiring) { throw .storeClosed }
    if environment.isForked { throw forked() }
  }

  @inline(never)
  private func forked() -> StorageError {
    .inUse(
      by: environment.processID,
      "\(environment.file.path) was opened by process \(environment.processID); its fork must open it again")
  }

  private func requireWritable() throws(StorageError) {
    if isReadOnly { throw .openedForReading }
  }

  // MARK: Transactions

  package func beginRead() throws(StorageError) -> LMDBReadTransaction {
    try requireOpen()
    let (transaction, table) = try environment.beginRead()
    return LMDBReadTransaction(self, transaction, table, snapshot: nil)
  }

  /// Uses a read transaction of the pool; no object is made.
  package func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    var version = CommitVersion(0)
    return try withValue(tree, key, version: &version, body)
  }

  /// Uses a read transaction of the pool; no object is made.
  package func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, version: inout CommitVersion,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try requireOpen()
    // A handle that was published before the transaction began is known to it.
    let known = environment.table?.handle(tree)
    guard let known else { return try withValueOfNewTree(tree, key, version: &version, body) }
    let transaction = try environment.takeReader()
    defer { environment.giveReader(transaction) }
    version = CommitVersion(UInt64(mdb_txn_id(transaction)))
    let value: UnsafeRawBufferPointer?
    if let search = LMDBSearch(tree, transaction, pageSize: environment.pageSize) {
      value = try search.value(key)
    } else {
      value = try LMDBTransaction.value(transaction, known, key)
    }
    guard let value else { return false }
    try body(value)
    return true
  }

  @inline(never)
  private func withValueOfNewTree(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, version: inout CommitVersion,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    let transaction = try beginRead()
    defer { transaction.end() }
    version = transaction.version
    guard let value = try transaction.get(tree, key) else { return false }
    try body(value)
    return true
  }

  package func beginWrite(timeout: Double) throws(StorageError) -> LMDBWriteTransaction {
    try requireOpen()
    try requireWritable()
    try environment.hold()
    defer { environment.letGo() }
    try environment.gate.enter(timeout)
    do throws(StorageError) {
      try requireOpen()
      let (transaction, table) = try environment.beginWrite()
      return LMDBWriteTransaction(self, transaction, table)
    } catch {
      environment.gate.leave()
      throw error
    }
  }

  package func snapshot() throws(StorageError) -> LMDBSnapshot {
    try requireOpen()
    return try LMDBSnapshot(self)
  }

  // MARK: Care

  /// - Complexity: A look at every record of the list of free pages.
  package func statistics() throws(StorageError) -> KeyValueEngineStatistics {
    try requireOpen()
    let (transaction, table) = try environment.beginRead()
    defer { environment.giveReader(transaction) }
    let free = try LMDBCheck.freePages(transaction)
    var info = MDB_envinfo()
    mdb_env_info(environment.environment, &info)
    return KeyValueEngineStatistics(
      bytes: environment.file.byteCount, freeBytes: free * environment.pageSize,
      details: [
        "page size": String(environment.pageSize), "pages": String(info.me_last_pgno + 1), "free pages": String(free),
        "map bytes": String(info.me_mapsize), "trees": String(table.all.count),
        "readers": "\(info.me_numreaders) of \(info.me_maxreaders)",
        "version": String(UInt64(mdb_txn_id(transaction))),
      ])
  }

  /// What is wrong with the trees and the pages of the newest state.
  ///
  /// - Complexity: A look at every entry.
  package func check() throws(StorageError) -> [String] {
    try requireOpen()
    let (transaction, table) = try environment.beginRead()
    defer { environment.giveReader(transaction) }
    return try LMDBCheck.defects(transaction, table)
  }

  package func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    try requireOpen()
    try LMDBBackup(environment, progress).write(to: path)
  }

  /// Closes the store and removes its files.
  ///
  /// - Throws: `inUse` when it is open elsewhere, in this process or another; `readOnly`; `busy`; `io`.
  package func destroy() throws(StorageError) {
    try requireOpen()
    try requireWritable()
    if environment.users > 1 {
      throw .inUse(by: environment.processID, "\(environment.file.path) is open more than once in this process")
    }
    if let other = environment.otherProcess() {
      throw .inUse(by: other, "process \(other) has \(environment.file.path) open")
    }
    try environment.gate.enter(0)
    let result: Result<Void, StorageError>
    do throws(StorageError) {
      try environment.file.remove()
      result = .success(())
    } catch {
      result = .failure(error)
    }
    environment.gate.leave()
    try close()
    try result.get()
  }

  package func close() throws(StorageError) {
    if closed.exchange(true, ordering: .acquiringAndReleasing) { return }
    if environment.isForked { return }
    // So that a loss of power later on costs nothing of what was written before a proper close.
    if durability == .processCrash, !isReadOnly { mdb_env_sync(environment.environment, 1) }
    environment.removeUser()
  }
}
