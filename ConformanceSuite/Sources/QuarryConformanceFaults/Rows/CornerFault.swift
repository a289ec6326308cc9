import Foundation
import QuarryBackend

/// Rules that are kept nearly everywhere and broken in one corner: of values, keys, indexes or what is older.
enum CornerFault: String, FaultGroup, Twist {
  static let group = "corner"

  case notNestedSkipsNil, notTextSkipsNil, nanKeyIsGreater, nilFoundOnce, pageSkipsPrefix, zeroKeepsSign
  case averageInDoubles, decimalAverageInDoubles, updateResetsNaNs, droppedIsChanged, renameLosesIndex
  case schemaVersionStays, emptyKeyLost

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .notNestedSkipsNil:
      ("NOT of a comparison with a member is false where the member is nil.", ["NEST-10", "PRED-4"])
    case .notTextSkipsNil: ("NOT of the equality of folded text is false of nil, as in SQL.", ["PRED-4"])
    case .nanKeyIsGreater: ("A primary key that is NaN is greater than a constant.", ["PRED-7"])
    case .nilFoundOnce: ("A unique index that is asked for nil in a column finds one object.", ["IDX-5"])
    case .pageSkipsPrefix: ("A page in descending order lacks the text that the last one begins with.", ["PAGE-4"])
    case .zeroKeepsSign: ("The least or the greatest value is -0.0 where it is a zero.", ["AGG-6"])
    case .averageInDoubles: ("The average of integers is that of the nearest Double of their sum.", ["AGG-7"])
    case .decimalAverageInDoubles: ("The average of decimals has the digits of a Double.", ["AGG-7"])
    case .updateResetsNaNs: ("An update of some properties makes other NaNs the common one.", ["VAL-7"])
    case .droppedIsChanged: ("After a property was dropped every object counts as changed.", ["SCH-7", "CRUD-9"])
    case .renameLosesIndex: ("A compound unique index is lost when its model is renamed.", ["SCH-7", "IDX-1"])
    case .schemaVersionStays: ("The schema has one version, whatever was changed.", ["SCH-2", "MP-4"])
    case .emptyKeyLost: ("A savepoint that is undone does not bring back the object with an empty key.", ["TXN-3"])
    }
  }

  // MARK: Queries

  func query(_ query: BoundQuery, _ schema: Schema) -> BoundQuery {
    guard let model = schema.model(id: query.model) else { return query }
    var query = query
    if self == .nilFoundOnce, Self.isLookedUpForNil(query.predicate, model) { query.limit = min(query.limit ?? 1, 1) }
    query.predicate = query.predicate.rewritten { changed($0, model) }
    return query
  }

  private static func isLookedUpForNil(_ predicate: BoundPredicate, _ model: ModelSchema) -> Bool {
    guard case .and(let parts) = predicate else { return false }
    var slots: Set<Int> = []
    var hasNil = false
    for part in parts {
      switch part {
      case .isNull(let slot):
        slots.insert(slot)
        hasNil = true
      case .compare(let slot, .equal, _): slots.insert(slot)
      default: return false
      }
    }
    return hasNil && model.indexes.contains { $0.isUnique && Set($0.columns.map(\.slot)) == slots }
  }

  private func changed(_ part: BoundPredicate, _ model: ModelSchema) -> BoundPredicate {
    switch (self, part) {
    case (.notNestedSkipsNil, .not(.nested(let slot, .compare(let path, _, _)))):
      return .and([part, .nested(slot: slot, .compare(path: path, .notEqual, .null))])
    case (.notTextSkipsNil, .not(.function(_, let call))) where call.search?.operation == .equal: return part.ofNoNil
    case (.nanKeyIsGreater, .compare(let slot, .greater, _)),
      (.nanKeyIsGreater, .compare(let slot, .greaterOrEqual, _)):
      guard slot == model.primaryKey else { return part }
      return .or([part, .compareSlots(slot, .notEqual, slot)])
    case (.pageSkipsPrefix, .after(let keys, let values)):
      guard let key = keys.first, key.isDescending, case .string(let text) = values.first, !text.isEmpty else {
        return part
      }
      let beginning = String(String.UnicodeScalarView(text.unicodeScalars.dropLast()))
      return .and([part, .compare(slot: key.slot, .notEqual, .string(beginning))])
    default: return part
    }
  }

  // MARK: Aggregates

  func aggregate(_ tx: Reader, _ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    var rows = try tx.aggregate(aggregate)
    guard aggregate.groups.isEmpty, rows.count == 1 else { return rows }
    for (place, column) in aggregate.columns.enumerated() {
      let value = rows[0].values[place]
      switch (self, column.function, value) {
      case (.zeroKeepsSign, .min, .double(0)), (.zeroKeepsSign, .max, .double(0)): rows[0].values[place] = .double(-0.0)
      case (.zeroKeepsSign, .min, .float(0)), (.zeroKeepsSign, .max, .float(0)): rows[0].values[place] = .float(-0.0)
      case (.averageInDoubles, .average, .double):
        var parts = aggregate
        parts.columns = [.init(.sum, slot: column.slot), .init(.count, slot: column.slot)]
        guard let total = try? tx.aggregate(parts).first?.values, let sum = total[0].integer,
          let count = total[1].integer
        else { continue }
        rows[0].values[place] = .double(Double(sum) / Double(count))
      case (.decimalAverageInDoubles, .average, .decimal(let decimal)):
        rows[0].values[place] = .decimal(Decimal(NSDecimalNumber(decimal: decimal).doubleValue))
      default: break
      }
    }
    return rows
  }

  // MARK: Writing

  func update(_ tx: Writer, _ update: RowUpdate) throws(StorageError) {
    let coding = try RowCoding(tx.schema, update.model)
    if self == .droppedIsChanged, update.expected != nil, coding.model.properties.contains(where: \.isDropped) {
      throw StorageError(.conflict, "the object was changed", model: coding.model.name)
    }
    try update.run(tx)
    guard self == .updateResetsNaNs, let slots = update.slots else { return }
    let key = try coding.key(coding.values(update.row))
    let stored = try Row(key.bytes).lend { (key) throws(StorageError) in
      try tx.row(update.model, key).map { Row(copying: $0) }
    }
    guard let values = try stored?.lend({ (row) throws(StorageError) in try coding.values(row) }) else { return }
    let reset = values.enumerated().map { slot, value in slots.contains(slot) ? value : value.withCommonNaN }
    try coding.row(reset).lend { (row) throws(StorageError) in
      try RowUpdate(model: update.model, row: row, slots: nil, expected: nil, expectedSlots: nil).run(tx)
    }
  }

  func rollbackSavepoint(_ tx: Writer) throws(StorageError) {
    guard self == .emptyKeyLost else { return try tx.rollbackSavepoint() }
    let empty = Key(copying: UnsafeRawBufferPointer(start: nil, count: 0))
    var gone: [ModelID] = []
    for model in tx.schema.models where [.string, .data].contains(model.keyProperty.type) {
      if try Self.isMissing(tx, model.id) { gone.append(model.id) }
    }
    try tx.rollbackSavepoint()
    for model in gone where tx.schema.model(id: model) != nil { _ = try tx.delete(model, [empty]) }
  }

  private static func isMissing(_ tx: Writer, _ model: ModelID) throws(StorageError) -> Bool {
    try Row([]).lend { (key) throws(StorageError) in try tx.row(model, key) == nil }
  }

  // MARK: Schema

  func apply(_ tx: Writer, _ change: SchemaChange) throws(StorageError) {
    try tx.apply(change)
    guard self == .renameLosesIndex, case .renameModel(let id, _) = change, let model = tx.schema.model(id: id) else {
      return
    }
    for index in model.indexes where index.isUnique && index.columns.count > 1 {
      try tx.apply(.dropIndex(id, index: index.id))
    }
  }

  func schema(_ tx: Reader) -> Schema {
    var schema = tx.schema
    if self == .schemaVersionStays { schema.version = 1 }
    return schema
  }
}

extension Value {
  /// The common NaN for one, else the value itself.
  fileprivate var withCommonNaN: Value {
    switch self {
    case .double(let number): number.isNaN ? inGroupForm : self
    case .float(let number): number.isNaN ? inGroupForm : self
    case .date(let date): date.timeIntervalSinceReferenceDate.isNaN ? inGroupForm : self
    default: self
    }
  }
}
