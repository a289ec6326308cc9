import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Primary keys that get another type while other objects refer to them.
enum KeyTypeCases {
  static let all: [ConformanceCase] = [changed, leadingToNothing, forgotten]

  /// Poets with a teacher, poems of poets, and pairs of both, as links are.
  private static func models(key: PropertyType) -> [ModelSchema] {
    [
      .linked("Poet", key: key, .reference("teacher", to: "Poet", .nullify, type: key)),
      .linked("Poem", .reference("poet", to: "Poet", .cascade, type: key)),
      .linked(
        "Pair", .reference("owner", to: "Poem", .cascade), .reference("target", to: "Poet", .cascade, type: key)),
    ]
  }

  private static let rows: [String: [Record]] = [
    "Poet": (1...5).map {
      Record(["id": .int($0), "note": .string("n\($0)"), "teacher": $0 == 1 ? .null : .int($0 - 1)])
    },
    "Poem": (1...8).map { Record.linked($0, ["poet": $0 % 4 == 0 ? nil : $0 % 4]) },
    "Pair": (1...6).map { Record.linked($0, ["owner": $0, "target": 1 + $0 % 5]) },
  ]

  private static func converting(_ properties: [(model: String, property: String)]) -> Migration {
    .to(2) { m in
      for (model, property) in properties {
        try m.convert(property, in: model) { (old: Int?) in old.map { "p\($0)" } }
      }
    }
  }

  private static let everything = [("Poet", "id"), ("Poet", "teacher"), ("Poem", "poet"), ("Pair", "target")]

  private static func due(_ record: Record, _ names: [String]) -> Record {
    Record(
      record.fields.map { name, value in
        (name, names.contains(name) ? value.intValue.map { .string("p\($0)") } ?? .null : value)
      })
  }

  private static let changed = ConformanceCase(
    "MIG.key-type", ["MIG-13", "REL-2", "REL-4"],
    "A primary key gets another type together with all references to it, and deletes follow their rules afterwards.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, models(key: .int64), rows)
    let names = ["Poet": ["id", "teacher"], "Poem": ["poet"], "Pair": ["target"]]
    var expected: [String: [Record]] = [:]
    for (model, records) in rows {
      expected[model] = records.map { record in
        due(
          Record(
            [("id", record["id"] ?? .null), ("note", record["note"] ?? .null)]
              + record.fields.filter { $0.name != "id" && $0.name != "note" }), names[model] ?? [])
      }
    }
    try stage.expectRows(models(key: .string), converting(everything), expected)
    let store = try stage.open(models(key: .string), converting(everything))
    try expectEqual(try store.models().map(\.name).sorted(), ["Pair", "Poem", "Poet"])
    try store.write { tx in
      try expectError(.missingReference) {
        try tx.records.insert(into: "Poem", [Record(["id": .int(20), "note": .null, "poet": .string("1")])])
      }
      try tx.records.delete(in: "Poet", keys: [.string("p3")])
    }
    try expectEqual(try store.ids("Poem"), [1, 2, 4, 5, 6, 8])
    // Of the pairs, one has lost its target and one its owner.
    try expectEqual(try store.ids("Pair"), [1, 4, 5, 6])
    try expectEqual(try unwrap(try store.records.fetch(QueryTree(model: "Poet")).last)["teacher"], .string("p4"))
    try expectEqual(try unwrap(try store.records.fetch(QueryTree(model: "Poet")).dropLast().last)["teacher"], .null)
    try expectEqual(try store.check(), [])
  }

  private static let leadingToNothing = ConformanceCase(
    "MIG.key-type-without-object", ["MIG-13", "REL-2", "ERR-2"],
    "References that lead to nothing with the new keys are refused with the names of the program, and the store stays.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, models(key: .int64), rows)
    let migration = Migration.to(2) { m in
      for (model, property) in everything {
        try m.convert(property, in: model) { (old: Int?) in
          old.map { property == "poet" && $0 == 3 ? "nobody" : "p\($0)" }
        }
      }
    }
    let error = try stage.expectRefusal(.missingReference, models(key: .string), migration)
    try error.expect(model: "Poem", property: "poet", key: "3")
    try expect(!error.message.contains("new_"), error.message)
  }

  private static let forgotten = ConformanceCase(
    "MIG.key-type-alone", ["MIG-13", "MIG-3", "ERR-2"],
    "A key that gets another type without the references to it is refused with what to write, in the program's names.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, models(key: .int64), rows)
    let error = try stage.expectRefusal(.schemaMismatch, models(key: .string), converting([("Poet", "id")]))
    for words in ["Poem.poet", "Poet.teacher", "Pair.target"] {
      try expect(error.message.contains(words), "\(error.message) does not name \(words)")
    }
    try expect(!error.message.contains("new_"), error.message)
  }
}
