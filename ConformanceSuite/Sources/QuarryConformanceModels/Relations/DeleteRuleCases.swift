import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// What becomes of objects when the one that they refer to is removed.
enum DeleteRuleCases {
  static let all: [ConformanceCase] = shapes + undone + counts + calls.flatMap { [follows($0), denied($0)] }

  static func rule(
    _ name: String, _ clauses: [String], _ summary: String, within limit: Duration = .seconds(10), line: Int = #line,
    _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "REL.\(name)", clauses, summary, needs: [.savepoints, .deleteWhere, .upsert], within: limit, line: line, body)
  }

  // MARK: Shapes

  /// Three models in a row: C refers to B, B to A.
  static func row(
    _ kit: ConformanceContext, _ first: PropertySchema.Reference.DeleteRule,
    _ second: PropertySchema.Reference.DeleteRule
  ) throws -> Store {
    let store = try kit.store(making: [
      .linked("A"), .linked("B", .reference("a", to: "A", first)), .linked("C", .reference("b", to: "B", second)),
    ])
    try store.write { tx in
      try tx.records.insert(into: "A", (0..<4).map { .linked($0) })
      try tx.records.insert(into: "B", (0..<8).map { .linked($0, ["a": $0 / 2]) })
      try tx.records.insert(into: "C", (0..<16).map { .linked($0, ["b": $0 / 2]) })
    }
    return store
  }

  private static let shapes: [ConformanceCase] = [
    rule("chain-cascade", ["REL-4"], "A cascade goes through three models.") { kit in
      let store = try row(kit, .cascade, .cascade)
      try expectEqual(try store.write { try $0.delete("A", 1) }, 1)
      try expectEqual(try store.ids("A"), [0, 2, 3])
      try expectEqual(try store.ids("B"), [0, 1, 4, 5, 6, 7])
      try expectEqual(try store.ids("C"), [0, 1, 2, 3] + Array(8..<16))
      try store.expectWhole()
    },
    rule("chain-cascade-nullify", ["REL-4"], "What a cascade removes makes references nil in its turn.") { kit in
      let store = try row(kit, .cascade, .nullify)
      try expectEqual(try store.write { try $0.delete("A", 1, 3) }, 2)
      try expectEqual(try store.ids("B"), [0, 1, 4, 5])
      let links = try store.links("C", "b")
      for id in 0..<16 {
        let due: Int? = [0, 2].contains(id / 4) ? id / 2 : nil
        try expectEqual(links[id], .some(due), "\(id)")
      }
      try store.expectWhole()
    },
    rule("chain-cascade-deny", ["REL-4", "STMT-1"], "A deny at the end of a cascade undoes all of it.") { kit in
      let store = try row(kit, .cascade, .deny)
      let before = try StoreImage(store)
      for keys in [[0], [1, 2], [3, 3, 9]] {
        let error = try expectError(.referenced) {
          try store.records.delete(in: "A", keys: keys.map { .int(Int64($0)) })
        }
        try error.expect(model: "B", property: "b", key: error.key, says: "the C with the primary key")
        try expectEqual(error.key.flatMap { Int($0) }.map { keys.contains($0 / 2) }, true)
        try expectEqual(try StoreImage(store), before)
      }
      try store.write { try $0.delete("C", 0, 1, 2, 3) }
      try expectEqual(try store.write { try $0.delete("A", 0) }, 1)
      try expectEqual(try store.ids("B"), Array(2..<8))
    },
    rule("chain-nullify-cascade", ["REL-4"], "An object whose reference becomes nil stays, with what refers to it.") {
      kit in
      let store = try row(kit, .nullify, .cascade)
      try expectEqual(try store.write { try $0.delete("A", 0, 1, 2, 3) }, 4)
      try expectEqual(try store.links("B", "a"), Dictionary(uniqueKeysWithValues: (0..<8).map { ($0, Int?.none) }))
      try expectEqual(try store.ids("C"), Array(0..<16))
    },
    rule(
      "long-chain", ["REL-4"], "A chain of 2,000 objects goes with its first, and ends where it was cut.",
      within: .seconds(60)
    ) {
      kit in
      let store = try kit.store(making: [.linked("N", .reference("previous", to: "N", .cascade))])
      try store.records.insert(into: "N", (0..<2_000).map { .linked($0, ["previous": $0 == 0 ? nil : $0 - 1]) })
      try expectEqual(try store.write { try $0.delete("N", 1_500) }, 1)
      try expectEqual(try store.ids("N"), Array(0..<1_500))
      try expectEqual(try store.write { try $0.delete("N", 0) }, 1)
      try expectEqual(try store.ids("N"), [])
    },
    rule("long-chain-denied", ["REL-4"], "A deny behind a chain of 300 objects undoes all of it.", within: .seconds(30))
    {
      kit in
      let store = try kit.store(making: [
        .linked("N", .reference("previous", to: "N", .cascade)), .linked("Guard", .reference("n", to: "N", .deny)),
      ])
      try store.records.insert(into: "N", (0..<300).map { .linked($0, ["previous": $0 == 0 ? nil : $0 - 1]) })
      try store.records.insert(into: "Guard", [.linked(7, ["n": 299])])
      let error = try expectError(.referenced) { try store.write { try $0.delete("N", 0) } }
      try error.expect(model: "N", property: "n", key: "299", says: "the Guard with the primary key 7")
      try expectEqual(try store.ids("N"), Array(0..<300))
    },
    rule("cycle-of-one", ["REL-4"], "An object that refers to itself is removed by each rule.") { kit in
      for rule in [PropertySchema.Reference.DeleteRule.cascade, .nullify, .deny] {
        let store = try kit.store(making: [.linked("N", .reference("n", to: "N", rule))])
        try store.records.insert(into: "N", [.linked(1, ["n": 1]), .linked(2, ["n": 2]), .linked(3, ["n": nil])])
        try expectEqual(try store.write { try $0.delete("N", 1) }, 1, rule.rawValue)
        try expectEqual(try store.records.delete(QueryTree(model: "N")), 2, rule.rawValue)
        try expectEqual(try store.ids("N"), [])
      }
    },
    rule("cycle-of-two", ["REL-4"], "Two models that refer to each other go round, and end.") { kit in
      let store = try kit.store(making: [
        .linked("A", .reference("b", to: "B", .cascade)), .linked("B", .reference("a", to: "A", .cascade)),
      ])
      try store.write { tx in
        try tx.deferringReferences {
          try tx.records.insert(into: "A", (0..<6).map { .linked($0, ["b": ($0 + 1) % 6]) })
          try tx.records.insert(into: "B", (0..<6).map { .linked($0, ["a": $0 < 3 ? ($0 + 1) % 3 : $0]) })
        }
      }
      // A0 takes B2 whose A is 0; B2 takes A1; A1 takes B0; B0 takes A5; A5 takes B5; B5 takes A4, and so on.
      try expectEqual(try store.write { try $0.delete("A", 0) }, 1)
      try expectEqual(try store.ids("A"), [])
      try expectEqual(try store.ids("B"), [])
    },
    rule("cycle-of-three", ["REL-4"], "A ring through three models goes with one, and another ring stays.") { kit in
      let store = try kit.store(making: [
        .linked("A", .reference("c", to: "C", .cascade)), .linked("B", .reference("a", to: "A", .cascade)),
        .linked("C", .reference("b", to: "B", .cascade)),
      ])
      try store.write { tx in
        try tx.deferringReferences {
          for (model, name) in [("A", "c"), ("B", "a"), ("C", "b")] {
            try tx.records.insert(into: model, (0..<3).map { .linked($0, [name: $0]) })
          }
        }
      }
      try expectEqual(try store.write { try $0.delete("B", 1) }, 1)
      for model in ["A", "B", "C"] { try expectEqual(try store.ids(model), [0, 2], model) }
    },
    rule("ring-of-nullify", ["REL-4"], "In a ring that nullifies one reference becomes nil.") { kit in
      let store = try kit.store(making: [.linked("N", .reference("next", to: "N", .nullify))])
      try store.records.insert(into: "N", (0..<5).map { .linked($0, ["next": ($0 + 1) % 5]) })
      try expectEqual(try store.write { try $0.delete("N", 3) }, 1)
      try expectEqual(try store.links("N", "next"), [0: 1, 1: 2, 2: nil, 4: 0])
    },
    rule("ring-of-deny", ["REL-4"], "A ring that denies goes whole or not at all.") { kit in
      let store = try kit.store(making: [.linked("N", .reference("next", to: "N", .deny))])
      try store.records.insert(into: "N", (0..<5).map { .linked($0, ["next": ($0 + 1) % 5]) })
      for id in 0..<5 {
        try expectError(.referenced) { try store.write { try $0.delete("N", id) } }
          .expect(model: "N", property: "next", key: "\(id)", says: "the N with the primary key \((id + 4) % 5)")
      }
      try expectError(.referenced) { try store.write { try $0.delete("N", 0, 1, 2, 3) } }
      try expectEqual(try store.write { try $0.delete("N", 3, 1, 4, 0, 2) }, 5)
    },
    rule("tree", ["REL-4"], "A branch of a tree goes with its root; the rest stays.") { kit in
      let store = try kit.store(making: [.linked("N", .reference("parent", to: "N", .cascade))])
      try store.records.insert(into: "N", (1..<400).map { .linked($0, ["parent": $0 == 1 ? nil : $0 / 2]) })
      try expectEqual(try store.write { try $0.delete("N", 3) }, 1)
      func isBelow(_ id: Int) -> Bool { id == 3 || (id > 3 && isBelow(id / 2)) }
      try expectEqual(try store.ids("N"), (1..<400).filter { !isBelow($0) })
    },
    rule("diamond", ["REL-4"], "An object that two others lead to is removed once.") { kit in
      let store = try kit.store(making: [
        .linked("N", .reference("left", to: "N", .cascade), .reference("right", to: "N", .cascade))
      ])
      try store.records.insert(
        into: "N",
        [
          .linked(1), .linked(2, ["left": 1]), .linked(3, ["left": 1]), .linked(4, ["left": 2, "right": 3]),
          .linked(5, ["left": 4, "right": 4]), .linked(6, ["right": 6]),
        ])
      try expectEqual(try store.write { try $0.delete("N", 1) }, 1)
      try expectEqual(try store.ids("N"), [6])
    },
    rule("rules-of-one-model", ["REL-4"], "Several references to one model follow each its own rule.") { kit in
      let store = try kit.store(making: [
        .linked("A"),
        .linked(
          "B", .reference("gone", to: "A", .cascade), .reference("none", to: "A", .nullify),
          .reference("held", to: "A", .deny)),
      ])
      try store.records.insert(into: "A", (0..<6).map { .linked($0) })
      try store.records.insert(
        into: "B",
        [
          .linked(0, ["gone": 0, "none": 1, "held": 2]), .linked(1, ["gone": 1, "none": 0, "held": nil]),
          .linked(2, ["gone": 2, "none": 0, "held": 2]), .linked(3, ["gone": nil, "none": 3, "held": 3]),
        ])
      // The object that denies goes by another reference in the same statement; B 0 denies still.
      try expectError(.referenced) { try store.write { try $0.delete("A", 2) } }
        .expect(model: "A", property: "held", key: "2", says: "the B with the primary key 0")
      try expectEqual(try store.write { try $0.delete("A", 0) }, 1)
      try expectEqual(try store.ids("B"), [1, 2, 3])
      try expectEqual(try store.links("B", "none"), [1: nil, 2: nil, 3: 3])
      try expectEqual(try store.write { try $0.delete("A", 2) }, 1)
      try expectError(.referenced) { try store.write { try $0.delete("A", 3) } }
      try expectEqual(try store.links("B", "none"), [1: nil, 3: 3])
      try store.expectWhole()
    },
    rule("deny-satisfied", ["REL-4"], "What denies may go in the same statement, by its key, its query or a cascade.") {
      kit in
      let store = try kit.store(making: [
        .linked("N", .reference("up", to: "N", .deny)), .linked("A"),
        .linked("B", .reference("a", to: "A", .cascade), .reference("also", to: "A", .deny)),
      ])
      try store.records.insert(into: "N", [.linked(1), .linked(2, ["up": 1]), .linked(3, ["up": 2]), .linked(4)])
      try expectError(.referenced) { try store.write { try $0.delete("N", 1, 2) } }
      try expectEqual(try store.records.delete(.rows("N", "id", .less, 4)), 3)
      try expectEqual(try store.ids("N"), [4])
      try store.records.insert(into: "A", [.linked(1), .linked(2)])
      try store.records.insert(into: "B", [.linked(1, ["a": 1, "also": 1]), .linked(2, ["a": 1, "also": 2])])
      try expectEqual(try store.write { try $0.delete("A", 1) }, 1)
      try expectEqual(try store.ids("B"), [])
    },
    rule("unique-nil", ["REL-4", "IDX-1"], "References that a unique index has become nil, many of them.") { kit in
      var model = ModelSchema.linked("B", .reference("a", to: "A", .nullify))
      model.indexes[0].isUnique = true
      let store = try kit.store(making: [.linked("A"), model])
      try store.records.insert(into: "A", (0..<20).map { .linked($0) })
      try store.records.insert(into: "B", (0..<20).map { .linked($0, ["a": $0]) })
      try expectError(.uniqueViolation) { try store.records.insert(into: "B", [.linked(50, ["a": 3])]) }
      try expectEqual(try store.records.delete(.rows("A", "id", .less, 15)), 15)
      let none = QueryTree(model: "B", predicate: .compare(.named("a"), .equal, .value(.null)))
      try expectEqual(try store.records.count(none), 15)
      try store.records.insert(into: "A", [.linked(3)])
      try store.records.insert(into: "B", [.linked(50, ["a": 3])])
      try store.expectWhole()
    },
    rule(
      "key-is-a-reference", ["REL-1", "REL-4"], "A primary key may be a reference, with each rule that it can have."
    ) {
      kit in
      for rule in [PropertySchema.Reference.DeleteRule.cascade, .deny] {
        var part = ModelSchema.linked("Part")
        part.properties[0].reference = .init(to: "A", deleteRule: rule)
        let store = try kit.store(making: [.linked("A"), part])
        try store.records.insert(into: "A", (0..<5).map { .linked($0) })
        try store.records.insert(into: "Part", [.linked(1), .linked(3)])
        try expectError(.missingReference) { try store.records.insert(into: "Part", [.linked(5)]) }
          .expect(model: "Part", property: "id", key: "5", says: "no A with the primary key 5")
        if rule == .cascade {
          try expectEqual(try store.records.delete(.rows("A", "id", .less, 3)), 3)
        } else {
          try expectError(.referenced) { try store.records.delete(.rows("A", "id", .less, 3)) }
            .expect(model: "A", property: "id", key: "1", says: "the Part with the primary key 1")
          try store.write { try $0.delete("Part", 1) }
        }
        try expectEqual(try store.ids("Part"), [3], rule.rawValue)
      }
    },
    rule("nil-key-text", ["REL-4"], "A reference that may be nil is found by its key, whatever its first byte.") {
      kit in
      let store = try kit.store(making: [
        .linked("A", key: .string), .linked("B", .reference("a", to: "A", .nullify, type: .string)),
      ])
      let keys = ["", "\0", "\u{1}", "\u{2}", "\0\0", "\u{1}\0"]
      try store.records.insert(into: "A", keys.map { Record([("id", .string($0))]) })
      try store.records.insert(
        into: "B", keys.enumerated().map { Record(["id": .int(Int64($0.offset)), "a": .string($0.element)]) })
      try store.records.insert(into: "B", [Record(["id": .int(99), "a": .null])])
      for (place, key) in keys.enumerated() {
        try expectEqual(try store.records.delete(in: "A", keys: [.string(key)]), 1)
        let left = try store.records.fetch(QueryTree(model: "B")).map { $0["a"] ?? .null }
        let due: [Value] = keys.enumerated().map { $0.offset <= place ? .null : .string($0.element) } + [.null]
        try expectEqual(left, due)
      }
    },
  ]

  // MARK: Undone

  private static let undone: [ConformanceCase] = [
    rule(
      "rules-undone", ["REL-4", "TXN-3", "TXN-1"],
      "What rules have done is undone with its savepoint and its transaction."
    ) {
      kit in
      struct Undone: Error {}
      for second in [PropertySchema.Reference.DeleteRule.cascade, .nullify] {
        let store = try row(kit, .cascade, second)
        let before = try StoreImage(store)
        try store.write { tx in
          try expectThrows(Undone.self) {
            try tx.savepoint {
              try tx.delete("A", 0, 2)
              throw Undone()
            }
          }
          try expectEqual(try StoreImage(tx), before)
        }
        try expectThrows(Undone.self) {
          try store.write { tx in
            try tx.records.delete(QueryTree(model: "A"))
            throw Undone()
          }
        }
        try expectEqual(try StoreImage(store), before)
        try store.expectWhole()
      }
    },
    rule(
      "refused-goes-on", ["REL-4", "STMT-1"], "After a statement that was refused the transaction goes on and commits."
    ) {
      kit in
      let store = try row(kit, .cascade, .deny)
      try store.write { tx in
        try tx.records.insert(into: "A", [.linked(10)])
        let before = try StoreImage(tx)
        try expectError(.referenced) { try tx.records.delete(QueryTree(model: "A")) }
        try expectEqual(try StoreImage(tx), before)
        try tx.delete("C", 0, 1, 2, 3)
        try tx.delete("A", 0, 10)
      }
      try expectEqual(try store.ids("A"), [1, 2, 3])
      try expectEqual(try store.ids("B"), Array(2..<8))
    },
  ]
}
