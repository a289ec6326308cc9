import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// What a block that defers references leaves open, and what of it counts at the end.
enum OpenReferenceCases {
  static let all: [ConformanceCase] =
    missing + several + assigned + [openAgain, forgotten, refusedTwice, droppedReference, sameKeys]

  private typealias Rule = PropertySchema.Reference.DeleteRule
  private static let rules: [Rule] = [.cascade, .nullify, .deny]

  private struct Undone: Error {}

  private static func open(
    _ name: String, _ clauses: [String], _ summary: String, line: Int = #line,
    _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "REL.open-\(name)", clauses, summary, needs: [.savepoints, .deleteWhere, .upsert], line: line, body)
  }

  /// A is referred to by B, whose rows 1 to 4 refer to the A of the same number.
  private static func store(_ kit: ConformanceContext, _ rule: PropertySchema.Reference.DeleteRule) throws -> Store {
    let store = try kit.store(making: [.linked("A"), .linked("B", .reference("a", to: "A", rule))])
    try store.write { tx in
      try tx.records.insert(into: "A", (1...4).map { .linked($0) })
      try tx.records.insert(into: "B", (1...4).map { .linked($0, ["a": $0]) })
    }
    return store
  }

  // MARK: Keys that are not stored yet

  /// Calls that remove the objects of model A with the keys 7 and 8, which are not stored.
  private static let removals: [(String, @Sendable (WriteTransaction) throws -> Int)] = [
    ("keys", { try $0.delete("A", 8, 7, 8) }), ("key", { try $0.delete("A", 7) }),
    ("query", { try $0.records.delete(.rows("A", "id", .greater, 5)) }),
  ]

  private static let missing: [ConformanceCase] = [
    open("removed-before-stored", ["REL-3", "REL-4"], "Removing a key that is not stored yet follows no rule.") { kit in
      for rule in rules {
        let store = try store(kit, rule)
        for (name, remove) in removals {
          let about = "\(rule.rawValue) by \(name)"
          try store.write { tx in
            try tx.deferringReferences {
              try tx.records.insert(into: "B", [.linked(7, ["a": 7]), .linked(8, ["a": 8])])
              try expectEqual(try remove(tx), 0, about)
              try expectEqual(
                try tx.records.fetch(QueryTree(model: "B")).map { $0["a"]?.intValue }, [1, 2, 3, 4, 7, 8], about)
              try tx.records.insert(into: "A", [.linked(7), .linked(8)])
            }
            try tx.delete("B", 7, 8)
            try tx.delete("A", 7, 8)
          }
        }
        try store.expectWhole(rule.rawValue)
      }
    },
    open("removed-among-stored", ["REL-3", "REL-4", "CRUD-5"], "Of stored and missing keys the stored have rules.") {
      kit in
      for rule in rules {
        let store = try store(kit, rule)
        try store.write { tx in
          try tx.deferringReferences {
            try tx.records.insert(into: "B", [.linked(7, ["a": 7])])
            try expectEqual(try tx.delete("A", 7, 2, 9, 4), 2, rule.rawValue)
            if rule == .deny { try tx.delete("B", 2, 4) }
            try tx.records.insert(into: "A", [.linked(7)])
          }
        }
        let due: [Int: Int?] = rule == .nullify ? [1: 1, 2: nil, 3: 3, 4: nil, 7: 7] : [1: 1, 3: 3, 7: 7]
        try expectEqual(try store.links("B", "a"), due, rule.rawValue)
        try expectEqual(try store.ids("A"), [1, 3, 7], rule.rawValue)
        try store.expectWhole(rule.rawValue)
      }
    },
    open("removed-left-missing", ["REL-3"], "A key that is removed before it is stored, and never stored, is missing.")
    {
      kit in
      for rule in rules {
        let store = try store(kit, rule)
        let before = try StoreImage(store)
        let error = try expectError(.missingReference, rule.rawValue) {
          try store.write { tx in
            try tx.deferringReferences {
              try tx.records.insert(into: "B", [.linked(7, ["a": 7])])
              try tx.delete("A", 7)
            }
          }
        }
        try error.expect(model: "B", property: "a", key: "7", says: "no A with the primary key 7")
        try expectEqual(try StoreImage(store), before, rule.rawValue)
      }
    },
    open("stored-and-removed", ["REL-3", "REL-4"], "What is stored in the block and removed in it has its rules.") {
      kit in
      for rule in rules {
        let store = try store(kit, rule)
        try store.write { tx in
          try tx.deferringReferences {
            try tx.records.insert(into: "B", [.linked(7, ["a": 7])])
            try tx.records.insert(into: "A", [.linked(7)])
            try expectEqual(try tx.delete("A", 7), 1)
            if rule == .deny { try tx.delete("B", 7) }
          }
        }
        let due: [Int: Int?] = rule == .nullify ? [1: 1, 2: 2, 3: 3, 4: 4, 7: nil] : [1: 1, 2: 2, 3: 3, 4: 4]
        try expectEqual(try store.links("B", "a"), due, rule.rawValue)
      }
    },
  ]

  // MARK: Several that are open

  private static let several: [ConformanceCase] = [
    open("several-removed", ["REL-3", "REL-4"], "Of several removed objects any that is still referred to is told.") {
      kit in
      for left in 1...4 {
        for order in [[1, 2, 3, 4], [4, 3, 2, 1], [2, 4, 1, 3]] {
          let store = try store(kit, .deny)
          let before = try StoreImage(store)
          let error = try expectError(.referenced, "\(left) of \(order)") {
            try store.write { tx in
              try tx.deferringReferences {
                try tx.records.delete(in: "A", keys: order.map { .int(Int64($0)) })
                // One comes again, one is released, one goes with what refers to it.
                for (place, id) in order.filter({ $0 != left }).enumerated() {
                  switch place {
                  case 0: try tx.records.insert(into: "A", [.linked(id)])
                  case 1: try tx.records.assign(.rows("B", "id", .equal, id), [.init("a", .set, .null)])
                  default: try tx.delete("B", id)
                  }
                }
              }
            }
          }
          try error.expect(model: "A", property: "a", key: "\(left)", says: "the B with the primary key \(left)")
          try expectEqual(try StoreImage(store), before)
        }
      }
    },
    open("several-missing", ["REL-3"], "Of several missing keys any that stays missing is told.") { kit in
      for left in 7...10 {
        let store = try store(kit, .nullify)
        let error = try expectError(.missingReference, "\(left)") {
          try store.write { tx in
            try tx.deferringReferences {
              for id in 7...10 { try tx.records.insert(into: "B", [.linked(id, ["a": id])]) }
              try tx.records.insert(into: "A", (7...10).filter { $0 != left }.map { .linked($0) })
            }
          }
        }
        try error.expect(model: "B", property: "a", key: "\(left)", says: "no A with the primary key \(left)")
      }
    },
    open("several-references", ["REL-3"], "Each of a model's references is looked at, and each of several models.") {
      kit in
      let names = ["first", "second", "third"]
      for left in names + ["other"] {
        let store = try kit.store(making: [
          .linked("A"),
          .linked(
            "B", .reference("first", to: "A", .deny), .reference("second", to: "A", .nullify),
            .reference("third", to: "B", .cascade)), .linked("C", .reference("other", to: "B", .deny)),
        ])
        let error = try expectError(.missingReference, left) {
          try store.write { tx in
            try tx.deferringReferences {
              let rows: [Record] = [.linked(1, ["first": 1, "second": 2, "third": 3])]
              try tx.records.insert(into: "B", rows)
              try tx.records.insert(into: "C", [.linked(1, ["other": 4])])
              if left != "first" { try tx.records.insert(into: "A", [.linked(1)]) }
              if left != "second" { try tx.records.insert(into: "A", [.linked(2)]) }
              if left != "third" { try tx.records.insert(into: "B", [.linked(3)]) }
              if left != "other" { try tx.records.insert(into: "B", [.linked(4)]) }
            }
          }
        }
        try error.expect(model: left == "other" ? "C" : "B", property: left, key: "1", says: "there is no")
        try expectEqual(try store.ids("B"), [], left)
      }
    },
    open(
      "same-block", ["REL-3", "REL-4"], "A key that is removed and one that is missing are each told as what it is."
    ) {
      kit in
      let store = try store(kit, .deny)
      for isRemoved in [true, false] {
        let error = try expectError(isRemoved ? .referenced : .missingReference) {
          try store.write { tx in
            try tx.deferringReferences {
              try tx.delete("A", 2)
              try tx.records.insert(into: "B", [.linked(7, ["a": 7])])
              try tx.records.insert(into: "A", [.linked(isRemoved ? 7 : 2)])
            }
          }
        }
        try expectEqual(error.key, isRemoved ? "2" : "7")
      }
    },
  ]

  // MARK: Assignments to nothing

  private static func nothing() -> [(String, QueryTree)] {
    [
      ("condition", .rows("B", "id", .greater, 99)), ("limit", QueryTree(model: "B", limit: 0)),
      ("offset", QueryTree(model: "B", offset: 4)), ("offset and limit", QueryTree(model: "B", limit: 2, offset: 9)),
    ]
  }

  private static let assigned: [ConformanceCase] = [
    open(
      "assigned-to-none", ["REL-2", "STMT-5"], "Assigning a missing key to the objects of an empty query is nothing."
    ) {
      kit in
      let store = try store(kit, .nullify)
      let before = try StoreImage(store)
      for (name, query) in nothing() {
        try expectEqual(try store.records.assign(query, [.init("a", .set, .int(77))]), 0, name)
        try expectEqual(
          try store.records.assign(query, [.init("note", .set, .string("x")), .init("a", .set, .int(77))]), 0, name)
        try store.write { tx in
          try tx.deferringReferences {
            try expectEqual(try tx.records.assign(query, [.init("a", .set, .int(77))]), 0, name)
          }
        }
      }
      try expectEqual(try StoreImage(store), before)
    },
    open("assigned-to-the-last", ["REL-2", "STMT-5"], "Assigning a missing key to one chosen object is missing there.")
    {
      kit in
      let store = try store(kit, .nullify)
      let query = QueryTree(model: "B", order: [.init("id")], limit: 1, offset: 3)
      try expectError(.missingReference) { try store.records.assign(query, [.init("a", .set, .int(77))]) }
        .expect(model: "B", property: "a", key: "4", says: "no A with the primary key 77")
      try expectEqual(try store.records.assign(query, [.init("a", .set, .int(1))]), 1)
      try expectEqual(try store.links("B", "a"), [1: 1, 2: 2, 3: 3, 4: 1])
    },
    open("assigned-after-nil", ["REL-2"], "Of several references that are assigned each is looked at, after nil too.") {
      kit in
      let store = try kit.store(making: [
        .linked("A"), .linked("B", .reference("x", to: "A", .nullify), .reference("y", to: "A", .nullify)),
      ])
      try store.records.insert(into: "A", [.linked(1)])
      try store.records.insert(into: "B", [.linked(1, ["x": 1, "y": 1])])
      let query = QueryTree(model: "B")
      for (x, y) in [(nil, 9), (9, nil), (1, 9), (9, 1)] as [(Int?, Int?)] {
        func set(_ name: String, _ key: Int?) -> AssignmentTree {
          .init(name, .set, key.map { .int(Int64($0)) } ?? .null)
        }
        for assignments in [[set("x", x), set("y", y)], [set("y", y), set("x", x)]] {
          try expectError(.missingReference) { try store.records.assign(query, assignments) }
            .expect(model: "B", property: x == 9 ? "x" : "y", key: "1", says: "primary key 9")
        }
      }
      try expectEqual(try store.links("B", "x"), [1: 1])
    },
  ]

  // MARK: What was undone

  private static let openAgain = open(
    "again", ["REL-3"], "What an undone block left open is looked at when a later one leaves it open again."
  ) { kit in
    let store = try store(kit, .deny)
    try store.write { tx in
      try tx.deferringReferences {
        for _ in 0..<2 {
          try expectThrows(Undone.self) {
            try tx.deferringReferences {
              try tx.records.insert(into: "B", [.linked(7, ["a": 7])])
              try tx.delete("A", 3)
              throw Undone()
            }
          }
        }
      }
      for remove in [true, false] {
        try expectError(remove ? .referenced : .missingReference) {
          try tx.deferringReferences {
            if remove {
              try tx.delete("A", 3)
            } else {
              try tx.records.insert(into: "B", [.linked(7, ["a": 7])])
            }
          }
        }
      }
    }
    try expectEqual(try store.ids("A"), [1, 2, 3, 4])
    try store.expectWhole()
  }

  private static let forgotten = open(
    "forgotten", ["REL-3", "REL-4"], "What an undone block left open does not hide what a statement after it leaves."
  ) { kit in
    let store = try store(kit, .deny)
    try store.write { tx in
      func undo() throws {
        try expectThrows(Undone.self) {
          try tx.deferringReferences {
            try tx.delete("A", 3)
            throw Undone()
          }
        }
      }
      try undo()
      try expectError(.referenced) { try tx.delete("A", 3) }
        .expect(model: "A", property: "a", key: "3", says: "the B with the primary key 3")
      try undo()
      // Nothing refers to the object when it goes: the key is missing for the one that comes.
      try expectError(.missingReference) {
        try tx.deferringReferences {
          try tx.delete("B", 3)
          try tx.delete("A", 3)
          try tx.records.insert(into: "B", [.linked(7, ["a": 3])])
        }
      }.expect(model: "B", property: "a", key: "7", says: "no A with the primary key 3")
    }
    try expectEqual(try store.ids("A"), [1, 2, 3, 4])
    try store.expectWhole()
  }

  private static let refusedTwice = open(
    "refused-twice", ["REL-4", "STMT-1"], "A refused removal is refused again, and troubles no other statement."
  ) { kit in
    let store = try store(kit, .deny)
    try store.write { tx in
      for remove in [
        { try tx.delete("A", 2, 3) }, { try tx.delete("A", 3, 2) }, { try tx.records.delete(QueryTree(model: "A")) },
        { try tx.delete("A", 2) }, { try tx.delete("A", 2) },
      ] as [() throws -> Int] {
        for _ in 0..<2 { try expectError(.referenced) { _ = try remove() } }
        try tx.records.assign(.rows("B", "id", .equal, 1), [.init("a", .set, .int(1))])
      }
      try expectError(.missingReference) {
        try tx.deferringReferences {
          try tx.delete("B", 2)
          try tx.delete("A", 2)
          try tx.records.insert(into: "B", [.linked(7, ["a": 2])])
        }
      }.expect(model: "B", property: "a", key: "7", says: "no A with the primary key 2")
    }
    try expectEqual(try store.ids("A"), [1, 2, 3, 4])
    try store.expectWhole()
  }

  private static let droppedReference = ConformanceCase(
    "REL.open-dropped", ["REL-4", "SCH-7", "MIG-3"],
    "A reference that was dropped keeps nothing and makes nothing nil.",
    needs: [.schemaDropProperty, .savepoints], requiresPersistence: true, without: ConformanceVariant.ofReads
  ) { kit in
    for rule in rules {
      let models = [ModelSchema.linked("A"), .linked("B", .reference("a", to: "A", rule))]
      let stage = try MigratingStore(
        kit, models, ["A": [.linked(1), .linked(2)], "B": [.linked(1, ["a": 1]), .linked(2, ["a": 2])]])
      let store = try stage.open([.linked("A"), .linked("B")], Migration.dropping("B.a"))
      try expectEqual(try store.write { try $0.delete("A", 1) }, 1, rule.rawValue)
      try store.records.insert(into: "B", [.linked(3)])
      try expectError(.invalidQuery) { try store.read { try $0.records.fetch(in: "A", where: "ANY `B.a`.id == 1") } }
      try expectEqual(try store.records.delete(QueryTree(model: "A")), 1, rule.rawValue)
      try expectEqual(try store.ids("B"), [1, 2, 3], rule.rawValue)
      try expectEqual(try store.check(), [], rule.rawValue)
      try store.close()
    }
  }

  private static let sameKeys = open(
    "same-keys", ["REL-2"], "An object of another model with the same key does not stand for the one referred to."
  ) { kit in
    let store = try kit.store(making: [
      .linked("A"), .linked("B", .reference("a", to: "A", .deny), .reference("b", to: "B", .nullify)),
    ])
    try expectError(.missingReference) { try store.records.insert(into: "B", [.linked(5, ["a": 5])]) }
    try expectError(.missingReference) {
      try store.records.insert(into: "B", [.linked(5), .linked(6, ["a": 5]), .linked(7, ["a": 6])])
    }
    try store.records.insert(into: "B", [.linked(5, ["b": 5]), .linked(6, ["b": 7]), .linked(7, ["b": 6])])
    try expectError(.missingReference) {
      try store.write { try $0.records.assign(.rows("B", "id", .equal, 5), [.init("a", .set, .int(5))]) }
    }
    let record = Record.linked(8, ["a": 8])
    try expectError(.missingReference) { try store.records.upsert(into: "B", [record]) }
    try expectEqual(try store.ids("B"), [5, 6, 7])
  }
}
