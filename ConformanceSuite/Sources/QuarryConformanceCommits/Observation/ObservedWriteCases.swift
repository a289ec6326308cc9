import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Every call that writes, seen through every shape of a query.
enum ObservedWriteCases {
  static let all: [ConformanceCase] = writes.flatMap { write in
    shapes.map { shape in
      ConformanceCase(
        "OBS.\(write.name).\(shape.name)", ["OBS-1", "OBS-2", "OBS-3", "OBS-4"],
        "What \(write.summary) makes of \(shape.summary)."
      ) { kit in
        let store = try kit.store(Item.self)
        try store.insert(contentsOf: items)
        let watched = try Watched(store, shape.query, .items)
        try watched.expectChange(write.name) { try write.body(store) }
        // Nothing else was told of meanwhile.
        try expect(try watched.expectChange("the commit after") { try turnOver(store) } != nil)
        try expectEqual(watched.told.count <= 3, true, "the number of changes")
      }
    }
  }

  static let items: [Item] = (1...12).map {
    Item(
      $0, rank: $0 % 5 == 0 ? nil : $0 % 4, name: "n\($0 % 3)", score: Double($0 * 7 % 12),
      note: $0 % 2 == 0 ? "x" : nil)
  }

  /// Puts other objects in place of all, which changes every list.
  static func turnOver(_ store: Store) throws {
    try store.write { tx in
      try tx.delete(Item.all)
      try tx.insert(Item(5, code: "last", rank: 2, name: "n1", score: 100))
      try tx.insert(contentsOf: (2_000..<2_020).map { Item($0, rank: 2, name: "n1", score: Double($0)) })
    }
  }

  private struct Shape: Sendable {
    var name: String
    var summary: String
    var query: Query<Item>
  }

  private static let shapes: [Shape] = [
    Shape(name: "all", summary: "all objects", query: Item.all),
    Shape(name: "filter", summary: "the objects of a condition", query: Item.where { $0.rank > 1 }),
    Shape(name: "sorted", summary: "a list by a property that ties", query: Item.all.sorted(by: \.name)),
    Shape(
      name: "falling", summary: "a list from the greatest to the least",
      query: Item.all.sorted(by: \.score, order: .reverse)
    ),
    Shape(
      name: "two-keys", summary: "a list by two properties, of which one may be nil",
      query: Item.where { $0.name != "n2" }.sorted(by: \.rank, order: .reverse).sorted(by: \.score)),
    Shape(name: "limit", summary: "the first few", query: Item.all.sorted(by: \.score).limit(4)),
    Shape(name: "offset", summary: "all but the first few", query: Item.all.offset(3)),
    Shape(
      name: "page", summary: "a part out of the middle",
      query: Item.where { $0.name.hasPrefix("n") }.sorted(by: \.score, order: .reverse).limit(5).offset(2)),
    Shape(name: "one", summary: "one object", query: Item.where { $0.id == 5 }),
  ]

  private struct Write: Sendable {
    var name: String
    var summary: String
    var body: @Sendable (Store) throws -> Void
  }

  private static let writes: [Write] = [
    Write(name: "insert", summary: "an insert") { try $0.insert(Item(20, rank: 2, name: "n1", score: 3.5)) },
    Write(name: "insert-many", summary: "an insert of many objects") {
      try $0.insert(contentsOf: (20..<60).map { Item($0, rank: $0 % 4, name: "n\($0 % 5)", score: Double($0 % 13)) })
    },
    Write(name: "upsert-new", summary: "an upsert of an object that is not there") {
      try $0.upsert(Item(0, rank: 3, name: "n0", score: -1))
    },
    Write(name: "upsert-there", summary: "an upsert of an object that is there") {
      try $0.upsert(Item(5, rank: 3, name: "a", score: 6.5))
    },
    Write(name: "upsert-many", summary: "an upsert of objects of which some are there") {
      try $0.upsert(
        contentsOf: (3...15).reversed().map { Item($0, rank: $0 % 3, name: "n\($0 % 2)", score: Double($0)) })
    },
    Write(name: "upsert-some", summary: "an upsert of some properties") {
      try $0.upsert(Item(5, code: "no", rank: 3, name: "zz", score: -2), updating: \.rank, \.score)
    },
    Write(name: "upsert-same", summary: "an upsert of an object as it is") { try $0.upsert(items[4]) },
    Write(name: "get-or-insert", summary: "a get-or-insert of an object that is not there") {
      _ = try $0.getOrInsert(Item(30, rank: 2, name: "n1", score: 1.5))
    },
    Write(name: "get-or-insert-there", summary: "a get-or-insert of an object that is there") {
      _ = try $0.getOrInsert(Item(5, rank: 9, name: "none"))
    },
    Write(name: "update", summary: "an update with a closure") {
      try $0.update(Item.self, 5) {
        $0.score = -4
        $0.rank = 2
      }
    },
    Write(name: "update-nothing", summary: "an update that changes nothing") {
      try $0.update(Item.self, 5) { $0.score += 0 }
    },
    Write(name: "update-whole", summary: "an update of a whole object") {
      try $0.update(Item(7, rank: nil, name: "n2", score: 99, note: "other", tags: ["a"]))
    },
    Write(name: "update-query", summary: "an update of a query with a closure") {
      try $0.update(Item.where { $0.id < 9 }) { $0.score = -$0.score }
    },
    Write(name: "assign", summary: "an assignment to one object") {
      try $0.assign(Item.self, 5) { $0.score += 20 }
    },
    Write(name: "assign-query", summary: "an assignment to the objects of a query") {
      try $0.assign(Item.where { $0.name == "n1" }) { $0.rank = 3 }
    },
    Write(name: "assign-order", summary: "an assignment that turns the order around") {
      try $0.assign(Item.all) { $0.score *= -1 }
    },
    Write(name: "delete", summary: "a delete by key") { try $0.delete(Item.self, 5) },
    Write(name: "delete-keys", summary: "a delete of keys of which some are not there") {
      try $0.delete(Item.self, keys: [2, 5, 77, 9])
    },
    Write(name: "delete-query", summary: "a delete of a query") { try $0.delete(Item.where { $0.score > 5 }) },
    Write(name: "delete-none", summary: "a delete of nothing") { try $0.delete(Item.where { $0.score > 500 }) },
    Write(name: "delete-all", summary: "a delete of all objects") { try $0.delete(Item.all) },
    Write(name: "several", summary: "a transaction of several statements") { store in
      try store.write { tx in
        try tx.delete(Item.self, 1)
        try tx.insert(Item(40, rank: 2, name: "n0", score: 5.5))
        try tx.update(Item.self, 6) { $0.score = 0.5 }
        try tx.assign(Item.where { $0.rank == 3 }) { $0.name = "n1" }
      }
    },
    Write(name: "replaced", summary: "a delete and an insert of the same key") { store in
      try store.write { tx in
        try tx.delete(Item.self, 5)
        try tx.insert(Item(5, rank: 1, name: "n1", score: 5))
      }
    },
    Write(name: "there-and-back", summary: "a transaction that takes back what it did") { store in
      try store.write { tx in
        try tx.update(Item.self, 5) { $0.score = 50 }
        try tx.insert(Item(50))
        try tx.delete(Item.self, 50)
        try tx.upsert(items[4])
      }
    },
    Write(name: "savepoint-undone", summary: "a transaction with a savepoint that is undone") { store in
      try store.write { tx in
        try tx.update(Item.self, 5) { $0.rank = 2 }
        try? tx.savepoint {
          try tx.delete(Item.all)
          try tx.insert(Item(51, rank: 2, name: "n1"))
          throw Abandoned()
        }
        try tx.update(Item.self, 8) { $0.score = 2.5 }
      }
    },
    Write(name: "savepoint-kept", summary: "a transaction with a savepoint inside another") { store in
      try store.write { tx in
        try tx.savepoint {
          try tx.delete(Item.self, 3)
          try? tx.savepoint {
            try tx.delete(Item.self, 4)
            throw Abandoned()
          }
          try tx.savepoint { try tx.update(Item.self, 5) { $0.name = "n0" } }
        }
      }
    },
    Write(name: "records", summary: "records that are written") { store in
      try store.write { tx in
        try tx.records.upsert(
          into: "Item", [Record(["id": .int(5), "score": .double(11.5)])], updating: ["score"])
        try tx.records.delete(in: "Item", keys: [.int(2)])
        try tx.records.assign(
          QueryTree(model: "Item", predicate: .compare(.named("id"), .greater, .value(.int(10)))),
          [AssignmentTree("rank", .set, .null)])
      }
    },
  ]
}
