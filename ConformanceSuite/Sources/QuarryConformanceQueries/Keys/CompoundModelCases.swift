import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Compound keys of models that are made by schemas, their members of all types, and changes of them.
enum CompoundModelCases {
  static let all: [ConformanceCase] = members + typed + changed

  /// A model whose key has these members, and which has two other properties.
  private static func pair(_ members: [(name: String, type: PropertyType)], key: [String]) -> ModelSchema {
    var properties = members.map { PropertySchema(name: $0.name, type: $0.type) }
    properties += [.string("note"), .int("rent")]
    let slots = key.map { name in properties.firstIndex { $0.name == name } ?? 0 }
    guard key.count > 1 else { return ModelSchema(name: "Pair", properties: properties, primaryKey: slots[0]) }
    properties.append(
      PropertySchema(name: "_key", type: .data, keyMembers: slots.map { KeyMember(properties[$0].type) }))
    return ModelSchema(
      name: "Pair", properties: properties, primaryKey: properties.count - 1, keyMembers: slots)
  }

  private static let three: [(name: String, type: PropertyType)] = [("a", .int64), ("b", .string), ("c", .string)]
  private static let plain = pair(three, key: ["a", "b"])

  private static func record(_ a: Int, _ b: String, _ c: String = "") -> Record {
    Record([
      "a": .int(Int64(a)), "b": .string(b), "c": .string(c), "note": .string("n\(a)\(b)"), "rent": .int(Int64(a)),
    ])
  }

  private static func compound(
    _ name: String, _ clauses: [String], _ summary: String, making models: [ModelSchema] = [plain],
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("KEY.compound-\(name)", clauses, summary, within: .seconds(20)) { kit in
      let store = try kit.store(making: models)
      try body(store)
      try store.expectWhole()
    }
  }

  // MARK: Members

  private static let withDefault: ModelSchema = {
    var model = plain
    model.properties[0].defaultValue = 7
    return model
  }()

  private static let members: [ConformanceCase] = [
    compound("default", ["KEY-20"], "A member that a record leaves out has its default.", making: [withDefault]) {
      store in
      let record = Record(["b": "x", "c": "", "note": "", "rent": 1])
      try store.records.insert(into: "Pair", [record])
      try expectEqual(try store.records.get(in: "Pair", key: .array([7, "x"]))?["rent"], 1)
      let error = try expectError(.duplicateKey) { try store.records.insert(into: "Pair", [record]) }
      try expectEqual(error.key, #"[7,"x"]"#)
      try expectError(.missingValue) {
        try store.records.insert(into: "Pair", [Record(["c": "", "note": "", "rent": 1])])
      }
    },
    compound(
      "partial-upsert", ["KEY-20", "CRUD-16"],
      "An upsert of some properties finds the object of its members, whose other properties stay."
    ) { store in
      try store.records.insert(into: "Pair", [record(1, "x"), record(2, "x")])
      let change = Record(["a": 1, "b": "x", "rent": 50])
      try store.records.upsert(into: "Pair", [change], updating: ["rent"])
      let stored = try unwrap(try store.records.get(in: "Pair", key: .array([1, "x"])))
      try expectEqual(stored["rent"], 50)
      try expectEqual(stored["note"], "n1x")
      try expectEqual(try store.records.count(.init(model: "Pair")), 2)
      // A new object needs them.
      try expectError(.missingValue) {
        try store.records.upsert(into: "Pair", [Record(["a": 3, "b": "x", "rent": 5])], updating: ["rent"])
      }
    },
    compound("number-of-members", ["KEY-18"], "A key has at most 16 members.", making: []) { store in
      for count in [2, 15, 16, 17, 18] {
        let names = (0..<count).map { "m\($0)" }
        var model = pair(names.map { ($0, .int64) }, key: names)
        model.name = "Of\(count)"
        guard count <= 16 else {
          try expectError(.schemaMismatch, "\(count)") { try store.write { try $0.apply(.createModel(model)) } }
          continue
        }
        try store.write { try $0.apply(.createModel(model)) }
        var fields: [(name: String, value: Value)] = names.enumerated().map { ($1, .int(Int64($0))) }
        fields += [("note", "x"), ("rent", 1)]
        try store.records.insert(into: model.name, [Record(fields)])
        let key = Value.array((0..<count).map { .int(Int64($0)) })
        try expectEqual(try store.records.get(in: model.name, key: key)?["_key"], key, "\(count)")
      }
    },
    compound("texts", ["KEY-19", "ERR-4"], "The text of a key has a text of a member of each type.", making: []) {
      store in
      for (number, (type, value, text)) in texts.enumerated() {
        var model = pair([("a", type), ("b", .int8)], key: ["a", "b"])
        model.name = "Pair\(number)"
        let record = Record(["a": value, "b": .int(-3), "note": "", "rent": 1])
        try store.write { try $0.apply(.createModel(model)) }
        try store.records.insert(into: model.name, [record])
        let error = try expectError(.duplicateKey, "\(type)") { try store.records.insert(into: model.name, [record]) }
        try expectEqual(error.key, "[\(text),-3]", "\(type)")
      }
    },
  ]

  private static let texts: [(PropertyType, Value, String)] = [
    (.bool, .bool(true), "true"), (.int64, .int(.min), "-9223372036854775808"),
    (.uint64, .uint(.max), "18446744073709551615"), (.string, .string("a\"\n"), #""a\"\n""#),
    (.data, .data(Data([1, 2, 3])), #""AQID""#),
    (
      .uuid, .uuid(UUID(uuid: (0xAB, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))),
      #""AB000000-0000-0000-0000-000000000001""#
    ),
    (.decimal, .decimal(Decimal(sign: .minus, exponent: -1, significand: 125)), "-12.5"), (.decimal, .decimal(0), "0"),
  ]

  // MARK: Models with types

  private static let typed: [ConformanceCase] = [
    ConformanceCase(
      "KEY.compound-member-refers", ["KEY-15", "KEY-18", "KEY-20"],
      "A member refers to an object with a compound key.", within: .seconds(20)
    ) { kit in
      let store = try kit.store(Stall.self, Song.self, Pitch.self)
      let (first, second) = (Stall.Key(0, "a"), Stall.Key(0, "a\0"))
      try store.insert(contentsOf: [Stall(0, "a"), Stall(0, "a\0"), Stall(-1, "z")])
      let pitches = [
        Pitch(.init(-1, "z"), 3), Pitch(first, -1, "b"), Pitch(first, 2), Pitch(second, .min, "c"),
      ]
      try store.insert(contentsOf: pitches.reversed())
      try expectEqual(try store.fetch(Pitch.all), pitches)
      try expectEqual(try store.keys(Pitch.all).sorted(), pitches.map(\.primaryKeyValue))
      for pitch in pitches { try expectEqual(try store.get(Pitch.self, pitch.primaryKeyValue), pitch) }
      try expectEqual(try store.get(Pitch.self, .init(second, -1)), nil)
      let error = try expectError(.duplicateKey) { try store.insert(Pitch(first, 2)) }
      try expectEqual(error.key, #"[[0,"a"],2]"#)
      try expectError(.missingReference) { try store.insert(Pitch(.init(5, "a"), 2)) }
      try expectEqual(try store.fetch(Pitch.where { $0.stall == Ref(first) }), Array(pitches[1...2]))
      let key = Value.array([.array([0, "a"]), 2])
      try expectEqual(try store.records.get(in: "Pitch", key: key)?["_key"], key)
      try store.records.insert(
        into: "Pitch", [Record(["stall": .array([0, "a\0"]), "number": 9, "note": "record"])])
      try expectEqual(try store.get(Pitch.self, .init(second, 9))?.note, "record")
      try expectError(.referenced) { try store.delete(Stall.self, first) }
      try store.expectWhole()
    },
    ConformanceCase(
      "KEY.compound-links", ["KEY-15"], "Links of an object with a compound key are read and removed with it.",
      within: .seconds(20)
    ) { kit in
      let store = try kit.store(Stall.self, Song.self, Pitch.self)
      let stall = Stall.Key(0, "a\0")
      try store.insert(Stall(0, "a\0"))
      let pitches = [Pitch(stall, -1), Pitch(stall, 1), Pitch(stall, 256)]
      try store.insert(contentsOf: pitches)
      try store.insert(contentsOf: ["a", "b", "c"].map { Song($0) })
      try store.write { tx in
        try pitches[0].songs.append(contentsOf: [Ref("c"), Ref("a")], in: tx)
        try pitches[2].songs.append(contentsOf: [Ref("a"), Ref("b"), Ref("c")], in: tx)
      }
      let due = ["ca", "", "abc"]
      try expectEqual(try pitches.map { try store.fetch($0.songs).map(\.name).joined() }, due)
      try expectEqual(try store.fetch(Pitch.all, with: \.songs).map { $0.1.map(\.name).joined() }, due)
      try store.delete(Song.self, "a")
      try store.delete(Pitch.self, pitches[2].primaryKeyValue)
      try expectEqual(try store.fetch(Pitch.all, with: \.songs).map { $0.1.map(\.name).joined() }, ["c", ""])
      try store.expectWhole()
    },
  ]

  // MARK: Changes of the key

  /// A store of the plain model is refused for a program with another key, unless a migration makes its objects again.
  private static func rekeyed(
    _ name: String, _ summary: String, from old: ModelSchema = plain, to model: ModelSchema, keys: [Value]
  ) -> ConformanceCase {
    ConformanceCase(
      "KEY.compound-\(name)", ["KEY-16", "KEY-21", "MIG-1"], summary,
      needs: [
        .schemaDropModel, .schemaRenameModel, .schemaAddProperty, .schemaRenameProperty, .schemaDropProperty,
        .schemaCreateIndex, .schemaDropIndex, .schemaSetVersion,
      ], requiresPersistence: true, without: ConformanceVariant.ofReads, within: .seconds(20)
    ) { kit in
      let rows = [record(2, "a", "y"), record(1, "b", "x"), record(1, "c", "z")]
      let stage = try MigratingStore(kit, [old], ["Pair": rows])
      try stage.expectRefusal(.schemaMismatch, [model])
      let store = try stage.open([model], .to(2) { m in try m.enumerate("Pair") { _, _ in } })
      let found = try store.records.fetch(in: "Pair")
      try expectEqual(found.map { $0[model.keyProperty.name] }, keys)
      try expectEqual(Set(found.map { $0["note"] }), ["n2a", "n1b", "n1c"])
      for key in keys { try expect(try store.records.exists(in: "Pair", key: key), "\(key)") }
      try store.expectWhole()
      try store.close()
      try stage.expectRefusal(.schemaMismatch, [old])
    }
  }

  private static let changed: [ConformanceCase] = [
    rekeyed(
      "members-in-another-order", "Members in another order are another key.", to: pair(three, key: ["b", "a"]),
      keys: [.array(["a", 2]), .array(["b", 1]), .array(["c", 1])]),
    rekeyed(
      "other-members", "Other members are another key.", to: pair(three, key: ["a", "c"]),
      keys: [.array([1, "x"]), .array([1, "z"]), .array([2, "y"])]),
    rekeyed(
      "more-members", "A key with one more member is another key.", to: pair(three, key: ["a", "b", "c"]),
      keys: [.array([1, "b", "x"]), .array([1, "c", "z"]), .array([2, "a", "y"])]),
    rekeyed("lost", "A model loses its compound key.", to: pair(three, key: ["b"]), keys: ["a", "b", "c"]),
    rekeyed(
      "given", "A model is given a compound key.", from: pair(three, key: ["b"]), to: plain,
      keys: [.array([1, "b"]), .array([1, "c"]), .array([2, "a"])]),
  ]
}
