public import QuarryBackend

/// Creates a backend from an engine of ordered trees.
///
/// Each model is a tree from primary key to row, and each index is a tree from entry to primary key. The stored schema is a
/// record of tree 0.
///
/// An index entry is the components of the indexed values followed by the primary key, which descends where the last column does.
/// A unique index leaves the key out unless one of the values is null, so that a second row with the same values finds the entry
/// taken. The entry's value is always the primary key, so that a walk over an index lends keys in batches.
///
/// A point read is one call of the engine, and nothing is allocated. The schema is checked only if there was a commit since the
/// last check.
public final class KeyValueBackend<Engine: KeyValueEngine>: CompactingBackend, BackupBackend,
  QuarantiningBackend, RekeyingBackend, DiskSpaceReporting, WatchedBackend
{
  /// The engine underneath.
  package let engine: Engine
  public let manifest: BackendManifest
  public var openingReport: OpeningReport { engine.openingReport }
  let store: StoreState
  private let isReadOnly: Bool
  private let busyTimeout: Double
  /// Bytes of the longest key that goes to the engine as it is.
  private let plainLimit: Int
  /// See the initializer of that type.
  private let readerType = KeyValueBackendReader<Engine.ReadTransaction>.self
  private let writerType = KeyValueBackendWriteTransaction<Engine.WriteTransaction>.self

  /// Creates a backend from an open engine.
  ///
  /// - Parameters:
  ///   - engine: An open engine. The backend closes it with itself.
  ///   - options: The options with which the engine was opened; the backend takes the timeout and `isReadOnly` from them.
  /// - Throws: `unsupported` for options that the engine does not offer, before any effect. `keyRequired` for an engine that has
  ///   a sealed store and does not open it. `corrupt`, also for a store with page checksums that was opened as one without them;
  ///   `schemaTooNew` for a stored schema of a newer version; `closed`, `io`. The engine stays open then.
  public convenience init(_ engine: Engine, options: OpenOptions) throws(StorageError) {
    try self.init(engine, options: options, longKeyHash: { SipHash.hash($0) })
  }

  /// - Parameter longKeyHash: The hash in the entries of long keys; differs from the format's hash only in tests.
  init(_ engine: Engine, options: OpenOptions, longKeyHash: @escaping LongKeyFormat.Hash) throws(StorageError) {
    let properties = engine.properties
    manifest = .keyValue(properties)
    try manifest.check(options)
    self.engine = engine
    isReadOnly = options.isReadOnly || properties.isReadOnly
    busyTimeout = options.busyTimeout
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    // A sealed store is none of this backend's until an engine opens it that has the key.
    let slot = try SealedTrees.slotKey.withBytes { key throws(StorageError) in
      try transaction.get(SealedTrees.envelope, key)
    }
    if slot != nil { throw .keyRequired("the store") }
    if try SealedTrees.root(in: transaction) != nil {
      throw StorageError(.corrupt, "the store has page checksums, but was opened as one without them")
    }
    let limit = try SchemaRecord.keyLimit(in: transaction, engineLimit: properties.maximumKeyBytes)
    store = StoreState(
      manifest, properties, limit.map { LongKeyFormat(limit: $0, hash: longKeyHash) },
      try SchemaRecord.read(in: transaction))
    plainLimit = limit ?? .max
  }

  // MARK: Transactions

  public func beginRead() throws(StorageError) -> any BackendReadTransaction {
    try checkOpen()
    let seen = store.seenSchemaVersion
    let transaction = try engine.beginRead()
    return readerType.init(
      transaction, store, schemaVersion: store.schemaVersion(at: transaction.version, from: seen))
  }

  public func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    try manifest.check(options)
    try checkOpen()
    if isReadOnly { throw .openedForReading }
    let seen = store.seenSchemaVersion
    let begun = try engine.beginWrite(timeout: options.timeout ?? busyTimeout)
    let transaction = writerType.init(
      begun, store, schemaVersion: store.schemaVersion(at: begun.version, from: seen))
    return transaction.capturingDirectly(options.capture)
  }

  public func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    // The engine knows whether it is closed.
    if key.count <= plainLimit { return try engine.withValue(model.rawValue, key, body) }
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    guard let row = try TreeAccess(transaction, store.longKeys).get(model.rawValue, key) else { return false }
    try body(row)
    return true
  }

  public func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, schema version: UInt64,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool? {
    guard key.count <= plainLimit else {
      let transaction = try engine.beginRead()
      defer { transaction.end() }
      guard try SchemaRecord.version(in: transaction) == version else { return nil }
      guard let row = try TreeAccess(transaction, store.longKeys).get(model.rawValue, key) else { return false }
      try body(row)
      return true
    }
    var state = CommitVersion(.max)
    let isFound: Bool
    do throws(StorageError) {
      isFound = try engine.withValue(model.rawValue, key, version: &state, body)
    } catch {
      // An unreadable row may be of another schema.
      if state != CommitVersion(.max), try !hasSchema(version, after: state) { return nil }
      throw error
    }
    return try hasSchema(version, after: state) ? isFound : nil
  }

  /// Whether a state that was just read has the schema of a version that was there before. Versions of schemas only grow:
  /// where the newest state has it still, so has that one.
  @inline(__always)
  private func hasSchema(_ version: UInt64, after state: CommitVersion) throws(StorageError) -> Bool {
    if store.schemaVersion(at: state) == version { return true }
    return try newestSchemaVersion() == version
  }

  /// Checks the newest schema, and remembers which state has it.
  @inline(never)
  private func newestSchemaVersion() throws(StorageError) -> UInt64 {
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    let version = try SchemaRecord.version(in: transaction)
    store.note(schemaVersion: version, at: transaction.version)
    return version
  }

  public func snapshot() throws(StorageError) -> any BackendSnapshot {
    try checkOpen()
    return KeyValueBackendSnapshot(try engine.snapshot(), store)
  }

  // MARK: Care of the store

  public func compact() throws(StorageError) {
    try manifest.require(.compact)
    try checkOpen()
    try engine.compact()
  }

  public func space() throws(StorageError) -> (bytes: Int, freeBytes: Int)? {
    try checkOpen()
    let figures = try engine.statistics()
    guard let bytes = figures.bytes, let free = figures.freeBytes else { return nil }
    return (bytes, free)
  }

  public func freeDiskBytes() -> Int? { engine.freeDiskBytes() }

  public func commitWatch() throws(StorageError) -> (any CommitWatch)? {
    try checkOpen()
    return try engine.commitWatch()
  }

  public func requireInPlace() throws(StorageError) { try engine.requireInPlace() }

  public func quarantine() throws(StorageError) -> String {
    try checkOpen()
    if isReadOnly { throw .openedForReading }
    let place = try engine.quarantine()
    store.close()
    return place
  }

  public var envelopeSlot: EnvelopeSlot? { engine.envelopeSlot }

  public func rekey(to new: Encryption, _ extent: RekeyExtent) throws(StorageError) {
    try manifest.require(.openEncryption)
    try checkOpen()
    if isReadOnly { throw .openedForReading }
    try engine.rekey(to: new, extent)
  }

  public func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    try manifest.require(.backup)
    try checkOpen()
    try engine.backup(to: path, progress: progress)
  }

  public func check() throws(StorageError) -> [String] {
    try checkOpen()
    var report = DefectReport()
    try report.examine(manifest.name) { report throws(StorageError) in
      for defect in try engine.check() { report.add(defect) }
    }
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    try report.examine("schema") { report throws(StorageError) in
      let schema = SchemaState(try SchemaRecord.read(in: transaction))
      try StoreCheck(TreeAccess(transaction, store.longKeys)).run(schema, &report)
    }
    return report.lines
  }

  public func statistics() throws(StorageError) -> BackendStatistics {
    try checkOpen()
    let transaction = KeyValueBackendReader(try engine.beginRead(), store)
    defer { transaction.end() }
    var models: [BackendStatistics.ModelStatistics] = []
    let tables = try transaction.tables()
    for table in tables.all {
      let rows = try transaction.trees.statistics(of: table.tree)
      var indexes: [BackendStatistics.IndexStatistics] = []
      for index in table.indexes {
        let entries = try transaction.trees.statistics(of: index.tree)
        indexes.append(.init(name: index.schema.name, entries: entries.entries, bytes: entries.bytes))
      }
      models.append(.init(name: table.model.name, rows: rows.entries, bytes: rows.bytes, indexes: indexes))
    }
    let figures = try engine.statistics()
    var details = figures.details
    details["schema format"] = String(tables.schema.format)
    details["encryption"] = engine.envelopeSlot?.description ?? "none"
    details["schema version"] = String(tables.schema.version)
    return BackendStatistics(models: models, bytes: figures.bytes, freeBytes: figures.freeBytes, details: details)
  }

  public func destroy() throws(StorageError) {
    try checkOpen()
    if isReadOnly { throw .openedForReading }
    try engine.destroy()
    store.close()
  }

  public func close() throws(StorageError) {
    guard !store.isClosed else { return }
    store.close()
    try engine.close()
  }

  private func checkOpen() throws(StorageError) {
    if store.isClosed { throw .storeClosed }
  }
}

/// A backend over an engine of ordered trees that is known: the conformance kit makes another one of the same engine behind
/// a decorator.
package protocol EngineBackend: Backend {
  associatedtype Engine: KeyValueEngine
  /// The engine underneath.
  var engine: Engine { get }
}

extension KeyValueBackend: EngineBackend {}
