package import QuarryBackend
package import QuarryCore
package import QuarryQuery

/// One type in every kind of column: with and without nil, without an index, with one in either direction. The rows are
/// looked at inside the transaction that writes half of them, after it, and in a frozen store that is written over.
package struct ColumnTable {
  /// What a case looks at: a transaction, the columns to ask about, and what is there.
  package struct View {
    package let name: String
    package let transaction: ReadTransaction
    package let columns: [String]
    package let rows: [Record]
    private let turns: Turns

    package init(
      name: String, transaction: ReadTransaction, columns: [String], rows: [Record], turns: Turns = .all
    ) {
      self.name = name
      self.transaction = transaction
      self.columns = columns
      self.rows = rows
      self.turns = turns
    }

    /// Throws unless the query gives what the reference says, in its order. A quick run asks a part of the queries.
    ///
    /// - Parameter plain: A query that means the same and that the reference answers more quickly.
    package func expectRows(
      _ query: QueryTree, as plain: QueryTree? = nil, file: String = #fileID, line: Int = #line
    ) throws {
      guard turns.next() else { return }
      let expected = Reference.rows(plain ?? query, from: rows).map { $0["id"] ?? .null }
      let actual = try transaction.records.fetch(query, columns: ["id"]).map { $0["id"] ?? .null }
      // Told only to who asks: writing queries down took a tenth of a run.
      try expectEqual(actual, expected, "\(name): \(plain ?? query)", file: file, line: line)
    }

    package func expectRows(_ predicate: PredicateTree, file: String = #fileID, line: Int = #line) throws {
      try expectRows(QueryTree(model: ColumnTable.name, predicate: predicate), file: file, line: line)
    }
  }

  package static let name = "Columns"

  package static func model(_ type: PropertyType) -> ModelSchema {
    ModelSchema(
      name: name,
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "plain", type: type, isOptional: true),
        PropertySchema(name: "indexed", type: type, isOptional: true),
        PropertySchema(name: "falling", type: type, isOptional: true), PropertySchema(name: "present", type: type),
        PropertySchema(name: "presentIndexed", type: type),
      ],
      primaryKey: 0,
      indexes: [
        IndexSchema(name: "indexed", columns: [.init(slot: 2)]),
        IndexSchema(name: "falling", columns: [.init(slot: 3, isDescending: true)]),
        IndexSchema(name: "presentIndexed", columns: [.init(slot: 5)]),
      ])
  }

  /// A row for each value twice and for nil, in no particular order of keys.
  package static func rows(_ values: [Value]) -> [Record] {
    let all: [Value] = [.null] + values + values.reversed() + [.null]
    return all.enumerated().map { place, value in
      let present = value.isNull ? values[place % values.count] : value
      return Record([
        "id": .int(Int64(place * 7 % 31 + place * 31)), "plain": value, "indexed": value, "falling": value,
        "present": present, "presentIndexed": present,
      ])
    }
  }

  /// Calls the body with the table in each of its states.
  package static func inspect(
    _ kit: ConformanceContext, _ type: PropertyType, _ values: [Value]? = nil, _ body: (View) throws -> Void
  ) throws {
    let store = try kit.store(making: [model(type)])
    let rows = rows(values ?? Samples.values(type))
    let half = rows.count / 2
    // Rows that the transaction removes again must not be found, in no index either.
    let removed = rows.prefix(half).enumerated().map { place, row in
      Record([("id", .int(Int64(-1 - place)))] + row.fields.dropFirst())
    }
    try store.write { try $0.records.insert(into: name, rows.prefix(half) + removed) }
    try store.write { tx in
      try tx.records.insert(into: name, rows.dropFirst(half))
      let isRemoved = PredicateTree.compare(.property(PropertyPath("id")), .less, .value(.int(0)))
      try expectEqual(try tx.records.delete(QueryTree(model: name, predicate: isRemoved)), removed.count)
      let turns = Turns(kit)
      try body(View(name: "while written", transaction: tx, columns: ["indexed", "present"], rows: rows, turns: turns))
    }
    let all = ["plain", "indexed", "falling", "present", "presentIndexed"]
    try store.read {
      try body(View(name: "after commit", transaction: $0, columns: all, rows: rows, turns: Turns(kit, offset: 1)))
    }
    let frozen = try store.freeze()
    defer { frozen.close() }
    try store.write { _ = try $0.records.delete(QueryTree(model: name)) }
    try frozen.read {
      let turns = Turns(kit, offset: 2)
      try body(View(name: "frozen", transaction: $0, columns: ["plain", "falling"], rows: rows, turns: turns))
    }
  }
}

extension ConformanceContext {
  /// A new store with these models, which have no Swift types.
  package func store(making models: [ModelSchema]) throws -> Store {
    let store = try open([], at: makePlace())
    try store.write { tx in
      for model in models { try tx.apply(.createModel(model)) }
    }
    return store
  }
}

extension Operand {
  /// A property by its name.
  package static func named(_ name: String) -> Operand { .property(PropertyPath(name)) }
}
