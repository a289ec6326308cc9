import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Arrays of keys that become links, and links that become arrays of keys.
enum LinkMigrationCases {
  static let all: [ConformanceCase] = [toLinks, fromLinks, made, refused, otherKeys, unknown, inserted]

  private static let song = ModelSchema(
    name: "Song",
    properties: [PropertySchema(name: "name", type: .string), PropertySchema(name: "seconds", type: .int64)],
    primaryKey: 0)

  /// The model of ``Taking`` with an array in place of its links.
  private static let taking = ModelSchema.migrating(
    "Taking", PropertySchema(name: "names", type: .array, elementType: .string))

  private static func songs(_ names: String) -> [Record] {
    names.map { Record(["name": .string(String($0)), "seconds": .int(1)]) }
  }

  private static func lists(_ lists: [String]) -> [Record] {
    lists.enumerated().map { id, names in
      Record(["id": .int(Int64(id)), "names": .array(names.map { .string(String($0)) })])
    }
  }

  private static func stage(_ kit: ConformanceContext, _ given: [String]) throws -> MigratingStore {
    try MigratingStore(kit, [song, taking], ["Song": songs("abcdefgh"), "Taking": lists(given)])
  }

  private static func expectLists(_ store: Store, _ due: [String], line: Int = #line) throws {
    let found = try store.fetch(Taking.all, with: \.names).map { $0.1.map(\.name).joined() }
    try expectEqual(found, due, line: line)
    try expectEqual(try store.check(), [], line: line)
  }

  private static let toLinks = ConformanceCase(
    "REL.links-of-array", ["REL-24"], "An array of keys becomes the links of its name, in its order.",
    requiresPersistence: true
  ) { kit in
    let due = ["cab", "", "a", "hgfedcba"]
    let stage = try stage(kit, due)
    let migration = Migration.to(2) { m in try m.convertToLinks("names", in: "Taking") }
    let store = try kit.open([Taking.self, Song.self], at: stage.place, migration: migration)
    try expectLists(store, due)
    let model = try unwrap(store.models().first { $0.name == "Taking" })
    try expectEqual(model.liveSlots.map { model.properties[$0].name }, ["id"])
    try Taking(0).names.append(Song("d"), in: store)
    try Taking(3).names.move(from: 7, to: 0, in: store)
    try expectLists(store, ["cabd", "", "a", "ahgfedcb"])
    try store.close()
    let again = try kit.open([Taking.self, Song.self], at: stage.place, migration: migration)
    try expectEqual(again.openingReport.schemaChanges, [])
    try expectLists(again, ["cabd", "", "a", "ahgfedcb"])
  }

  private static let fromLinks = ConformanceCase(
    "REL.array-of-links", ["REL-24"], "Links become an array of keys, in their order.", requiresPersistence: true
  ) { kit in
    let place = try kit.makePlace()
    let store = try kit.open([Taking.self, Song.self], at: place)
    try store.insert(contentsOf: "abcdefgh".map { Song(String($0)) })
    try store.insert(contentsOf: (0..<3).map { Taking($0) })
    try store.write { tx in
      try Taking(0).names.append(contentsOf: "bdf".map { Song(String($0)) }, in: tx)
      try Taking(2).names.append(contentsOf: "cab".map { Song(String($0)) }, in: tx)
      try Taking(0).names.move(from: 2, to: 0, in: tx)
    }
    try store.close()
    let plain = try kit.open(
      program: [song, taking], at: place, migration: .to(2) { m in try m.convertFromLinks("names", in: "Taking") })
    try expectEqual(try plain.records.fetch(QueryTree(model: "Taking")), lists(["fbd", "", "cab"]))
    try expectEqual(try plain.models().first { $0.name == "Taking_names" }, nil)
    try expectEqual(try plain.check(), [])
  }

  private static let made = ConformanceCase(
    "REL.links-of-anything", ["REL-24"], "Links are made of what the old objects have, under the names of the program.",
    requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let old = ModelSchema.migrating("Old", .string("first"), .string("text"))
    let rows = [
      Record(["id": .int(1), "first": .string("b"), "text": .string("a,c")]),
      Record(["id": .int(2), "first": .string("c"), "text": .string("")]),
    ]
    let stage = try MigratingStore(kit, [song, old], ["Song": songs("abc"), "Old": rows])
    let store = try kit.open(
      [Taking.self, Song.self], at: stage.place,
      migration: .to(2) { m in
        try m.rename("Old", to: "Taking")
        try m.drop("text", in: "Taking")
        try m.drop("first", in: "Taking")
        try m.convertToLinks("names", in: "Taking") { old in
          [try old.get("first", as: String.self)]
            + (try old.get("text", as: String.self)).split(separator: ",").map(String.init)
        }
      })
    let found = try store.fetch(Taking.all, with: \.names).map { $0.1.map(\.name).joined() }
    try expectEqual(found, ["bac", "c"])
  }

  private static let refused = ConformanceCase(
    "REL.links-of-array-refused", ["REL-24", "REL-2"],
    "What cannot be linked is refused, and the store stays as it was.",
    requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    for (given, code) in [(["ab", "xa"], StorageError.Code.missingReference), (["ab", "aba"], .uniqueViolation)] {
      let stage = try stage(kit, given)
      let before = try stage.content()
      let error = try expectError(code) {
        try kit.open(
          [Taking.self, Song.self], at: stage.place,
          migration: .to(2) { m in try m.convertToLinks("names", in: "Taking") })
      }
      if code == .uniqueViolation {
        try error.expect(model: "Taking", property: "names", key: "1", says: "a is in the list twice")
      }
      try expectEqual(try stage.content(), before)
    }
  }

  private static let otherKeys = ConformanceCase(
    "REL.links-of-array-keys", ["REL-24"], "Values that are no keys of the other model are refused.",
    requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let numbers = ModelSchema.migrating("Taking", PropertySchema(name: "names", type: .array, elementType: .int64))
    let stage = try MigratingStore(
      kit, [song, numbers], ["Taking": [Record(["id": .int(1), "names": .array([.int(7)])])]])
    let before = try stage.content()
    try expectError(.invalidValue) {
      try kit.open(
        [Taking.self, Song.self], at: stage.place,
        migration: .to(2) { m in try m.convertToLinks("names", in: "Taking") })
    }
    try expectEqual(try stage.content(), before)
  }

  private static let unknown = ConformanceCase(
    "REL.links-of-unknown", ["REL-24"], "Names that the store or the program does not have are refused.",
    requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let stage = try stage(kit, ["ab"])
    let asked: [@Sendable (MigrationContext) throws -> Void] = [
      { try $0.convertToLinks("nmes", in: "Taking") }, { try $0.convertToLinks("names", in: "Takin") },
      { try $0.convertToLinks("others", in: "Taking") { _ in [String]() } },
      { try $0.convertFromLinks("names", in: "Taking") }, { try $0.convertFromLinks("id", in: "Song") },
    ]
    for body in asked {
      let before = try stage.content()
      try expectError(.invalidQuery) {
        try kit.open([Taking.self, Song.self], at: stage.place, migration: .to(2, body))
      }
      try expectEqual(try stage.content(), before)
    }
  }

  private static let inserted = ConformanceCase(
    "REL.migration-inserts", ["REL-9"], "A migration that stores a reference to nothing is refused.",
    requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let models: [ModelSchema] = [.linked("A"), .linked("B", .reference("a", to: "A", .deny))]
    let stage = try MigratingStore(kit, models, ["A": [.linked(1)], "B": [.linked(1, ["a": 1])]])
    let ways: [@Sendable (MigrationContext) throws -> Void] = [
      { try $0.insert(into: "B", .linked(2, ["a": 7])) },
      { m in try m.forEach("A") { _ in try m.insert(into: "B", .linked(2, ["a": 7])) } },
      { m in try m.enumerate("B") { _, new in new["a"] = 7 } },
      { m in try m.afterwards { tx in try tx.records.insert(into: "B", [.linked(2, ["a": 7])]) } },
    ]
    for body in ways { try stage.expectRefusal(.missingReference, models, .to(2, body)) }
    let store = try stage.open(models, .to(2) { m in try m.insert(into: "B", .linked(2, ["a": 1])) })
    try expectEqual(try store.links("B", "a"), [1: 1, 2: 1])
  }
}
