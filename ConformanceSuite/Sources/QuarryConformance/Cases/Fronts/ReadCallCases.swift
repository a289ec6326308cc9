import QuarryBackend
import QuarryCore
import QuarryQuery

/// Every call that reads, once on each front: in a transaction, on a store and on a frozen store, by a thread and by a
/// task.
enum ReadCallCases {
  /// One call in its three forms; what it gives is compared as text.
  private struct Call: Sendable {
    let name: String
    let inside: @Sendable (ReadTransaction) throws -> String
    let alone: @Sendable (any Reading) throws -> String
    let task: @Sendable (any Reading) async throws -> String

    init<Answer>(
      _ name: String, _ inside: @escaping @Sendable (ReadTransaction) throws -> Answer,
      _ alone: @escaping @Sendable (any Reading) throws -> Answer,
      _ task: @escaping @Sendable (any Reading) async throws -> Answer
    ) {
      self.name = name
      self.inside = { "\(try inside($0))" }
      self.alone = { "\(try alone($0))" }
      self.task = { "\(try await task($0))" }
    }
  }

  private static let items: [Item] = (0..<30).map {
    Item($0, rank: $0 % 5 == 0 ? nil : $0 % 4, name: "n\($0 % 3)", score: Double($0) / 2, tags: ["t\($0 % 2)"])
  }

  private static var some: Query<Item> { Item.where { $0.id >= 7 }.sorted(by: \.name).limit(9) }
  private static var paged: Query<Item> { Item.where { $0.id >= 7 }.sorted(by: \.name) }
  private static var rows: QueryTree {
    QueryTree(model: "Item", predicate: .compare(.named("id"), .less, .value(.int(4))))
  }

  static let all: [ConformanceCase] = [
    reads("objects", "objects and keys", objects), reads("figures", "figures and groups", figures),
    reads("records", "records", records), reads("mapped", "mapped values", mapped), streams,
  ]

  private static func reads(_ id: String, _ what: String, _ calls: [Call]) -> ConformanceCase {
    ConformanceCase(
      "FRONT.calls-\(id)", ["CRUD-14", "PRED-12"],
      "Calls that read \(what) give the same in a transaction, on a store and on a frozen store, to threads and tasks.",
      needs: [.snapshots], within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      try await store.insert(contentsOf: items)
      let frozen = try store.freeze()
      defer { frozen.close() }
      var answers: Set<String> = []
      for call in calls {
        let due = try await store.read { try call.inside($0) }
        try expectEqual(try Self.inWrite(store, call.inside), due, "\(call.name) in a write")
        for (front, reading) in [("store", store as any Reading), ("frozen store", frozen)] {
          try expectEqual(try call.alone(reading), due, "\(call.name) on a \(front)")
          let given = try await call.task(reading)
          try expectEqual(given, due, "\(call.name) on a \(front) by a task")
        }
        answers.insert(due)
      }
      try expect(answers.count * 2 > calls.count, "the calls give too much alike: \(answers)")
    }
  }

  private static func inWrite(_ store: Store, _ body: (ReadTransaction) throws -> String) throws -> String {
    try store.write { try body($0) }
  }

  private static let objects: [Call] = [
    Call("get", { try $0.get(Item.self, 3) }, { try $0.get(Item.self, 3) }, { try await $0.get(Item.self, 3) }),
    Call(
      "get keys", { try $0.get(Item.self, keys: [4, 99, 2]) }, { try $0.get(Item.self, keys: [4, 99, 2]) },
      { try await $0.get(Item.self, keys: [4, 99, 2]) }),
    Call(
      "exists", { try $0.exists(Item.self, 3) }, { try $0.exists(Item.self, 3) }, { try await $0.exists(Item.self, 3) }),
    Call(
      "exists query", { try $0.exists(Item.where { $0.id > 90 }) }, { try $0.exists(Item.where { $0.id > 90 }) },
      { try await $0.exists(Item.where { $0.id > 90 }) }),
    Call("fetch", { try $0.fetch(some) }, { try $0.fetch(some) }, { try await $0.fetch(some) }),
    Call("fetch all", { try $0.fetch(Item.self) }, { try $0.fetch(Item.self) }, { try await $0.fetch(Item.self) }),
    Call(
      "fetch sorted", { try $0.fetch(some, sortedBy: { $0.id > $1.id }) },
      { try $0.fetch(some, sortedBy: { $0.id > $1.id }) }, { try await $0.fetch(some, sortedBy: { $0.id > $1.id }) }),
    Call("first", { try $0.first(some) }, { try $0.first(some) }, { try await $0.first(some) }),
    Call("count", { try $0.count(paged) }, { try $0.count(paged) }, { try await $0.count(paged) }),
    Call("count all", { try $0.count(Item.self) }, { try $0.count(Item.self) }, { try await $0.count(Item.self) }),
    Call("keys", { try $0.keys(some) }, { try $0.keys(some) }, { try await $0.keys(some) }),
    Call(
      "select", { try $0.select(some, \.id, \.rank) }, { try $0.select(some, \.id, \.rank) },
      { try await $0.select(some, \.id, \.rank) }),
    Call(
      "forEach",
      {
        var ids: [Int] = []
        try $0.forEach(some) { ids.append($0.id * 2) }
        return ids
      },
      {
        var ids: [Int] = []
        try $0.forEach(some) { ids.append($0.id * 2) }
        return ids
      },
      {
        let seen = SeenNumbers()
        try await $0.forEach(some) { seen.add($0.id * 2) }
        return seen.all
      }),
    Call(
      "frozen", { try $0.frozen(some).map(\.name) }, { try $0.frozen(some).map(\.name) },
      { try await $0.frozen(some).map(\.name) }),
    Call(
      "frozen key", { try $0.frozen(Item.self, 5)?.thawed() }, { try $0.frozen(Item.self, 5)?.thawed() },
      { try await $0.frozen(Item.self, 5)?.thawed() }),
    Call(
      "page", { try $0.page(paged, size: 4).elements }, { try $0.page(paged, size: 4).elements },
      { try await $0.page(paged, size: 4).elements }),
    Call("explain", { try $0.explain(some) }, { try $0.explain(some) }, { try await $0.explain(some) }),
  ]

  private static let figures: [Call] = [
    Call(
      "sum", { try $0.sum(some, of: \.rank) }, { try $0.sum(some, of: \.rank) }, { try await $0.sum(some, of: \.rank) }),
    Call(
      "average", { try $0.average(some, of: \.score) }, { try $0.average(some, of: \.score) },
      { try await $0.average(some, of: \.score) }),
    Call(
      "min", { try $0.min(some, of: \.score) }, { try $0.min(some, of: \.score) },
      { try await $0.min(some, of: \.score) }),
    Call(
      "min of optionals", { try $0.min(some, of: \.rank) as Int? }, { try $0.min(some, of: \.rank) as Int? },
      { try await $0.min(some, of: \.rank) as Int? }),
    Call(
      "max", { try $0.max(some, of: \.score) }, { try $0.max(some, of: \.score) },
      { try await $0.max(some, of: \.score) }),
    Call(
      "max of optionals", { try $0.max(some, of: \.rank) as Int? }, { try $0.max(some, of: \.rank) as Int? },
      { try await $0.max(some, of: \.rank) as Int? }),
    Call(
      "distinct", { try $0.distinct(paged, \.name) }, { try $0.distinct(paged, \.name) },
      { try await $0.distinct(paged, \.name) }),
    Call(
      "count by", { try $0.count(paged, by: \.name) }, { try $0.count(paged, by: \.name) },
      { try await $0.count(paged, by: \.name) }),
    Call(
      "sum by", { try $0.sum(paged, of: \.rank, by: \.name) }, { try $0.sum(paged, of: \.rank, by: \.name) },
      { try await $0.sum(paged, of: \.rank, by: \.name) }),
    Call(
      "average by", { try $0.average(paged, of: \.score, by: \.name) },
      { try $0.average(paged, of: \.score, by: \.name) },
      { try await $0.average(paged, of: \.score, by: \.name) }),
    Call(
      "min by", { try $0.min(paged, of: \.score, by: \.rank) }, { try $0.min(paged, of: \.score, by: \.rank) },
      { try await $0.min(paged, of: \.score, by: \.rank) }),
    Call(
      "max by", { try $0.max(paged, of: \.score, by: \.rank) }, { try $0.max(paged, of: \.score, by: \.rank) },
      { try await $0.max(paged, of: \.score, by: \.rank) }),
    Call(
      "grouped", { try $0.grouped(some, by: \.rank) }, { try $0.grouped(some, by: \.rank) },
      { try await $0.grouped(some, by: \.rank) }),
  ]

  private static let records: [Call] = [
    Call(
      "models", { try $0.models().map(\.name) }, { try $0.models().map(\.name) }, { try await $0.models().map(\.name) }),
    Call(
      "rows in", { try $0.records(in: "Item", where: "id > %@", arguments: [25], sortedBy: "-id") },
      { try $0.records(in: "Item", where: "id > %@", arguments: [25], sortedBy: "-id") },
      { try await $0.records(in: "Item", where: "id > %@", arguments: [25], sortedBy: "-id") }),
    Call(
      "rows", { try $0.records(rows, columns: ["name"]) }, { try $0.records(rows, columns: ["name"]) },
      { try await $0.records(rows, columns: ["name"]) }),
    Call("firstRow", { try $0.firstRecord(rows) }, { try $0.firstRecord(rows) }, { try await $0.firstRecord(rows) }),
    Call(
      "row", { try $0.record(in: "Item", key: .int(5)) }, { try $0.record(in: "Item", key: .int(5)) },
      { try await $0.record(in: "Item", key: .int(5)) }),
    Call(
      "existsRow", { [try $0.existsRecord(in: "Item", key: .int(5)), try $0.existsRecord(in: "Item", key: .int(99))] },
      { [try $0.existsRecord(in: "Item", key: .int(5)), try $0.existsRecord(in: "Item", key: .int(99))] },
      { [try await $0.existsRecord(in: "Item", key: .int(5)), try await $0.existsRecord(in: "Item", key: .int(99))] }),
    Call(
      "forEachRow",
      {
        var names: [Value?] = []
        try $0.forEachRecord(rows, columns: ["name"]) { names.append($0["name"]) }
        return names.count
      },
      {
        var names: [Value?] = []
        try $0.forEachRecord(rows, columns: ["name"]) { names.append($0["name"]) }
        return names.count
      },
      {
        let seen = SeenNumbers()
        try await $0.forEachRecord(rows, columns: ["name"]) { _ in seen.add(1) }
        return seen.all.count
      }),
    Call(
      "countRows", { try $0.countRecords(rows) + 100 }, { try $0.countRecords(rows) + 100 },
      { try await $0.countRecords(rows) + 100 }),
    Call(
      "aggregateRows", { try $0.aggregateRecords(rows, groupedBy: ["name"], [(.count, nil)]) },
      { try $0.aggregateRecords(rows, groupedBy: ["name"], [(.count, nil)]) },
      { try await $0.aggregateRecords(rows, groupedBy: ["name"], [(.count, nil)]) }),
    Call("explain rows", { try $0.explain(rows) }, { try $0.explain(rows) }, { try await $0.explain(rows) }),
  ]

  private static let mapped: [Call] = [
    Call(
      "get", { try $0.get(Player.self, 3)?.name }, { try $0.get(Player.self, 3)?.name },
      { try await $0.get(Player.self, 3)?.name }),
    Call(
      "get keys", { try $0.get(Player.self, keys: [3, 99]).map { $0?.number } },
      { try $0.get(Player.self, keys: [3, 99]).map { $0?.number } },
      { try await $0.get(Player.self, keys: [3, 99]).map { $0?.number } }),
    Call(
      "fetch", { try $0.fetch(some, as: Player.self).map(\.number) },
      { try $0.fetch(some, as: Player.self).map(\.number) }, { try await $0.fetch(some, as: Player.self).map(\.number) }
    ),
    Call(
      "first", { try $0.first(some, as: Player.self)?.number }, { try $0.first(some, as: Player.self)?.number },
      { try await $0.first(some, as: Player.self)?.number }),
    Call(
      "forEach",
      {
        var names: [String] = []
        try $0.forEach(some, as: Player.self) { names.append($0.name) }
        return names
      },
      {
        var names: [String] = []
        try $0.forEach(some, as: Player.self) { names.append($0.name) }
        return names
      }, { try await $0.fetch(some, as: Player.self).map(\.name) }),
  ]

  private static let streams = ConformanceCase(
    "FRONT.calls-stream", ["CRUD-14", "SNAP-1"], "A stream of a frozen store gives its state, and leaves it open.",
    needs: [.snapshots]
  ) { kit in
    let store = try kit.store(Item.self)
    try await store.insert(contentsOf: items)
    let frozen = try store.freeze()
    try await store.deleteAll(Item.self)
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
