import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

extension DeleteRuleCases {
  // MARK: Counts and sizes

  static let counts: [ConformanceCase] =
    [999, 1_000, 1_001, 2_500].flatMap { count in
      [PropertySchema.Reference.DeleteRule.cascade, .nullify, .deny].map { many(count, $0) }
    } + [
      rule(
        "thousands-removed", ["REL-4", "REL-5"], "2,500 objects that are removed at once take what refers to each.",
        within: .seconds(30)
      ) {
        kit in
        let store = try row(kit, .cascade, .nullify)
        try store.write { tx in
          try tx.records.delete(QueryTree(model: "A"))
          try tx.records.delete(QueryTree(model: "C"))
          try tx.records.insert(into: "A", (0..<2_600).map { .linked($0) })
          try tx.records.insert(into: "B", (0..<2_600).map { .linked($0, ["a": 2_599 - $0]) })
          try tx.records.insert(into: "C", (0..<2_600).map { .linked($0, ["b": $0 / 2]) })
        }
        try expectEqual(try store.records.delete(.rows("A", "id", .greaterOrEqual, 100)), 2_500)
        try expectEqual(try store.ids("A"), Array(0..<100))
        try expectEqual(try store.ids("B"), Array(2_500..<2_600))
        let none = QueryTree(model: "C", predicate: .compare(.named("b"), .equal, .value(.null)))
        try expectEqual(try store.records.count(none), 2_600)
      },
      rule(
        "wide-and-deep", ["REL-4"], "A tree whose levels have more than 1,000 objects goes whole.", within: .seconds(60)
      ) {
        kit in
        let store = try kit.store(making: [.linked("N", .reference("parent", to: "N", .cascade))])
        try store.records.insert(
          into: "N",
          [.linked(0), .linked(9_999)] + (1...1_200).map { .linked($0, ["parent": 0]) }
            + (1...1_200).map { .linked(2_000 + $0, ["parent": $0]) }
            + (1...1_200).map { .linked(4_000 + $0, ["parent": 2_001]) })
        try expectEqual(try store.write { try $0.delete("N", 0) }, 1)
        try expectEqual(try store.ids("N"), [9_999])
      },
      rule("counts", ["REL-5"], "A statement counts what it was to remove, and not what rules have removed.") { kit in
        let store = try kit.store(making: [.linked("N", .reference("parent", to: "N", .cascade))])
        try store.records.insert(into: "N", (0..<6).map { .linked($0, ["parent": $0 == 0 ? nil : $0 - 1]) })
        try expectEqual(try store.write { try $0.delete("N", 7, 3, 9) }, 1)
        try expectEqual(try store.ids("N"), [0, 1, 2])
        // All three are of the query, though each takes the next with it.
        try expectEqual(try store.records.delete(QueryTree(model: "N")), 3)
        try expectEqual(try store.write { try $0.delete("N", 0) }, 0)
      },
      rule("upsert-removes-nothing", ["REL-5"], "An upsert and an update of what is referred to remove nothing.") {
        kit in
        let store = try kit.store(Poem.self)
        try store.insert(contentsOf: [Poet(1, "a"), Poet(2, "b", teacher: 1)])
        try store.insert(contentsOf: [Poem(1, poet: 1, editor: 1), Poem(2, poet: 2, answers: 1)])
        try store.write { tx in
          try expect(try !tx.upsert(Poet(1, "c")))
          try expectEqual(try tx.upsert(contentsOf: [Poet(1, "d"), Poet(2, "e", teacher: 2)]), 0)
          try tx.update(Poet(1, "f"))
          try tx.assign(Poet.self, 1) { $0.name = "g" }
          try tx.update(Poet.self, 2) { $0.name = "h" }
        }
        try expectEqual(try store.fetch(Poet.all), [Poet(1, "g"), Poet(2, "h", teacher: 2)])
        try expectEqual(
          try store.fetch(Poem.all), [Poem(1, poet: 1, editor: 1), Poem(2, poet: 2, answers: 1)])
      },
      rule(
        "limit-and-order", ["REL-4", "REL-5", "STMT-5"],
        "A query with a limit and an order removes those and follows their rules."
      ) {
        kit in
        let store = try row(kit, .cascade, .nullify)
        try expectEqual(
          try store.records.delete(
            QueryTree(model: "A", order: [.init("id", isDescending: true)], limit: 2, offset: 1)), 2)
        try expectEqual(try store.ids("A"), [0, 3])
        try expectEqual(try store.ids("B"), [0, 1, 6, 7])
        try expectEqual(try store.records.delete(QueryTree(model: "A", limit: 0)), 0)
        try expectEqual(try store.ids("A"), [0, 3])
      },
    ]

  static func many(_ count: Int, _ rule: PropertySchema.Reference.DeleteRule) -> ConformanceCase {
    Self.rule(
      "\(rule.rawValue)-of-\(count)", ["REL-4", "REL-5"],
      "\(count) objects that refer to one follow the rule \(rule.rawValue).", within: .seconds(30)
    ) { kit in
      let store = try kit.store(making: [
        .linked("A"), .linked("B", .reference("a", to: "A", rule), .reference("self", to: "B", .nullify)),
      ])
      try store.records.insert(into: "A", [.linked(1), .linked(2)])
      try store.records.insert(
        into: "B", (0..<count).map { .linked($0, ["a": 1, "self": $0]) } + [.linked(9_999, ["a": 2, "self": 0])])
      switch rule {
      case .cascade:
        try expectEqual(try store.write { try $0.delete("A", 1) }, 1)
        try expectEqual(try store.links("B", "self"), [9_999: nil])
      case .nullify:
        try expectEqual(try store.write { try $0.delete("A", 1) }, 1)
        let links = try store.links("B", "a")
        try expectEqual(links.count, count + 1)
        try expectEqual(links.values.compactMap { $0 }, [2])
      case .deny:
        try expectError(.referenced) { try store.write { try $0.delete("A", 1) } }
          .expect(model: "A", property: "a", key: "1", says: "the B with the primary key 0")
        try expectEqual(try store.records.delete(.rows("B", "id", .less, count - 1)), count - 1)
        try expectError(.referenced) { try store.write { try $0.delete("A", 1) } }
          .expect(model: "A", property: "a", key: "1", says: "the B with the primary key \(count - 1)")
        try store.write { try $0.delete("B", count - 1) }
        try expectEqual(try store.write { try $0.delete("A", 1) }, 1)
      }
      try store.expectWhole()
    }
  }

  // MARK: Each call that removes

  /// A call that removes the poet 1.
  struct Call: Sendable {
    let name: String
    let delete: @Sendable (WriteTransaction) throws -> Int
  }

  static let calls: [Call] = [
    Call(name: "object") { try $0.delete(Poet(1)) ? 1 : 0 },
    Call(name: "key") { try $0.delete(Poet.self, 1) ? 1 : 0 },
    Call(name: "keys") { try $0.delete(Poet.self, keys: [7, 1, 1]) },
    Call(name: "query") { try $0.delete(Poet.where { $0.name == "one" }) },
    Call(name: "query-of-order") { try $0.delete(Poet.all.sorted(by: \.name, order: .reverse).limit(1)) },
    Call(name: "other-side") { try $0.delete(Poet(0).pupils) },
    Call(name: "record-keys") { try $0.records.delete(in: "Poet", keys: [.int(1)]) },
    Call(name: "record-query") { try $0.records.delete(.rows("Poet", "id", .equal, 1)) },
  ]

  private static func poets(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Poem.self)
    try store.insert(contentsOf: [Poet(0, "a"), Poet(1, "one", teacher: 0), Poet(2, "b", teacher: 1)])
    try store.insert(contentsOf: [
      Poem(1, poet: 1), Poem(2, poet: 2, answers: 1), Poem(3, answers: 3), Poem(4, poet: 1, editor: 2, answers: 2),
    ])
    return store
  }

  static func follows(_ call: Call) -> ConformanceCase {
    rule("delete-by-\(call.name)", ["REL-4", "REL-5", "REL-6"], "A call that removes follows the rules of both sides.")
    {
      kit in
      let store = try poets(kit)
      try expectEqual(try store.write { try call.delete($0) }, 1)
      try expectEqual(try store.fetch(Poet.all), [Poet(0, "a"), Poet(2, "b")])
      try expectEqual(try store.fetch(Poem.all), [Poem(2, poet: 2), Poem(3, answers: 3)])
      try store.expectWhole()
    }
  }

  static func denied(_ call: Call) -> ConformanceCase {
    rule(
      "delete-by-\(call.name)-denied", ["REL-4", "STMT-1"],
      "A call that would remove what must stay is referenced, says who refers, and changes nothing."
    ) { kit in
      let store = try poets(kit)
      try store.insert(Poem(9, poet: 2, editor: 1))
      let before = try StoreImage(store)
      try expectError(.referenced) { try store.write { try call.delete($0) } }
        .expect(
          model: "Poet", property: "editor", key: "1", says: "the Poem with the primary key 9 refers to it, by editor")
      try expectEqual(try StoreImage(store), before)
    }
  }
}
