import QuarryBackend

@testable import QuarrySync

/// A local transaction over the tables, with the rules of the contract for references and unique indexes.
struct Draft {
  let before: [ObjectID: SyncRow]
  private(set) var rows: [ObjectID: SyncRow]
  private let schema: SyncSchema
  private var seeds: Set<ObjectID> = []

  init(_ replica: SyncReplica) {
    before = replica.tables
    rows = replica.tables
    schema = replica.schema
  }

  mutating func insert(_ object: ObjectID, _ row: SyncRow, isSeed: Bool = false) -> Bool {
    guard rows[object] == nil, let model = schema.models[object.model] else { return false }
    var stored: SyncRow = [:]
    for column in model.columns {
      stored[column.name] =
        isSeed && column.rule == .counter ? column.defaultValue : row[column.name] ?? column.defaultValue
    }
    rows[object] = stored
    if isSeed { seeds.insert(object) }
    return true
  }

  mutating func update(_ object: ObjectID, _ changes: SyncRow) -> Bool {
    guard let row = rows[object], let model = schema.models[object.model] else { return false }
    rows[object] = row.merging(changes.filter { model.column($0.key) != nil }) { $1 }
    return true
  }

  mutating func delete(_ object: ObjectID) -> Bool {
    guard rows[object] != nil else { return false }
    var todo = [object]
    var gone: Set<ObjectID> = []
    while let next = todo.popLast() {
      guard rows.removeValue(forKey: next) != nil else { continue }
      gone.insert(next)
      for (child, column, rule) in references(to: next) {
        if rule == .cascade { todo.append(child) }
        if rule == .nullify { rows[child]?[column] = .null }
      }
    }
    seeds.subtract(gone)
    return !gone.contains { references(to: $0).contains { $0.2 == .deny } }
  }

  private func references(to object: ObjectID) -> [(ObjectID, SyncName, SyncDeleteRule)] {
    (schema.referrers[object.model] ?? []).flatMap { model, column in
      let rule = schema.models[model]?.column(column)?.reference?.rule
      return rows.filter { $0.key.model == model && $0.value[column] == object.key }.keys.compactMap { child in
        rule.map { (child, column, $0) }
      }
    }
  }

  var changes: [LocalChange] {
    Set(before.keys).union(rows.keys).map {
      LocalChange($0, before: before[$0], after: rows[$0], isSeed: seeds.contains($0))
    }
  }

  /// Records the transaction, unless it breaks a constraint.
  func commit(_ replica: inout SyncReplica) throws -> SyncEntry? {
    Integrity.problems(rows, schema).isEmpty ? try replica.record(changes) : nil
  }
}

/// A check of tables that knows nothing of the view.
enum Integrity {
  static func problems(_ tables: [ObjectID: SyncRow], _ schema: SyncSchema) -> [String] {
    var found: [String] = []
    var seen: Set<ClaimedValues> = []
    for (object, row) in tables {
      guard let model = schema.models[object.model] else { continue }
      for column in model.columns {
        let value = row[column.name] ?? .null
        if value.isNull {
          if !column.isOptional { found.append("\(object).\(column.name.text) is nil") }
        } else if let reference = column.reference, tables[ObjectID(reference.model, value)] == nil {
          found.append("\(object).\(column.name.text) leads to \(value), which is not there")
        }
      }
      for (index, columns) in model.uniques.enumerated() {
        let values = columns.map { row[$0] ?? .null }
        guard !values.contains(where: \.isNull) else { continue }
        if !seen.insert(ClaimedValues(model: object.model, index: index, values: values)).inserted {
          found.append("\(object) has values of \(index) that are taken: \(values)")
        }
      }
    }
    return found
  }
}
