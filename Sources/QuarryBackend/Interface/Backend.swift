/// A store of records in tables with a schema: what an engine implements to carry Quarry.
///
/// Access pattern: many read transactions at once on any threads, and one write transaction at a time, or several if the manifest
/// says so (``BackendManifest/Writers``). Calls are synchronous and may block. One thread at a time uses a transaction. The layer
/// above checks threads, ends and limits of nesting, so an implementation need not. It must not crash when a closed backend is
/// used: every call then throws `closed`.
///
/// A backend declares in its manifest the features that it does not support, and refuses them with
/// ``BackendManifest/require(_:)`` before any effect. Calls that not every engine has are in protocols of their own:
/// ``CompactingBackend``, ``BackupBackend``, ``QuarantiningBackend``.
///
/// Meanings of queries, order, uniqueness and errors are fixed by `docs/contract.md`; a backend decides only which part
/// of a query the engine does and which part the common evaluator does.
public protocol Backend: AnyObject, Sendable {
  /// The features that the backend offers. Constant from open to close.
  var manifest: BackendManifest { get }

  /// The findings and actions of opening the store. Constant from open to close.
  var openingReport: OpeningReport { get }

  /// Begins a read transaction, which sees one committed state until it ends. Does not wait for writers.
  func beginRead() throws(StorageError) -> any BackendReadTransaction

  /// Begins the write transaction, waiting for another writer where there is one at a time.
  ///
  /// The writers of one store wait in a line above, in which each gives its turn on before it commits. So one of them at
  /// most waits here: for a commit that ends, or for writers of other stores and processes.
  ///
  /// - Parameter options: The changes to capture for observation, and how long to wait.
  /// - Throws: `readOnly`; `busy` when the wait took longer than the timeout; `unsupported` for a capture.
  func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction

  /// Reads one row in a transaction of its own: the fast form of begin, ``BackendReadTransaction/row(_:_:)``, end.
  ///
  /// - Parameter body: Is called once with the row if there is one; the bytes are valid only inside.
  /// - Returns: Whether the row was there.
  func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool

  /// Like ``withRow(_:_:_:)``, but returns nil if the state has another schema version.
  ///
  /// - Parameters:
  ///   - version: That of the schema, ``Schema/version``.
  ///   - body: If nil is returned, the row that it was lent and the error that it threw mean nothing.
  /// - Returns: Whether the row was there; nil when the state that was read has a schema of another version.
  func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, schema version: UInt64,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool?

  /// Pins the newest committed state. The snapshot may be read by many threads until it is closed.
  func snapshot() throws(StorageError) -> any BackendSnapshot

  /// Verifies the store and returns what is wrong with it, nothing when it is sound.
  func check() throws(StorageError) -> [String]
  /// The sizes and counts of the store, as far as the engine knows them.
  func statistics() throws(StorageError) -> BackendStatistics
  /// Closes the store and removes all its files.
  func destroy() throws(StorageError)
  /// Closes the store. Open transactions and snapshots throw `closed` from then on. A second call does nothing.
  func close() throws(StorageError)
}

extension Backend {
  /// An empty report.
  public var openingReport: OpeningReport { OpeningReport() }

  /// Begins a read transaction, checks its schema and reads the row.
  public func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, schema version: UInt64,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool? {
    let transaction = try beginRead()
    defer { transaction.end() }
    guard transaction.schema.version == version else { return nil }
    guard let row = try transaction.row(model, key) else { return false }
    try body(row)
    return true
  }
}
