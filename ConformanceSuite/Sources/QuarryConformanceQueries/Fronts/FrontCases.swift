import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// An object of a program that is stored as an ``Item``.
final class Player: Mapped {
  enum Refused: Error { case name }
  let number: Int
  let name: String

  init(_ number: Int, _ name: String) {
    self.number = number
    self.name = name
  }

  init(stored: Item) throws {
    guard stored.name != "refused" else { throw Refused.name }
    number = stored.id
    name = stored.name
  }

  func stored() throws -> Item { Item(number, name: name) }
}

enum FrontCases {
  static let items: [Item] = (0..<60).map {
    Item(
      $0, rank: $0 % 5 == 0 ? nil : $0 % 9, name: ["", "a", "Ab", "b%", "caf\u{E9}"][$0 % 5],
      score: Double($0 % 7) - 2.5,
      note: $0 % 3 == 0 ? nil : "n\($0 % 4)", tags: $0 % 4 == 0 ? [] : ["t\($0 % 2)", "x"])
  }

  static func store(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Item.self)
    try store.insert(contentsOf: items)
    return store
  }

  /// A case in which the fronts say what a closure over objects says.
  static func same(
    _ id: String, _ summary: String, _ expected: @escaping @Sendable (Item) -> Bool,
    _ queries: @escaping @Sendable () throws -> [Query<Item>]
  ) -> ConformanceCase {
    ConformanceCase("FRONT.\(id)", ["PRED-11"], summary) { kit in
      let store = try store(kit)
      let keys = items.filter(expected).map(\.id)
      try expect(!keys.isEmpty && keys.count < items.count, "the case tells nothing")
      for (place, query) in try queries().enumerated() {
        try expectEqual(try store.keys(query), keys, "front \(place): \(query.tree)")
        try expectEqual(try store.count(query), keys.count, "front \(place)")
      }
    }
  }

  static let all: [ConformanceCase] = conditions + reading

  private static let conditions: [ConformanceCase] = [
    same("comparison", "A comparison means the same in every front.", { $0.score > 1.5 }) {
      [
        Item.where { $0.score > 1.5 }, Item.where { 1.5 < $0.score }, try Item.where("score > 1.5"),
        try Item.where("1.5 < score"), try Item.where("score > %@", 1.5), try Item.where("%K > %@", "score", 1.5),
        try Item.where(#Predicate { $0.score > 1.5 }),
      ]
    },
    same("nil", "Nil means the same in every front.", { $0.rank == nil }) {
      [
        Item.where { $0.rank == nil }, Item.where { $0.rank.isNil }, try Item.where("rank == nil"),
        try Item.where("rank == NULL"), try Item.where("rank == %@", nil),
        try Item.where(#Predicate { $0.rank == nil }),
      ]
    },
    same("not-equal", "Unequal is true of nil in every front.", { $0.rank != 3 }) {
      [
        Item.where { $0.rank != 3 }, Item.where { !($0.rank == 3) }, try Item.where("rank != 3"),
        try Item.where("NOT rank == 3"), try Item.where("rank <> 3"), try Item.where(#Predicate { $0.rank != 3 }),
      ]
    },
    same(
      "connectives", "AND, OR and NOT bind the same in every front.",
      {
        $0.score < 0 || $0.name == "a" && !($0.rank == 1)
      }
    ) {
      [
        Item.where { $0.score < 0 || $0.name == "a" && !($0.rank == 1) },
        try Item.where("score < 0 OR name == 'a' AND NOT rank == 1"),
        try Item.where("score < 0 || (name = \"a\" && !(rank = 1))"),
        try Item.where(#Predicate { $0.score < 0 || $0.name == "a" && !($0.rank == 1) }),
      ]
    },
    same("in", "Membership means the same in every front.", { [1, 4, nil].contains($0.rank) }) {
      let list: [Int?] = [1, 4, nil]
      return [
        Item.where { $0.rank.isIn([1, 4, nil]) }, try Item.where("rank IN {1, 4, nil}"),
        try Item.where(#Predicate { list.contains($0.rank) }),
      ]
    },
    same("range", "Ranges mean the same in every front.", { (-0.5...1.5).contains($0.score) }) {
      [
        Item.where { $0.score.isIn(-0.5...1.5) }, try Item.where("score BETWEEN {-0.5, 1.5}"),
        try Item.where("score >= -0.5 AND score <= 1.5"),
        try Item.where(#Predicate { (-0.5...1.5).contains($0.score) }),
      ]
    },
    same("text", "Searching text means the same in every front.", { $0.name.hasPrefix("a") || $0.name.contains("%") }) {
      [
        Item.where { $0.name.hasPrefix("a") || $0.name.contains("%") },
        try Item.where("name BEGINSWITH 'a' OR name CONTAINS '%'"),
        try Item.where("name LIKE 'a*' OR name LIKE '*%*'"),
        try Item.where(#Predicate { $0.name.starts(with: "a") || $0.name.contains("%") }),
      ]
    },
    same(
      "folding", "Folded text means the same in both fronts that have it.",
      { $0.name == "Ab" || $0.name == "caf\u{E9}" }
    ) {
      [
        Item.where {
          $0.name.equals("aB", options: .caseInsensitive)
            || $0.name.equals("CAFE", options: [.caseInsensitive, .diacriticInsensitive])
        },
        try Item.where("name ==[c] 'aB' OR name ==[cd] 'CAFE'"),
      ]
    },
    same("array", "Conditions on arrays mean the same in every front.", { $0.tags.contains("t1") }) {
      [
        Item.where { $0.tags.contains("t1") }, Item.where { $0.tags.any { $0 == "t1" } },
        try Item.where("'t1' IN tags"),
        try Item.where("ANY tags == 't1'"), try Item.where("ANY tags IN {'t1', 'none'}"),
        try Item.where(#Predicate { $0.tags.contains("t1") }),
        try Item.where(#Predicate { $0.tags.contains { $0 == "t1" } }),
      ]
    },
    same("array-count", "The number of elements means the same in every front.", { $0.tags.isEmpty }) {
      [
        Item.where { $0.tags.count == 0 }, Item.where { $0.tags.isEmpty }, try Item.where("tags.@count == 0"),
        try Item.where(#Predicate { $0.tags.isEmpty }), try Item.where(#Predicate { $0.tags.count == 0 }),
      ]
    },
    same("array-all", "ALL means the same in every front.", { $0.tags.allSatisfy { $0 == "x" || $0 == "t0" } }) {
      [
        Item.where { $0.tags.all { $0.isIn(["x", "t0"]) } }, try Item.where("ALL tags IN {'x', 't0'}"),
        try Item.where(#Predicate { $0.tags.allSatisfy { $0 == "x" || $0 == "t0" } }),
      ]
    },
    same("optional", "An optional with a default means the same in every front.", { ($0.rank ?? 3) >= 3 }) {
      [
        Item.where { $0.rank >= 3 || $0.rank == nil }, try Item.where("rank >= 3 OR rank == nil"),
        try Item.where(#Predicate { ($0.rank ?? 3) >= 3 }),
      ]
    },
    same("decimal-literal", "A literal with a point is the nearest Double in every front.", { $0.score == 0.5 }) {
      [
        Item.where { $0.score == 0.5 }, try Item.where("score == 0.5"), try Item.where("score == 5e-1"),
        try Item.where("score == 0.50"), try Item.where(#Predicate { $0.score == 0.5 }),
      ]
    },
    ConformanceCase("FRONT.decimal-nearest", ["PRED-6", "PRED-11"], "A text's 0.1 is the Double that Swift's 0.1 is.") {
      kit in
      let store = try kit.store(Item.self, Figure.self)
      try store.insert(
        contentsOf: [0.1, 0.1.nextUp, 0.1.nextDown].enumerated().map { Item($0.offset, score: $0.element) })
      for query in try [
        Item.where { $0.score == 0.1 }, Item.where("score == 0.1"), Item.where("score >= 0.1 AND score <= 0.1"),
        Item.where("score == 1e-1"), Item.where("score IN {0.1}"),
      ] {
        try expectEqual(try store.keys(query), [0], "\(query.tree)")
      }
      try store.insert(Figure(1, ratio: 0.1))
      try expectEqual(try store.count(Figure.where("ratio == 0.1")), 1)
    },
    ConformanceCase("FRONT.unsupported", ["PRED-11"], "What a #Predicate says and Quarry cannot is unsupported.") {
      kit in
      let store = try store(kit)
      try expectError(.unsupported) { try store.count(Item.where(#Predicate { $0.name.contains(/b(?=c)/) })) }
      try expectError(.unsupported) { try store.count(Item.where(#Predicate { $0.tags.first == "x" })) }
    },
    ConformanceCase("FRONT.sort", ["PRED-11", "SORT-2"], "Orders mean the same in every front.") { kit in
      let store = try store(kit)
      let expected = items.sorted {
        ($0.score, Array($1.name.utf8).first ?? 0, $0.id) < ($1.score, Array($0.name.utf8).first ?? 0, $1.id)
      }
      let typed = Item.all.sorted(by: \.score).sorted(by: \.name, order: .reverse).sorted(by: \.id)
      try expectEqual(try store.keys(typed), expected.map(\.id))
      for query in try [
        Item.all.sorted("score,-name,id"),
        Item.all.sorted(
          by: SortDescriptor(\Item.score), SortDescriptor(\Item.name, comparator: .lexical, order: .reverse),
          SortDescriptor(\Item.id)),
      ] {
        try expectEqual(try store.keys(query), expected.map(\.id), "\(query.tree)")
      }
    },
    ConformanceCase("FRONT.value", ["PRED-11"], "A query is a value: equal, hashed, and through JSON.") { kit in
      let store = try store(kit)
      let query = Item.where { $0.rank > 2 && $0.tags.contains("x") && $0.score != .infinity && $0.note != "\u{E9}" }
        .sorted(by: \.note, order: .reverse).limit(7).offset(2)
      let decoded = try JSONDecoder().decode(Query<Item>.self, from: JSONEncoder().encode(query))
      try expectEqual(decoded, query)
      try expectEqual(Set([decoded, query, query.limit(8)]).count, 2)
      try expectEqual(try store.keys(decoded), try store.keys(query))
      try expectEqual(try store.keys(query).count, 7)
      try expect(Item.where { $0.note == "\u{E9}" } != Item.where { $0.note == "e\u{301}" })
    },
    ConformanceCase("FRONT.other-model", ["PRED-9"], "A query of another model is invalidQuery.") { kit in
      try expectError(.invalidQuery) { try Query<Item>(tree: Figure.all.tree) }
      let store = try store(kit)
      try expectError(.invalidQuery) { try store.read { try $0.records.fetch(in: "Itme") } }
    },
    ConformanceCase(
      "FRONT.bad-constant", ["VAL-2"], "A constant that cannot be stored is invalidValue when it is used."
    ) {
      kit in
      let store = try kit.store(Figure.self)
      try store.insert(Figure(1, price: 1))
      let query = Figure.where { $0.price != Decimal.nan && $0.id > 0 }
      try expectError(.invalidValue) { try store.fetch(query) }
      try expectError(.invalidValue) { try store.delete(query) }
      try expectEqual(try store.count(Figure.all), 1)
    },
  ]

  private static let reading: [ConformanceCase] = [
    ConformanceCase(
      "FRONT.first-exists-keys", ["SORT-2", "CRUD-3"], "First, exists and keys follow the query's order."
    ) {
      kit in
      let store = try store(kit)
      let query = Item.where { $0.name == "a" }.sorted(by: \.score, order: .reverse)
      let expected = items.filter { $0.name == "a" }.sorted { ($0.score, $0.id) > ($1.score, $1.id) }
      try expectEqual(try store.fetch(query), expected)
      try expectEqual(try store.keys(query), expected.map(\.id))
      try expectEqual(try store.first(query), expected.first)
      try expectEqual(try store.first(query.offset(3)), expected[3])
      try expect(try store.exists(query) && !store.exists(Item.where { $0.id < 0 }))
      try expect(try store.first(Item.where { $0.id < 0 }) == nil)
      try expectEqual(try store.frozen(query).map(\.id), expected.map(\.id))
    },
    ConformanceCase(
      "FRONT.select", ["CRUD-1", "SORT-2"], "Selected columns are those of the objects, in the query's order."
    ) {
      kit in
      let store = try store(kit)
      let query = Item.where { $0.rank != nil }.sorted(by: \.note).limit(20)
      let objects = try store.fetch(query)
      try store.read { tx in
        let rows = try tx.select(query, \.tags, \.id, \.note, \.rank)
        try expectEqual(rows.count, 20)
        for (row, object) in zip(rows, objects) {
          try expect(
            row.0 == object.tags && row.1 == object.id && row.2 == object.note && row.3 == object.rank, "\(row)")
        }
        try expectEqual(try tx.select(query, \.score), objects.map(\.score))
      }
    },
    ConformanceCase("FRONT.records", ["PRED-11", "CRUD-1"], "Records say what objects say.") { kit in
      let store = try store(kit)
      try store.read { tx in
        let rows = try tx.records.fetch(
          in: "Item", where: "score > %@ AND name != %@", arguments: [0.0, "a"], sortedBy: "-score,name", limit: 9,
          offset: 2)
        let query = Item.where { $0.score > 0 && $0.name != "a" }.sorted(by: \.score, order: .reverse).sorted(
          by: \.name)
        let objects = try tx.fetch(query.limit(9).offset(2))
        try expectEqual(rows.map { $0["id"] }, objects.map { .int(Int64($0.id)) })
        try expectEqual(rows.map { $0["note"] }, objects.map { $0.note.map { .string($0) } ?? .null })
        try expectEqual(rows.map { $0["tags"] }, objects.map { .array($0.tags.map { .string($0) }) })
        try expectEqual(rows.first?.fields.map(\.name), ["id", "code", "rank", "name", "score", "note", "tags"])
        let some = try tx.records.fetch(in: "Item", sortedBy: "id", limit: 1, columns: ["score", "code"])
        try expectEqual(some, [Record(["score": .double(-2.5), "code": .string("c0")])])
        try expectError(.invalidQuery) { try tx.records.fetch(in: "Item", columns: ["no"]) }
      }
    },
    ConformanceCase("FRONT.records-written", ["STMT-1", "STMT-5", "UPS-1"], "Records are written as objects are.") {
      kit in
      let store = try store(kit)
      try store.write { tx in
        let isLow = try Item.where("id < 3").tree
        try expectEqual(
          try tx.records.assign(isLow, [.init("rank", .set, .int(100)), .init("score", .add, .int(1))]), 3)
        try expectEqual(
          try tx.records.upsert(
            into: "Item",
            [1, 99].map { Record(["id": .int($0), "code": .string("u\($0)"), "name": .string("u"), "score": .int(0)]) }),
          1)
        try expectEqual(try tx.records.delete(try Item.where("id BETWEEN {10, 19}").tree), 10)
        try expectError(.duplicateKey) {
          try tx.records.insert(
            into: "Item", [Record(["id": .int(1), "code": .string("z"), "name": .string(""), "score": .int(0)])])
        }
      }
      try expectEqual(try store.get(Item.self, 0), Item(0, code: "c0", rank: 100, name: "", score: -1.5))
      try expectEqual(try store.get(Item.self, 1), Item(1, code: "u1", name: "u"))
      try expectEqual(try store.get(Item.self, 99), Item(99, code: "u99", name: "u"))
      try expectEqual(try store.count(Item.all), 51)
    },
    ConformanceCase("FRONT.mapped", ["CRUD-1", "UPS-1"], "What is mapped is stored and read as its stored struct.") {
      kit in
      let store = try kit.store(Item.self)
      let players = store.mapped(Player.self)
      try players.insert(Player(1, "a"))
      try store.write { tx in
        let players = tx.mapped(Player.self)
        try players.insert(contentsOf: [Player(2, "b"), Player(3, "c")])
        try expect(try !players.upsert(Player(2, "B")))
        try players.update(Player(3, "C"))
        try expect(try players.delete(Player(1, "whatever")))
      }
      try expectEqual(try players.get(2)?.name, "B")
      try expect(try players.get(1) == nil)
      try expectEqual(try players.fetch(Item.all).map(\.name), ["B", "C"])
      try store.insert(Item(9, name: "refused"))
      do {
        _ = try players.get(9)
        try expect(false, "the mapping's error did not come out")
      } catch is Player.Refused {
        try expectEqual(try store.count(Item.all), 3)
      }
    },
    ConformanceCase(
      "FRONT.dynamic", ["SCH-1", "CRUD-1"], "A store is read and written without its models.", requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      try first.insert(contentsOf: items)
      try first.close()
      let store = try kit.open([], at: place)
      try expectEqual(try store.models().map(\.name), ["Item"])
      try store.write { tx in
        try expectEqual(
          try tx.records.fetch(in: "Item", where: "ANY tags == 't1'").count,
          items.filter { $0.tags.contains("t1") }.count)
        try tx.records.insert(
          into: "Item", [Record(["id": .int(77), "code": .string("d"), "name": .string("d"), "score": .double(1)])])
      }
      try store.close()
      try expectEqual(try kit.open([Item.self], at: place).get(Item.self, 77), Item(77, code: "d", name: "d", score: 1))
    },
  ]
}
