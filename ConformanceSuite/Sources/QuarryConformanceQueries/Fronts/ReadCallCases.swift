import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Every call that reads, on every scope: in a transaction, on a store and on a frozen store, by a thread and by a task.
enum ReadCallCases {
  /// The answers to calls as text, by the names of the calls.
  private struct Answers: Sendable {
    private(set) var list: [(call: String, answer: String)] = []

    mutating func add<Answer>(_ call: String, _ answer: Answer) {
      list.append((call, "\(answer)"))
    }
  }

  private typealias Calls = @Sendable (any ReadScope) throws -> Answers
  private typealias AwaitedCalls = @Sendable (any ReadableStore) async throws -> Answers

  private static let items: [Item] = (0..<30).map {
    Item($0, rank: $0 % 5 == 0 ? nil : $0 % 4, name: "n\($0 % 3)", score: Double($0) / 2, tags: ["t\($0 % 2)"])
  }

  private static var some: Query<Item> { Item.where { $0.id >= 7 }.sorted(by: \.name).limit(9) }
  private static var paged: Query<Item> { Item.where { $0.id >= 7 }.sorted(by: \.name) }
  private static var rows: QueryTree {
    QueryTree(model: "Item", predicate: .compare(.named("id"), .less, .value(.int(4))))
  }

  static let all: [ConformanceCase] = [
    reads("objects", "objects and keys", { try objects($0) }, { try await objects($0) }),
    reads("figures", "figures and groups", { try figures($0) }, { try await figures($0) }),
    reads("records", "records", { try records($0) }, { try await records($0) }),
    reads("mapped", "mapped values", { try mapped($0) }, { try await mapped($0) }), streams,
  ]

  private static func reads(
    _ id: String, _ what: String, _ calls: @escaping Calls, _ awaited: @escaping AwaitedCalls
  ) -> ConformanceCase {
    ConformanceCase(
      "FRONT.calls-\(id)", ["CRUD-14", "PRED-12"],
      "Calls that read \(what) give the same in a transaction, on a store and on a frozen store, to threads and tasks.",
      needs: [.snapshots], within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      try await store.insert(contentsOf: items)
      let frozen = try store.freeze()
      defer { frozen.close() }
      let due = try await store.read { try calls($0) }
      try expectAnswers(Self.inWrite(store, calls), due, "in a write")
      for (front, reading) in [("store", store as any ReadableStore), ("frozen store", frozen)] {
        try expectAnswers(calls(reading), due, "on a \(front)")
        let given = try await awaited(reading)
        try expectAnswers(given, due, "on a \(front) by a task")
      }
      let different = Set(due.list.map(\.answer))
      try expect(different.count * 2 > due.list.count, "the calls give too much alike: \(different)")
    }
  }

  private static func inWrite(_ store: Store, _ calls: Calls) throws -> Answers { try store.write { try calls($0) } }

  private static func expectAnswers(_ answers: Answers, _ due: Answers, _ place: String) throws {
    try expectEqual(answers.list.map(\.call), due.list.map(\.call), place)
    for (given, expected) in zip(answers.list, due.list) {
      try expectEqual(given.answer, expected.answer, "\(given.call) \(place)")
    }
  }

  private static func objects(_ scope: some ReadScope) throws -> Answers {
    var answers = Answers()
    answers.add("get", try scope.get(Item.self, 3))
    answers.add("get keys", try scope.get(Item.self, keys: [4, 99, 2]))
    answers.add("exists", try scope.exists(Item.self, 3))
    answers.add("exists query", try scope.exists(Item.where { $0.id > 90 }))
    answers.add("fetch", try scope.fetch(some))
    answers.add("fetch all", try scope.fetch(Item.all))
    answers.add("first", try scope.first(some))
    answers.add("count", try scope.count(paged))
    answers.add("count all", try scope.count(Item.all))
    answers.add("keys", try scope.keys(some))
    answers.add("select", try scope.select(some, \.id, \.rank))
    var ids: [Int] = []
    try scope.forEach(some) { ids.append($0.id * 2) }
    answers.add("forEach", ids)
    answers.add("frozen", try scope.frozen(some).map(\.name))
    answers.add("frozen key", try scope.frozen(Item.self, 5)?.thawed())
    answers.add("page", try scope.page(paged, size: 4).elements)
    answers.add("explain", try scope.explain(some))
    return answers
  }

  private static func objects(_ scope: some ReadableStore) async throws -> Answers {
    var answers = Answers()
    answers.add("get", try await scope.get(Item.self, 3))
    answers.add("get keys", try await scope.get(Item.self, keys: [4, 99, 2]))
    answers.add("exists", try await scope.exists(Item.self, 3))
    answers.add("exists query", try await scope.exists(Item.where { $0.id > 90 }))
    answers.add("fetch", try await scope.fetch(some))
    answers.add("fetch all", try await scope.fetch(Item.all))
    answers.add("first", try await scope.first(some))
    answers.add("count", try await scope.count(paged))
    answers.add("count all", try await scope.count(Item.all))
    answers.add("keys", try await scope.keys(some))
    answers.add("select", try await scope.select(some, \.id, \.rank))
    let seen = SeenNumbers()
    try await scope.forEach(some) { seen.add($0.id * 2) }
    answers.add("forEach", seen.all)
    answers.add("frozen", try await scope.frozen(some).map(\.name))
    answers.add("frozen key", try await scope.frozen(Item.self, 5)?.thawed())
    answers.add("page", try await scope.page(paged, size: 4).elements)
    answers.add("explain", try await scope.explain(some))
    return answers
  }

  private static func figures(_ scope: some ReadScope) throws -> Answers {
    var answers = Answers()
    answers.add("sum", try scope.sum(some, of: \.rank))
    answers.add("average", try scope.average(some, of: \.score))
    answers.add("min", try scope.min(some, of: \.score))
    answers.add("min of optionals", try scope.min(some, of: \.rank) as Int?)
    answers.add("max", try scope.max(some, of: \.score))
    answers.add("max of optionals", try scope.max(some, of: \.rank) as Int?)
    answers.add("distinct", try scope.distinct(paged, \.name))
    answers.add("count by", try scope.count(paged, by: \.name))
    answers.add("sum by", try scope.sum(paged, of: \.rank, by: \.name))
    answers.add("average by", try scope.average(paged, of: \.score, by: \.name))
    answers.add("min by", try scope.min(paged, of: \.score, by: \.rank))
    answers.add("max by", try scope.max(paged, of: \.score, by: \.rank))
    answers.add("grouped", try scope.grouped(some, by: \.rank))
    return answers
  }

  private static func figures(_ scope: some ReadableStore) async throws -> Answers {
    var answers = Answers()
    answers.add("sum", try await scope.sum(some, of: \.rank))
    answers.add("average", try await scope.average(some, of: \.score))
    answers.add("min", try await scope.min(some, of: \.score))
    answers.add("min of optionals", try await scope.min(some, of: \.rank) as Int?)
    answers.add("max", try await scope.max(some, of: \.score))
    answers.add("max of optionals", try await scope.max(some, of: \.rank) as Int?)
    answers.add("distinct", try await scope.distinct(paged, \.name))
    answers.add("count by", try await scope.count(paged, by: \.name))
    answers.add("sum by", try await scope.sum(paged, of: \.rank, by: \.name))
    answers.add("average by", try await scope.average(paged, of: \.score, by: \.name))
    answers.add("min by", try await scope.min(paged, of: \.score, by: \.rank))
    answers.add("max by", try await scope.max(paged, of: \.score, by: \.rank))
    answers.add("grouped", try await scope.grouped(some, by: \.rank))
    return answers
  }

  private static func records(_ scope: some ReadScope) throws -> Answers {
    var answers = Answers()
    answers.add("models", try scope.models().map(\.name))
    answers.add("rows in", try scope.records.fetch(in: "Item", where: "id > %@", arguments: [25], sortedBy: "-id"))
    answers.add("rows", try scope.records.fetch(rows, columns: ["name"]))
    answers.add("firstRow", try scope.records.first(rows))
    answers.add("row", try scope.records.get(in: "Item", key: .int(5)))
    answers.add("existsRow", try scope.records.exists(in: "Item", key: .int(5)))
    answers.add("existsRow not", try scope.records.exists(in: "Item", key: .int(99)))
    var names: [Value?] = []
    try scope.records.forEach(rows, columns: ["name"]) { names.append($0["name"]) }
    answers.add("forEachRow", names.count)
    answers.add("countRows", try scope.records.count(rows) + 100)
    answers.add("aggregateRows", try scope.records.aggregate(rows, groupedBy: ["name"], [(.count, nil)]))
    answers.add("explain rows", try scope.records.explain(rows))
    return answers
  }

  private static func records(_ scope: some ReadableStore) async throws -> Answers {
    var answers = Answers()
    answers.add("models", try await scope.models().map(\.name))
    answers.add(
      "rows in", try await scope.records.fetch(in: "Item", where: "id > %@", arguments: [25], sortedBy: "-id"))
    answers.add("rows", try await scope.records.fetch(rows, columns: ["name"]))
    answers.add("firstRow", try await scope.records.first(rows))
    answers.add("row", try await scope.records.get(in: "Item", key: .int(5)))
    answers.add("existsRow", try await scope.records.exists(in: "Item", key: .int(5)))
    answers.add("existsRow not", try await scope.records.exists(in: "Item", key: .int(99)))
    let seen = SeenNumbers()
    try await scope.records.forEach(rows, columns: ["name"]) { _ in seen.add(1) }
    answers.add("forEachRow", seen.all.count)
    answers.add("countRows", try await scope.records.count(rows) + 100)
    answers.add("aggregateRows", try await scope.records.aggregate(rows, groupedBy: ["name"], [(.count, nil)]))
    answers.add("explain rows", try await scope.records.explain(rows))
    return answers
  }

  private static func mapped(_ scope: some ReadScope) throws -> Answers {
    var answers = Answers()
    answers.add("get", try scope.mapped(Player.self).get(3)?.name)
    answers.add("get keys", try scope.mapped(Player.self).get(keys: [3, 99]).map { $0?.number })
    answers.add("fetch", try scope.mapped(Player.self).fetch(some).map(\.number))
    answers.add("first", try scope.mapped(Player.self).first(some)?.number)
    var names: [String] = []
    try scope.mapped(Player.self).forEach(some) { names.append($0.name) }
    answers.add("forEach", names)
    return answers
  }

  private static func mapped(_ scope: some ReadableStore) async throws -> Answers {
    var answers = Answers()
    answers.add("get", try await scope.mapped(Player.self).get(3)?.name)
    answers.add("get keys", try await scope.mapped(Player.self).get(keys: [3, 99]).map { $0?.number })
    answers.add("fetch", try await scope.mapped(Player.self).fetch(some).map(\.number))
    answers.add("first", try await scope.mapped(Player.self).first(some)?.number)
    answers.add("forEach", try await scope.mapped(Player.self).fetch(some).map(\.name))
    return answers
  }

  private static let streams = ConformanceCase(
    "FRONT.calls-stream", ["CRUD-14", "SNAP-1"], "A stream of a frozen store gives its state, and leaves it open.",
    needs: [.snapshots]
  ) { kit in
    let store = try kit.store(Item.self)
    try await store.insert(contentsOf: items)
    let frozen = try store.freeze()
    try await store.delete(Item.all)
    let due = try await frozen.keys(some)
    for _ in 0..<2 {
      var keys: [Int] = []
      for try await item in frozen.stream(some, batchSize: 4) { keys.append(item.id) }
      try expectEqual(keys, due)
    }
    for try await item in store.stream(some) {
      throw ConformanceFailure(message: "\(item)", file: #fileID, line: #line)
    }
    frozen.close()
    do {
      for try await _ in frozen.stream(some) {}
      throw ConformanceFailure(message: "a closed store was read", file: #fileID, line: #line)
    } catch let error as StorageError {
      try expectEqual(error.code, .closed)
    }
  }
}
