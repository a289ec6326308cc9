import QuarryBackend
import QuarryQuery

/// Stores new rows that a migration produces: in batches, one for each model.
final class Inserter {
  /// Bytes of rows that are stored at once.
  static let batchBytes = 1 << 20

  private let writer: any BackendWriteTransaction
  private let limits: WriteLimits
  /// Models that are created next to the stored ones of these names.
  private let made: [ByteString: ModelID]
  /// Gives keys to objects that have none.
  let keys: KeyAssigner
  private var sinks: [ByteString: Sink] = [:]
  private var bindings: [ObjectIdentifier: ModelBinding] = [:]
  /// The model that is being read, to which nothing may be written. Its rows are lent meanwhile: new objects wait until the rows
  /// are returned.
  private var source: ModelID?

  private final class Sink {
    let rows: RecordRows
    var batch = RowBatch()

    init(_ model: ModelSchema) { rows = RecordRows(model) }

    var model: ModelSchema { rows.model }
  }

  /// - Parameters:
  ///   - limits: The limits of the engine.
  ///   - made: The models that are created next to stored ones, by the names that they will have.
  init(_ writer: any BackendWriteTransaction, _ limits: WriteLimits, _ made: [ByteString: ModelID]) {
    self.writer = writer
    self.limits = limits
    self.made = made
    keys = KeyAssigner(writer, GeneratedKeys(writer.schema))
  }

  /// The model that new objects of that name are stored in, under that name.
  func model(_ name: String) throws(StorageError) -> ModelSchema {
    let schema = writer.schema
    if let id = made[ByteString(name)], var model = schema.model(id: id) {
      model.name = name
      return model
    }
    if let model = schema.model(named: name) { return model }
    throw .noModel(name, among: schema.models.map(\.name))
  }

  private func sink(_ name: String) throws(StorageError) -> Sink {
    if let sink = sinks[ByteString(name)] { return sink }
    let sink = Sink(try model(name))
    sinks[ByteString(name)] = sink
    return sink
  }

  private func check(_ sink: Sink) throws(StorageError) {
    if sink.model.id == source {
      throw StorageError(.iterationActive, "the migration is reading the objects of the model", model: sink.model.name)
    }
  }

  /// Adds a row of a model; its bytes are copied.
  func insert(_ row: UnsafeRawBufferPointer, into name: String) throws(StorageError) {
    try insert(row, try sink(name))
  }

  private func insert(_ row: UnsafeRawBufferPointer, _ sink: Sink) throws(StorageError) {
    try check(sink)
    try limits.check(row, sink.rows.layout, sink.model)
    sink.batch.append(row)
    if source == nil, sink.batch.byteCount >= Self.batchBytes { try flush(sink) }
  }

  func insert(_ record: Record, into name: String) throws(StorageError) {
    let sink = try sink(name)
    try check(sink)
    try insert(try sink.rows.row(record), sink)
  }

  func insert<M: Model>(_ object: M) throws(StorageError) {
    let sink = try sink(M.modelDefinition.name)
    let id = ObjectIdentifier(M.self)
    let binding: ModelBinding
    if let known = bindings[id], known.model == sink.model.id {
      binding = known
    } else {
      binding = try ModelBinding(M.anyDefinition, sink.model)
      bindings[id] = binding
    }
    try insert(try ModelEncoder.row(of: object, binding, sink.rows.writer), sink)
  }

  func beginReading(_ model: ModelID) { source = model }
  func endReading() { source = nil }

  /// Stores the batches that are full, where no rows are lent.
  func flushFull() throws(StorageError) {
    for (_, sink) in sinks where sink.batch.byteCount >= Self.batchBytes { try flush(sink) }
  }

  private func flush(_ sink: Sink) throws(StorageError) {
    defer { sink.batch.removeAll() }
    do throws(StorageError) {
      try keys.assign(sink.model.id, &sink.batch)
      if sink.batch.count > 0 { try writer.insert(sink.model.id, sink.batch) }
    } catch {
      // The engine knows the model by another name.
      throw StorageError(
        error.code, error.message, model: sink.model.name, property: error.property, key: error.key, cause: error.cause)
    }
  }

  /// Stores the remaining rows.
  func finish() throws(StorageError) {
    for (_, sink) in sinks.sorted(by: { $0.value.model.id < $1.value.model.id }) { try flush(sink) }
    sinks = [:]
    try keys.flush()
  }
}
