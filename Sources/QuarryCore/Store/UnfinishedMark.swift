import QuarryBackend

/// The work that brings the objects of a new store.
package enum FillingWork: String, Sendable {
  case copy, restore
  case importing = "import"
}

/// The mark of an unfinished store: a model with one object, removed by the transaction that makes the store whole. The store has
/// it from its first moment.
struct UnfinishedMark: Equatable {
  /// The work that brings the objects.
  var work: FillingWork
  /// The source and its state that are copied; empty before the first object.
  var source = ""
  /// The number of models that are whole, with their indexes.
  var models = 0
  /// The number of the next model's objects that exist: its first ones.
  var rows = 0
  /// The sum of all existing objects (``ModelDigest``), so that a copy continues only with the same objects.
  var sum: UInt128 = 0

  /// The source of a copy that was compared and found to differ: nothing of it is used.
  static let differing = "differs"

  private static let key = Value.int(1)
  private static var model: ModelSchema { InternalModel.unfinished }

  init(_ work: FillingWork, source: String = "") {
    self.work = work
    self.source = source
  }

  /// The mark of a state; nil where there is none.
  ///
  /// - Throws: `corrupt` when it cannot be read.
  init?(_ transaction: any BackendReadTransaction) throws(StorageError) {
    let schema = transaction.schema
    if let model = schema.models.first(where: \.isUnfinishedMark) {
      let found = try Self.values(of: model, in: transaction) ?? []
      guard found.count == Self.model.properties.count, case .string(let work) = found[1],
        let work = FillingWork(rawValue: work), case .string(let source) = found[2], let models = found[3].integer,
        let rows = found[4].integer, case .string(let sum) = found[5], let sum = UInt128(sum, radix: 16),
        let models = Int(exactly: models), let rows = Int(exactly: rows), models >= 0, rows >= 0
      else { throw StorageError(.corrupt, "the mark of an unfinished store cannot be read") }
      self.init(work, source: source)
      (self.models, self.rows, self.sum) = (models, rows, sum)
      return
    }
    guard try OldCopyMark.isThere(in: transaction) else { return nil }
    self.init(.copy, source: OldCopyMark.source)
  }

  /// Stores the mark in the place of the last one.
  func write(_ writer: any BackendWriteTransaction) throws(StorageError) {
    if !writer.schema.models.contains(where: \.isUnfinishedMark) { try writer.apply(.createModel(Self.model)) }
    guard let model = writer.schema.models.first(where: \.isUnfinishedMark) else { return }
    let rows = RecordRows(model)
    var batch = RowBatch()
    let record = Record([
      ("id", Self.key), ("work", .string(work.rawValue)), ("source", .string(source)),
      ("models", Value(integer: models)), ("rows", Value(integer: self.rows)), ("sum", .string(String(sum, radix: 16))),
    ])
    batch.append(try rows.row(record))
    _ = try writer.upsert(model.id, batch, .replace)
  }

  /// Removes the mark, where there is one.
  static func remove(_ writer: any BackendWriteTransaction) throws(StorageError) {
    for model in writer.schema.models where model.isUnfinishedMark { try writer.apply(.dropModel(model.id)) }
  }

  /// The values of the object of a mark.
  fileprivate static func values(
    of model: ModelSchema, in transaction: any BackendReadTransaction
  ) throws(StorageError) -> [Value]? {
    let layout = RowLayout(model)
    return try Key.primary(key, model).bytes.withBytes { key throws(StorageError) -> [Value]? in
      guard let row = try transaction.row(model.id, key) else { return nil }
      return try ReadTransaction.values(row, model.liveSlots, layout, model)
    }
  }
}

/// The mark of an unfinished copy as versions before 0.2 have stored it: a model whose name a user may give, too.
private enum OldCopyMark {
  private static let model = ModelSchema(
    name: "unfinished copy",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "source", type: .string),
      PropertySchema(name: "models", type: .int64),
    ], primaryKey: 0)

  /// A name that no source has now: such a copy begins again.
  static let source = "of an older version"

  /// Whether the state has it: the declaration, and its one object with a text that those versions wrote.
  static func isThere(in transaction: any BackendReadTransaction) throws(StorageError) -> Bool {
    guard let found = transaction.schema.model(named: model.name), found.properties == model.properties,
      found.primaryKey == model.primaryKey, found.indexes.isEmpty,
      try transaction.count(BoundQuery(everyRowOf: found)) == 1,
      let values = try? UnfinishedMark.values(of: found, in: transaction), values.count == 3,
      case .string(let text) = values[1], values[2].integer != nil
    else { return false }
    return text.isEmpty || isSource(text)
  }

  /// A version, a hash in hexadecimal digits, and the objects of each model.
  private static func isSource(_ text: String) -> Bool {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    return parts.count == 3 && UInt64(parts[0]) != nil && UInt64(parts[1], radix: 16) != nil
      && (parts[2].isEmpty || parts[2].split(separator: ",").allSatisfy { Int($0) != nil })
  }
}

extension UnfinishedMark {
  /// - Throws: `schemaMismatch` for a store that is not whole, so that no program takes a part of a store for the whole.
  static func requireWhole(_ transaction: any BackendReadTransaction) throws(StorageError) {
    if let mark = try UnfinishedMark(transaction) { throw mark.refusal }
  }

  /// The error for a program that opens an unfinished store.
  var refusal: StorageError {
    switch work {
    case .copy:
      StorageError(
        .schemaMismatch, "the store is an unfinished copy: copy again to continue it, or remove the store")
    case .restore:
      StorageError(
        .schemaMismatch, "the store is unfinished: a restore ended early. Restore again, or remove the store")
    case .importing:
      StorageError(
        .schemaMismatch, "the store is unfinished: an import ended early. Import again, or remove the store")
    }
  }
}
