import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Each call that writes, with references that lead to objects, to nothing, and nowhere.
enum ReferenceWriteCases {
  /// A call that writes the poem 1, or the part of it that it writes.
  private struct Call: Sendable {
    let name: String
    /// Whether the poem 1 is stored before, without references.
    var isStored = true
    var needs: Set<Capability> = []
    let write: @Sendable (WriteTransaction, Poem) throws -> Void
  }

  private static func value(_ reference: Ref<Poet>?) -> Value { reference.map { .int(Int64($0.key)) } ?? .null }

  private static func record(_ poem: Poem) -> Record {
    Record([
      "id": .int(Int64(poem.id)), "title": .string(poem.title), "poet": value(poem.poet), "editor": .null,
      "answers": poem.answers.map { .int(Int64($0.key)) } ?? .null,
    ])
  }

  private static let calls: [Call] = [
    Call(name: "insert", isStored: false) { try $0.insert($1) },
    Call(name: "insert-many", isStored: false) { try $0.insert(contentsOf: [Poem(11), $1, Poem(12, poet: 1)]) },
    Call(name: "upsert-new", isStored: false) { _ = try $0.upsert($1) },
    Call(name: "upsert-many-new", isStored: false) { _ = try $0.upsert(contentsOf: [$1, Poem(12)]) },
    Call(name: "upsert-columns-new", isStored: false) { _ = try $0.upsert($1, updating: \.title) },
    Call(name: "get-or-insert", isStored: false) { _ = try $0.getOrInsert($1) },
    Call(name: "get-or-make", isStored: false) { tx, poem in _ = try tx.getOrInsert(Poem.self, 1) { poem } },
    Call(name: "insert-mapped", isStored: false) { try $0.mapped(PoemCard.self).insert(PoemCard($1)) },
    Call(name: "insert-many-mapped", isStored: false) {
      try $0.mapped(PoemCard.self).insert(contentsOf: [PoemCard($1), PoemCard(Poem(12))])
    },
    Call(name: "insert-records", isStored: false) {
      try $0.records.insert(into: "Poem", [record($1), record(Poem(12))])
    },
    Call(name: "upsert-records-new", isStored: false) { _ = try $0.records.upsert(into: "Poem", [record($1)]) },
    Call(name: "upsert-partial-records-new", isStored: false) {
      _ = try $0.records.upsert(into: "Poem", [record($1)], updating: ["title"])
    },
    Call(name: "upsert") { _ = try $0.upsert($1) },
    Call(name: "upsert-many") { _ = try $0.upsert(contentsOf: [Poem(1, poet: 99), Poem(12), $1]) },
    Call(name: "upsert-columns") { _ = try $0.upsert($1, updating: \.title, \.poet) },
    Call(name: "update") { try $0.update($1) },
    Call(name: "update-if-unchanged") { try $0.update($1, ifUnchangedFrom: Poem(1, "old")) },
    Call(name: "update-if-stored") { try $0.update($1, ifStored: \.title, is: "old") },
    Call(name: "update-closure") { tx, poem in try tx.update(Poem.self, 1) { $0 = poem } },
    Call(name: "update-where") { tx, poem in
      _ = try tx.update(Poem.where { $0.title == "old" }) { (stored: inout Poem) in
        stored.poet = poem.poet; stored.title = poem.title
      }
    },
    Call(name: "assign") { tx, poem in
      try tx.assign(Poem.self, 1) {
        $0.poet = poem.poet
        $0.title = poem.title
      }
    },
    Call(name: "assign-where", needs: [.updateWhere]) { tx, poem in
      _ = try tx.assign(Poem.where { $0.title == "old" }) {
        $0.poet = poem.poet
        $0.title = poem.title
      }
    },
    Call(name: "upsert-mapped") { _ = try $0.mapped(PoemCard.self).upsert(PoemCard($1)) },
    Call(name: "upsert-many-mapped") {
      _ = try $0.mapped(PoemCard.self).upsert(contentsOf: [PoemCard($1), PoemCard(Poem(12))])
    },
    Call(name: "update-mapped") { try $0.mapped(PoemCard.self).update(PoemCard($1)) },
    Call(name: "upsert-records") { _ = try $0.records.upsert(into: "Poem", [record($1)]) },
    Call(name: "upsert-partial-records") {
      _ = try $0.records.upsert(into: "Poem", [record($1)], updating: ["poet", "title"])
    },
    Call(name: "assign-records", needs: [.updateWhere]) {
      _ = try $0.records.assign(
        .rows("Poem", "id", .equal, 1), [.init("poet", .set, value($1.poet)), .init("title", .set, .string($1.title))])
    },
  ]

  static let all: [ConformanceCase] =
    calls.map(right) + calls.map(missing) + ownKey.map(itself) + [
      forward, large, self_, replaced, leftAlone, calculated,
    ]
    + [wrongOfTwo, firstOfMany, sameStatement, noneStored]

  private static func store(_ kit: ConformanceContext, _ call: Call) throws -> Store {
    let store = try kit.store(Poem.self)
    try store.insert(contentsOf: [Poet(1, "a"), Poet(2, "b")])
    try store.insert(contentsOf: [Poem(5, "other", poet: 2, editor: 2)] + (call.isStored ? [Poem(1, "old")] : []))
    return store
  }

  private static func right(_ call: Call) -> ConformanceCase {
    ConformanceCase(
      "REL.\(call.name)", ["REL-2", "REL-7"], "A reference is stored that leads to an object, and nil.",
      needs: call.needs.union([.upsert])
    ) { kit in
      for poet in [1, 2, nil] {
        let store = try store(kit, call)
        let poem = Poem(1, "new", poet: poet)
        try store.write { try call.write($0, poem) }
        try expectEqual(try store.get(Poem.self, 1), poem)
        try expectEqual(try store.get(Poem.self, 5), Poem(5, "other", poet: 2, editor: 2))
        try expectEqual(try store.keys(Poem.where { $0.poet == poem.poet && $0.id == 1 }), [1])
        try store.expectWhole(call.name)
      }
    }
  }

  private static func missing(_ call: Call) -> ConformanceCase {
    ConformanceCase(
      "REL.\(call.name)-missing", ["REL-2", "STMT-1"],
      "A reference that leads to nothing is missingReference, names what refers, and changes nothing.",
      needs: call.needs.union([.upsert, .savepoints])
    ) { kit in
      let store = try store(kit, call)
      for poet in [0, 3, -1, Int.max] {
        let before = try StoreImage(store)
        let error = try expectError(.missingReference) {
          try store.write { try call.write($0, Poem(1, "new", poet: poet)) }
        }
        try error.expect(
          model: "Poem", property: "poet", key: "1", says: "there is no Poet with the primary key \(poet)")
        try expectEqual(try StoreImage(store), before)
        // The transaction goes on after it.
        try store.write { tx in
          try expectError(.missingReference) { try call.write(tx, Poem(1, "new", poet: poet)) }
          try expectEqual(try StoreImage(tx), before)
          try tx.upsert(Poet(7))
        }
        try expectEqual(try store.count(Poet.all), 3)
        try store.delete(Poet.self, 7)
      }
    }
  }

  /// The calls that may write an object that refers to itself.
  private static let ownKey = calls.filter {
    !$0.name.contains("assign") && $0.name != "update-where" && !$0.name.contains("columns")
      && !$0.name.contains("partial")
  }

  private static func itself(_ call: Call) -> ConformanceCase {
    ConformanceCase(
      "REL.\(call.name)-of-itself", ["REL-2"], "An object may refer to itself, and is removed with that reference.",
      needs: call.needs.union([.upsert])
    ) { kit in
      let store = try store(kit, call)
      let poem = Poem(1, "new", poet: 1, answers: 1)
      try store.write { try call.write($0, poem) }
      try expectEqual(try store.get(Poem.self, 1), poem)
      let error = try expectError(.missingReference) {
        try store.write { try $0.upsert(Poem(2, answers: 3)) }
      }
      try error.expect(model: "Poem", property: "answers", key: "2", says: "no Poem with the primary key 3")
      try expect(try store.delete(Poem.self, 1))
      try expectEqual(try store.get(Poem.self, 1), nil)
    }
  }

  // MARK: Statements of many

  private static let forward = ConformanceCase(
    "REL.order-in-a-statement", ["REL-2"],
    "Objects of one statement refer to each other in any order, and to one that is nowhere in it they do not."
  ) { kit in
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
      let store = try kit.store(Poem.self)
      let ring = order.map { Poem($0, answers: ($0 + 1) % 4) }
      try store.insert(contentsOf: ring)
      try expectEqual(try store.fetch(Poem.all), (0..<4).map { Poem($0, answers: ($0 + 1) % 4) })
      let error = try expectError(.missingReference) {
        try store.insert(contentsOf: order.map { Poem(10 + $0, answers: 11 + $0) })
      }
      try error.expect(model: "Poem", property: "answers", key: "13", says: "14")
      let tied = try expectError(.missingReference) {
        try store.upsert(contentsOf: order.map { Poem(10 + $0, answers: $0 == 2 ? 77 : 10) })
      }
      try tied.expect(model: "Poem", property: "answers", key: "12", says: "77")
      try expectEqual(try store.count(Poem.all), 4)
    }
  }

  /// A text so long that a statement of some objects goes to the engine in several parts.
  private static let long = String(repeating: "line ", count: 60_000)

  private static let large = ConformanceCase(
    "REL.order-in-a-large-statement", ["REL-2", "STMT-1"],
    "Objects of a statement of several megabytes refer to each other in any order; one that leads nowhere undoes all.",
    within: .seconds(30)
  ) { kit in
    let store = try kit.store(Poem.self)
    let count = 12
    try store.insert(contentsOf: (0..<count).lazy.map { Poem($0, long, answers: count - 1 - $0) })
    try expectEqual(try store.fetch(Poem.all).map { $0.answers?.key }, (0..<count).reversed())
    let before = try StoreImage(store)
    for broken in kit.triesFew ? [count / 2] : [0, count / 2, count - 1] {
      let error = try expectError(.missingReference) {
        try store.insert(
          contentsOf: (0..<count).lazy.map { Poem(100 + $0, long, answers: $0 == broken ? 999 : 100 + count - 1 - $0) })
      }
      try error.expect(model: "Poem", property: "answers", key: "\(100 + broken)", says: "999")
      try expectEqual(try StoreImage(store), before)
    }
    let replaced = try store.upsert(
      contentsOf: (0..<count).lazy.map { Poem($0, long, answers: count + $0 % 3) }
        + (0..<3).map { Poem(count + $0) })
    try expectEqual(replaced, 3)
    try expectEqual(
      try store.fetch(Poem.all).prefix(count).map { $0.answers?.key }, (0..<count).map { count + $0 % 3 })
  }

  private static let self_ = ConformanceCase(
    "REL.many-of-themselves", ["REL-2"], "1,500 objects that each refer to themselves are stored in one statement."
  ) { kit in
    let store = try kit.store(Poem.self)
    try store.insert(contentsOf: (0..<1_500).map { Poem($0, answers: $0) })
    try expectEqual(try store.count(Poem.where { $0.answers == nil }), 0)
    try expectEqual(try store.keys(Poem.where { $0.answers == Ref(1_200) }), [1_200])
  }

  private static let replaced = ConformanceCase(
    "REL.replaced-in-a-statement", ["REL-2", "UPS-4"],
    "A row of an upsert that a later one of it replaces is not looked at; the last is.", needs: [.upsert]
  ) { kit in
    let store = try kit.store(Poem.self)
    try store.insert(Poet(1))
    try store.upsert(contentsOf: [Poem(1, poet: 9), Poem(2, poet: 1), Poem(1, poet: 1)])
    try expectEqual(try store.fetch(Poem.all), [Poem(1, poet: 1), Poem(2, poet: 1)])
    let error = try expectError(.missingReference) {
      try store.upsert(contentsOf: [Poem(1), Poem(2, poet: 1), Poem(1, poet: 9)])
    }
    try error.expect(model: "Poem", property: "poet", key: "1", says: "9")
    try expectEqual(try store.fetch(Poem.all), [Poem(1, poet: 1), Poem(2, poet: 1)])
  }

  private static let leftAlone = ConformanceCase(
    "REL.not-stored-not-looked-at", ["REL-2", "UPS-3", "CRUD-10"],
    "Properties that an upsert leaves, and the object of a get-or-insert that is there, are not looked at.",
    needs: [.upsert]
  ) { kit in
    let store = try kit.store(Poem.self)
    try store.insert(Poem(1, "old"))
    try store.write { tx in
      try expect(try !tx.upsert(Poem(1, "new", poet: 9, editor: 8), updating: \.title))
      try expectEqual(try tx.getOrInsert(Poem(1, "other", poet: 9)), Poem(1, "new"))
      try expectEqual(try tx.records.upsert(into: "Poem", [record(Poem(1, "newer", poet: 9))], updating: ["title"]), 0)
      // What it adds is looked at whole.
      try expectError(.missingReference) { try tx.upsert(Poem(2, poet: 9), updating: \.title) }
      try expectError(.missingReference) { try tx.getOrInsert(Poem(2, poet: 9)) }
    }
    try expectEqual(try store.fetch(Poem.all), [Poem(1, "newer")])
  }

  private static let calculated = ConformanceCase(
    "REL.no-arithmetic", ["REL-1", "REL-2"], "A reference is set, and not calculated with.", needs: [.updateWhere]
  ) { kit in
    let store = try kit.store(Poem.self)
    try store.insert(contentsOf: [Poet(1), Poet(2)])
    try store.insert(contentsOf: [Poem(1, poet: 1)])
    let before = try StoreImage(store)
    for operation in [AssignmentOperation.add, .subtract, .multiply] {
      let error = try expectError(.invalidQuery, "\(operation)") {
        try store.records.assign(QueryTree(model: "Poem"), [.init("poet", operation, .int(1))])
      }
      try expectEqual(error.property, "poet")
    }
    try expectEqual(try StoreImage(store), before)
    try expectEqual(try store.records.assign(.rows("Poem", "id", .equal, 7), [.init("poet", .set, .int(9))]), 0)
  }

  private static let wrongOfTwo = ConformanceCase(
    "REL.each-reference-of-an-object", ["REL-2"], "Each of an object's references is looked at, and named in the error."
  ) { kit in
    let store = try kit.store(Poem.self)
    try store.insert(contentsOf: [Poet(1), Poet(2)])
    for (poem, name) in [
      (Poem(1, poet: 9, editor: 1), "poet"), (Poem(1, poet: 1, editor: 9), "editor"),
      (Poem(1, poet: 1, editor: 2, answers: 9), "answers"),
    ] {
      try expectError(.missingReference, name) { try store.insert(poem) }
        .expect(model: "Poem", property: name, key: "1", says: "9")
    }
    try expectError(.missingReference) { try store.insert(Poet(3, teacher: 4)) }
      .expect(model: "Poet", property: "teacher", key: "3", says: "no Poet with the primary key 4")
    try store.insert(Poem(1, poet: 1, editor: 2, answers: 1))
    try expectEqual(try store.count(Poet.all), 2)
  }

  private static let firstOfMany = ConformanceCase(
    "REL.one-wrong-of-many", ["REL-2", "STMT-1"],
    "Of 2,500 objects one that leads nowhere, wherever it stands, is found and nothing is stored.",
    within: .seconds(30)
  ) { kit in
    let store = try kit.store(Poem.self)
    try store.insert(contentsOf: (0..<2_000).map { Poet($0) })
    for broken in [0, 1, 999, 1_000, 1_001, 2_000, 2_499] {
      let error = try expectError(.missingReference, "\(broken)") {
        try store.insert(contentsOf: (0..<2_500).map { Poem($0, poet: $0 == broken ? 7_777 : $0 * 7 % 2_000) })
      }
      try error.expect(model: "Poem", property: "poet", key: "\(broken)", says: "7777")
      try expectEqual(try store.count(Poem.all), 0)
    }
    try store.insert(contentsOf: (0..<2_500).map { Poem($0, poet: $0 * 7 % 2_000) })
    try expectEqual(
      try store.count(Poem.where { $0.poet == Ref(1) }), (0..<2_500).count { $0 * 7 % 2_000 == 1 })
  }

  private static let sameStatement = ConformanceCase(
    "REL.own-writes", ["REL-2", "TXN-2"],
    "What a transaction has stored can be referred to, what it has removed cannot.",
    needs: [.savepoints]
  ) { kit in
    let store = try kit.store(Poem.self)
    try store.insert(Poet(1))
    try store.write { tx in
      try tx.insert(Poet(2))
      try tx.insert(Poem(1, poet: 2))
      try tx.delete(Poet.self, 1)
      try expectError(.missingReference) { try tx.insert(Poem(2, poet: 1)) }
      try? tx.savepoint {
        try tx.insert(Poet(3))
        try tx.insert(Poem(3, poet: 3))
        throw StorageError(.conflict, "undone")
      }
      try expectError(.missingReference) { try tx.insert(Poem(3, poet: 3)) }
    }
    try expectEqual(try store.fetch(Poem.all), [Poem(1, poet: 2)])
  }

  private static let noneStored = ConformanceCase(
    "REL.statement-without-objects", ["REL-2"], "A statement without objects is nothing to look at.", needs: [.upsert]
  ) { kit in
    let store = try kit.store(Poem.self)
    try store.insert(contentsOf: [Poem]())
    try expectEqual(try store.upsert(contentsOf: [Poem]()), 0)
    try expectEqual(try store.delete(Poet.self, keys: [Int]()), 0)
    try expectEqual(try store.delete(Poet.self, keys: [1, 1]), 0)
    try expectEqual(try store.count(Poem.all), 0)
  }
}
