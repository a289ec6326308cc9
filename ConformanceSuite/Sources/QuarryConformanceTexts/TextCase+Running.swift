import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

extension TextCase {
  /// The case for the kit's runner.
  func conformanceCase(_ file: String) -> ConformanceCase {
    ConformanceCase(id, clauses, summary, needs: needs, file: file, line: line) { kit in
      for part in stores { try run(part, kit, file) }
    }
  }

  /// The steps of each store.
  private var stores: [[Step]] {
    var stores: [[Step]] = [[]]
    for step in steps {
      if case .newStore = step { stores.append([]) } else { stores[stores.count - 1].append(step) }
    }
    return stores
  }

  /// Inserts rows. Asks the queries that follow them inside the transaction that inserts the second half, after it, and in a
  /// frozen store. Before the last frozen store is read, the store loses its rows.
  private func run(_ steps: [Step], _ kit: ConformanceContext, _ file: String) throws {
    let store = try kit.store(making: models)
    var index = 0
    while index < steps.count {
      var rows: [(model: String, records: [Record])] = []
      while index < steps.count, case .rows(let model, let records) = steps[index] {
        rows.append((model, records))
        index += 1
      }
      var queries: [TextQuery] = []
      while index < steps.count, case .query(let query) = steps[index] {
        queries.append(query)
        index += 1
      }
      try store.write { tx in
        for (model, records) in rows { try tx.records.insert(into: model, records.prefix(records.count / 2)) }
      }
      try store.write { tx in
        for (model, records) in rows { try tx.records.insert(into: model, records.dropFirst(records.count / 2)) }
        for query in queries {
          // An error may end a transaction.
          if case .rows = query.answer { try query.ask(tx, "while written", file) }
        }
      }
      try store.read { tx in for query in queries { try query.ask(tx, "after commit", file) } }
      guard kit.manifest.capabilities[.snapshots]?.isSupported == true else { continue }
      let frozen = try store.freeze()
      defer { frozen.close() }
      if index == steps.count {
        try store.write { tx in for model in models { _ = try tx.records.delete(QueryTree(model: model.name)) } }
      }
      try frozen.read { tx in for query in queries { try query.ask(tx, "frozen", file) } }
    }
  }
}

extension TextQuery {
  /// Throws unless the transaction gives the answer.
  func ask(_ transaction: ReadTransaction, _ about: String, _ file: String) throws {
    switch answer {
    case .error(let code):
      try expectError(code, "\(about): \(tree)", file: file, line: line) { try result(transaction) }
    case .rows(let rows):
      // As text, so that the bits of zero and the type of a number count, and NaN is equal to itself.
      try expectEqual(
        try result(transaction).map(ValueText.list), rows.map(ValueText.list), "\(about): \(tree)", file: file,
        line: line)
    }
  }

  private func result(_ transaction: ReadTransaction) throws -> [[Value]] {
    if isAggregate {
      let figures = columns.map { (function: $0.function ?? .count, property: $0.property) }
      return try transaction.records.aggregate(tree, groupedBy: groups, figures).map { $0.groups + $0.values }
    }
    let names = columns.compactMap(\.property)
    return try transaction.records.fetch(tree, columns: names).map { record in names.map { record[$0] ?? .null } }
  }
}
