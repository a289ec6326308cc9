import QuarryBackend

/// What an unfinished copy says of itself: a model of one object in the destination, which goes with the last transaction of
/// the copy.
struct CopyMark: Equatable {
  /// Which state of which source is copied.
  var source: String
  /// How many models are whole, with their indexes.
  var models: Int

  static let name = "unfinished copy"
  static let key = Value.int(1)

  static let model = ModelSchema(
    name: name,
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "source", type: .string),
      PropertySchema(name: "models", type: .int64),
    ], primaryKey: 0)

  /// The mark of a state; nil where there is none.
  ///
  /// - Throws: `corrupt` when it cannot be read.
  init?(_ transaction: any BackendReadTransaction) throws(StorageError) {
    guard let model = transaction.schema.model(named: Self.name) else { return nil }
    let layout = RowLayout(model)
    let found = try Key.primary(Self.key, model).bytes.withBytes { key throws(StorageError) -> [Value]? in
      guard let row = try transaction.row(model.id, key) else { return nil }
      return try ReadTransaction.values(row, model.liveSlots, layout, model)
    }
    guard let found, found.count == 3, case .string(let source) = found[1], let models = found[2].integer else {
      // Begun, and ended before anything was copied.
      self.init(source: "", models: 0)
      return
    }
    self.init(source: source, models: Int(models))
  }

  init(source: String, models: Int) {
    self.source = source
    self.models = models
  }

  /// Stores the mark in the place of the last one.
  func write(_ writer: EngineWriter) throws(StorageError) {
    if writer.engine.schema.model(named: Self.name) == nil { try writer.apply(.createModel(Self.model)) }
    guard let model = writer.engine.schema.model(named: Self.name) else { return }
    let rows = RecordRows(model)
    var batch = RowBatch()
    batch.append(
      try rows.row(Record([("id", Self.key), ("source", .string(source)), ("models", Value(integer: models))])))
    _ = try writer.upsert(model.id, batch, .replace)
  }
}

extension Schema {
  /// - Throws: `schemaMismatch` for a copy that was not finished: nobody shall take a part of a store for the whole.
  func requireWhole() throws(StorageError) {
    guard model(named: CopyMark.name) != nil else { return }
    throw StorageError(
      .schemaMismatch, "the store is an unfinished copy: copy once more, which goes on with it, or remove it")
  }
}
