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
  ///
  /// - Throws: `closed`; `limitExceeded` past the manifest's ``BackendManifest/Limits/openSnapshots``; `corrupt`, `schemaTooNew`,
  ///   `io`; `unavailable` when the server of the store cannot be reached.
  func beginRead() throws(StorageError) -> any BackendReadTransaction

  /// Begins the write transaction, waiting for another writer where there is one at a time.
  ///
  /// The writers of one store wait in a queue of the layer above, and each passes its turn on before it commits. So at most one
  /// of them waits here: for a commit that ends, or for writers of other stores and processes.
  ///
  /// - Parameter options: The changes to capture for observation, and how many seconds to wait.
  /// - Throws: `closed`; `readOnly`; `busy` when the wait took longer than the timeout; `unsupported` for a capture that the
  ///   manifest does not offer, before any effect; `corrupt`, `schemaTooNew`, `io`; `unavailable` when the server of the store
  ///   cannot be reached.
  func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction

  /// Reads one row in a transaction of its own: the fast form of begin, ``BackendReadTransaction/row(_:_:)``, end.
  ///
  /// - Parameters:
  ///   - model: The id of a model of the newest schema.
  ///   - key: The primary key in the key format (`docs/formats/key.md`), lent for the call.
  ///   - body: Is called once with the row if there is one; the bytes, in the row format (`docs/formats/row.md`), are valid only
  ///     inside.
  /// - Returns: Whether the row was there.
  /// - Throws: `closed`, `corrupt`, `io`, `unavailable`; the errors of the body.
  func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool

  /// Like ``withRow(_:_:_:)``, but returns nil if the state has another schema version.
  ///
  /// - Parameters:
  ///   - model: The id of a model of that schema.
  ///   - key: The primary key in the key format, lent for the call.
  ///   - version: The version of the schema that the caller knows, ``Schema/version``.
  ///   - body: If nil is returned, the row that it was lent and the error that it threw mean nothing.
  /// - Returns: Whether the row was there; nil when the state that was read has a schema of another version.
  /// - Throws: As ``withRow(_:_:_:)``.
  func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, schema version: UInt64,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool?

  /// Pins the newest committed state. The snapshot may be read by many threads until it is closed.
  ///
  /// - Throws: `closed`; `limitExceeded` past the manifest's ``BackendManifest/Limits/openSnapshots``; `corrupt`, `io`,
  ///   `unavailable`.
  func snapshot() throws(StorageError) -> any BackendSnapshot

  /// Verifies the newest committed state of the store.
  ///
  /// Damage is a result and no error: it does not end the check before the other parts are checked (contract, CARE-3).
  ///
  /// - Returns: The defects in words, as ``DefectReport`` limits them; empty for a sound store.
  /// - Throws: `closed`; `io` for a failure that is not damage; `unavailable`.
  /// - Complexity: Reads every row and every index entry.
  func check() throws(StorageError) -> [String]
  /// The sizes and counts of the store, as far as the engine knows them.
  ///
  /// - Throws: `closed`, `corrupt`, `io`, `unavailable`.
  /// - Complexity: An engine may visit every page, because it counts the rows of each model and the entries of each index.
  func statistics() throws(StorageError) -> BackendStatistics
  /// Closes the store and removes all its files.
  ///
  /// - Throws: `closed`; `readOnly` when it was opened for reading; `inUse` when another user has it open; `io`, also when its
  ///   files were removed or replaced (``StorageError/removedOrReplaced(_:)``).
  func destroy() throws(StorageError)
  /// Closes the store. Open transactions and snapshots throw `closed` from then on. A second call does nothing.
  ///
  /// - Throws: `io` when the engine cannot finish its work; the store is closed then too.
  func close() throws(StorageError)
}

extension Backend {
  /// An empty report.
  public var openingReport: OpeningReport { OpeningReport() }

  /// Begins a read transaction, checks its schema and reads the row.
  ///
  /// - Throws: As ``beginRead()`` and ``BackendReadTransaction/row(_:_:)``; the errors of the body.
  public func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, schema version: UInt64,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool? {
    try withRowOfTransaction(model, key, schema: version, body)
  }

  /// What ``withRow(_:_:schema:_:)`` does by default: reads the row in a transaction.
  @inline(__always)
  package func withRowOfTransaction(
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
