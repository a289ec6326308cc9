/// A backend over another backend: it forwards every call, and a subclass overrides the calls that it changes.
///
/// A layer has the calls of every optional protocol of backends. Where the backend beneath lacks one, the layer answers as
/// the default of that protocol does, or refuses with the error of a backend without it. A test fails when a protocol
/// gains a requirement that the layer does not forward.
///
/// A subclass changes transactions by ``TransactionHooks``:
///
/// ```swift
/// final class CountingLayer: BackendLayer, @unchecked Sendable {
///   override func readHooks() -> (any TransactionHooks)? { CountingHooks() }
/// }
/// ```
///
/// - Complexity: Each call costs one more dynamic call. Without hooks, the backend's own transactions are returned, at no cost.
open class BackendLayer: CompactingBackend, BackupBackend, QuarantiningBackend, RekeyingBackend, DiskSpaceReporting,
  WatchedBackend, @unchecked Sendable
{
  // Unchecked because the class is open; its stored property is constant and Sendable.
  /// The backend beneath.
  public let base: any Backend

  /// Makes a layer that changes nothing.
  ///
  /// - Parameter base: The backend beneath. The layer closes it when the layer is closed.
  public init(_ base: any Backend) {
    self.base = base
  }

  // MARK: Hooks

  /// Makes the hooks of one read transaction.
  ///
  /// - Returns: nil, which the default returns, where the transaction of the backend beneath is handed on as it is.
  open func readHooks() -> (any TransactionHooks)? { nil }

  /// Makes the hooks of one write transaction.
  ///
  /// - Returns: nil, which the default returns, where the transaction of the backend beneath is handed on as it is.
  open func writeHooks() -> (any TransactionHooks)? { nil }

  /// Whether single rows are read in a transaction of this layer, ``beginRead()``, and not by the backend beneath.
  ///
  /// The default is true where ``readHooks()`` makes hooks. A subclass that overrides ``beginRead()`` returns true.
  open var readsRowsInTransactions: Bool { readHooks() != nil }

  // MARK: Transactions

  open func beginRead() throws(StorageError) -> any BackendReadTransaction {
    let transaction = try base.beginRead()
    guard let hooks = readHooks() else { return transaction }
    return ReaderLayer(transaction, hooks)
  }

  open func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    let transaction = try base.beginWrite(options)
    guard let hooks = writeHooks() else { return transaction }
    return WriterLayer(transaction, hooks)
  }

  open func snapshot() throws(StorageError) -> any BackendSnapshot {
    let snapshot = try base.snapshot()
    guard readHooks() != nil else { return snapshot }
    return SnapshotLayer(snapshot) { [self] in readHooks() }
  }

  open func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    guard readsRowsInTransactions else { return try base.withRow(model, key, body) }
    let transaction = try beginRead()
    defer { transaction.end() }
    guard let row = try transaction.row(model, key) else { return false }
    try body(row)
    return true
  }

  open func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, schema version: UInt64,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool? {
    guard readsRowsInTransactions else { return try base.withRow(model, key, schema: version, body) }
    let transaction = try beginRead()
    defer { transaction.end() }
    guard transaction.schemaVersion == version else { return nil }
    guard let row = try transaction.row(model, key) else { return false }
    try body(row)
    return true
  }

  // MARK: The store

  open var manifest: BackendManifest { base.manifest }
  open var openingReport: OpeningReport { base.openingReport }
  open func check() throws(StorageError) -> [String] { try base.check() }
  open func statistics() throws(StorageError) -> BackendStatistics { try base.statistics() }
  open func destroy() throws(StorageError) { try base.destroy() }
  open func close() throws(StorageError) { try base.close() }

  // MARK: Optional protocols

  open func compact() throws(StorageError) { try base.requireCompacting().compact() }
  open func space() throws(StorageError) -> (bytes: Int, freeBytes: Int)? {
    try (base as? any CompactingBackend)?.space()
  }

  open func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    try base.requireBackup().backup(to: path, progress: progress)
  }

  open func quarantine() throws(StorageError) -> String { try base.requireQuarantining().quarantine() }

  open var envelopeSlot: EnvelopeSlot? { (base as? any RekeyingBackend)?.envelopeSlot }

  open func rekey(to new: Encryption, _ extent: RekeyExtent) throws(StorageError) {
    try base.requireRekeying().rekey(to: new, extent)
  }

  open func freeDiskBytes() -> Int? { (base as? any DiskSpaceReporting)?.freeDiskBytes() }

  open func commitWatch() throws(StorageError) -> (any CommitWatch)? {
    try (base as? any WatchedBackend)?.commitWatch()
  }

  open func requireInPlace() throws(StorageError) { try (base as? any WatchedBackend)?.requireInPlace() }
}
