package import QuarryBackend

/// The numbers that the sequences of a store have reached, in a model of Quarry's own.
///
/// A model has a row there once a sequence has given a number, or a key has moved it. Without the row, the sequence continues
/// after the greatest stored key. The row stays when the keys of the model are no longer generated.
package enum SequenceTable {
  /// Creates the table, unless it exists.
  static func make(_ writer: any BackendWriteTransaction) throws(StorageError) {
    if table(writer.schema) == nil { try writer.apply(.createModel(InternalModel.sequences)) }
  }

  /// Makes a change of the schema, and the table if the change needs it. What is renamed keeps the name by which it travels.
  static func apply(_ change: SchemaChange, _ writer: any BackendWriteTransaction) throws(StorageError) {
    switch change {
    case .createModel(let model):
      try writer.apply(change)
      if model.keyGeneration == .sequence { try make(writer) }
    case .changeKeyGeneration(let id, let generation):
      var reached: UInt64 = 0
      if let model = writer.schema.model(id: id) { reached = try last(of: model, in: writer) }
      try writer.apply(change)
      try requireKeys(of: id, writer)
      guard generation == .sequence else { return }
      try make(writer)
      if reached > 0 { try set([(id, reached)], writer) }
    case .dropModel(let id):
      try writer.apply(change)
      if let table = table(writer.schema) { _ = try writer.delete(table.id, [key(of: id, table)]) }
    default:
      let kept = writer.schema.keepingTravelName(at: change)
      try writer.apply(change)
      if let kept { try writer.apply(kept) }
    }
  }

  /// The greatest number that was given as a key of a model, or that a stored key is; 0 where there is none.
  package static func last(
    of model: ModelSchema, in transaction: any BackendReadTransaction
  ) throws(StorageError) -> UInt64 {
    var given: UInt64 = 0
    if let table = table(transaction.schema) {
      let layout = RowLayout(table)
      let found = try key(of: model.id, table).bytes.withBytes { key throws(StorageError) -> UInt64? in
        guard let row = try transaction.row(table.id, key) else { return nil }
        return try RowView(row, layout).value(layout.slots[1], layout).number
      }
      if model.keyGeneration == .sequence, let found { return found }
      given = found ?? 0
    }
    return max(given, try greatestKey(of: model, in: transaction))
  }

  /// Stores the greatest numbers that were given as keys of models.
  static func set(
    _ numbers: [(model: ModelID, last: UInt64)], _ writer: any BackendWriteTransaction
  ) throws(StorageError) {
    guard !numbers.isEmpty else { return }
    try make(writer)
    guard let table = table(writer.schema) else { return }
    let rows = RecordRows(table)
    var batch = RowBatch()
    for (model, last) in numbers {
      batch.append(
        try rows.row(Record([("id", .int(Int64(model.rawValue))), ("last", Value(unsigned: last))])))
    }
    _ = try writer.upsert(table.id, batch, .replace)
  }

  private static func table(_ schema: Schema) -> ModelSchema? {
    schema.models.first { $0.isSequences }
  }

  private static func key(of model: ModelID, _ table: ModelSchema) throws(StorageError) -> Key {
    try Key.primary(.int(Int64(model.rawValue)), table)
  }

  private static func greatestKey(
    of model: ModelSchema, in transaction: any BackendReadTransaction
  ) throws(StorageError) -> UInt64 {
    let query = BoundQuery(
      model: model.id, order: [BoundSortKey(slot: model.primaryKey, isDescending: true)], limit: 1,
      projection: [model.primaryKey])
    let cursor = try transaction.cursor(query)
    defer { cursor.close() }
    let rows = RowPointers()
    guard try cursor.fill(rows.buffer) > 0, let row = rows.buffer.first else { return 0 }
    let layout = RowLayout(model)
    return try RowView(row, layout).value(layout.keySlot, layout).number ?? 0
  }

  /// - Throws: `invalidValue` for a model with an object whose key is zero, where zero means no key.
  private static func requireKeys(
    of id: ModelID, _ writer: any BackendWriteTransaction
  ) throws(StorageError) {
    guard let model = writer.schema.model(id: id), let generation = model.keyGeneration else { return }
    let zero = generation.missingKey
    let key = try Key.primary(zero, model)
    guard try writer.missing(id, [key]).isEmpty else { return }
    throw StorageError(
      .invalidValue, "keys cannot be generated: an object has the key 0, which stands for a missing key",
      model: model.name, property: model.keyProperty.name, key: KeyText.text(zero))
  }
}

extension KeyGeneration {
  /// The key of an object that has none yet.
  package var missingKey: Value {
    switch self {
    case .sequence: .int(0)
    case .uuid: .uuid(.missing)
    }
  }
}

extension Value {
  /// A number as the values of an unsigned type are.
  fileprivate init(unsigned number: UInt64) {
    self = Int64(exactly: number).map { .int($0) } ?? .uint(number)
  }

  /// The number, 0 for a negative one.
  fileprivate var number: UInt64? {
    switch self {
    case .int(let number): UInt64(exactly: number) ?? 0
    case .uint(let number): number
    default: nil
    }
  }
}
