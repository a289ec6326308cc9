import QuarryBackend
import QuarryConformanceKit
import QuarryCore

extension TextCase {
  /// The case for the kit's runner.
  var conformanceCase: ConformanceCase {
    ConformanceCase(
      id, clauses, summary, needs: needs, without: without, file: line.file, line: line.number
    ) { kit in try run(kit) }
  }

  /// Inserts rows in an order that the run's seed chooses, and asks each query in a transaction of its own.
  private func run(_ kit: ConformanceContext) throws {
    var random = kit.random(line.number)
    var opened: Store?
    func store() throws -> Store {
      if let opened { return opened }
      let store = try kit.open(program: models, at: kit.makePlace())
      opened = store
      return store
    }
    for step in steps {
      switch step {
      case .newStore: opened = nil
      case .rows(let model, let records):
        let shuffled = records.shuffled(using: &random)
        try store().write { try $0.records.insert(into: model, shuffled) }
      case .query(let query): try store().read { try query.ask($0) }
      }
    }
  }
}

extension TextQuery {
  /// Throws unless the transaction gives the answer.
  func ask(_ transaction: ReadTransaction) throws {
    switch answer {
    case .rows(let rows):
      try expectRows(try result(transaction), rows, line.text)
      guard figures == nil else { return }
      // Objects are counted, and the first of them is read, as they are fetched. NOT finds all others.
      var tree = try tree()
      try expectRows(
        try transaction.records.first(tree, columns: columns).map { [row($0)] } ?? [], Array(rows.prefix(1)),
        "the first of \(line.text)")
      try expectCount(transaction, tree, rows.count, "the count of \(line.text)")
      guard condition != nil, limit == nil, offset == 0 else { return }
      tree.predicate = .not(tree.predicate)
      let all = try transaction.records.count(QueryTree(model: model))
      try expectCount(transaction, tree, all - rows.count, "the count of NOT in \(line.text)")
    case .error(let code, let words):
      let error = try expectError(code, line.text, file: line.file, line: line.number) { try result(transaction) }
      // An error names a missing capability, and its text does not.
      let text = "\(error) \(error.capability?.rawValue ?? "")"
      for word in words {
        try expect(
          text.contains(word), "\(line.text): the error does not say \(word): \(text)", file: line.file,
          line: line.number)
      }
    }
  }

  /// As text, so that the sign of a zero, the bits of a NaN and the type of a number count.
  private func expectRows(_ actual: [[Value]], _ expected: [[Value]], _ about: String) throws {
    try expectEqual(
      actual.map(ValueText.list), expected.map(ValueText.list), about, file: line.file, line: line.number)
  }

  private func expectCount(
    _ transaction: ReadTransaction, _ tree: QueryTree, _ expected: Int, _ about: String
  ) throws {
    try expectEqual(try transaction.records.count(tree), expected, about, file: line.file, line: line.number)
  }

  private func result(_ transaction: ReadTransaction) throws -> [[Value]] {
    if let figures {
      return try transaction.records.grouped(
        tree(), by: groups, figures, having: having, sortedBy: groupOrder, limit: groupLimit
      ).map(\.values)
    }
    return try transaction.records.fetch(tree(), columns: columns).map(row)
  }

  private func row(_ record: Record) -> [Value] { columns.map { record[$0] ?? .null } }
}
