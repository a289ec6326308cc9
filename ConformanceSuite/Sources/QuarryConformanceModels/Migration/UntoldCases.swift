import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// What a migration does to models and properties of which it says nothing, beside others of which it says something.
enum UntoldCases {
  static let all: [ConformanceCase] = [
    widenedBeside, lossesBeside, bodyNotAgain, insertedDangling, severalFailures, afterwardsTwice, afterwardsFailed,
    propertyOfBoth, twoSides,
  ]

  private static let book = ModelSchema.migrating("Book", .string("title"), .string("note", isOptional: true))
  private static let books = (1...4).map {
    Record(["id": .int(Int64($0)), "title": .string("t\($0)"), "note": .string("n\($0)")])
  }

  private static let widenedBeside = ConformanceCase(
    "MIG.untold-widened", ["MIG-2", "MIG-6"],
    "A model that is widened keeps its objects beside closures that make objects of another model, or add to it.",
    requiresPersistence: true
  ) { kit in
    func sizes(_ type: PropertyType) -> ModelSchema { .migrating("Size", PropertySchema(name: "value", type: type)) }
    let rows = (1...3).map { Record(["id": .int(Int64($0)), "value": .int(Int64($0) * 10)]) }
    let plain = ModelSchema.migrating("Book", .string("title"))
    let made = books.map { Record(["id": $0["id"] ?? .null, "title": $0["note"] ?? .null]) }
    for adds in [false, true] {
      let stage = try MigratingStore(kit, [book, sizes(.int32)], ["Book": books, "Size": rows])
      let more = books.map {
        Record(["id": .int(Int64(($0["id"]?.intValue ?? 0) + 100)), "value": .int(Int64($0["id"]?.intValue ?? 0))])
      }
      try stage.expectRows(
        [plain, sizes(.int64)],
        Migration.to(1) { m in
          try m.enumerate("Book") { old, new in new["title"] = old["note"] }
          guard adds else { return }
          try m.enumerate("Book", into: "Size") { old, new in
            new["id"] = .int(Int64((old["id"].intValue ?? 0) + 100))
            new["value"] = old["id"]
          }
        }, ["Book": made, "Size": adds ? rows + more : rows])
    }
  }

  private static let lossesBeside = ConformanceCase(
    "MIG.untold-losses", ["MIG-3", "MIG-7"],
    "A conversion of one property, or closures that make objects of another model, let no other property go.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": books])
    let plain = ModelSchema.migrating("Book", .int("title"))
    let error = try stage.expectRefusal(
      .schemaMismatch, [plain],
      .to(1) { m in try m.convert("title", in: "Book") { (old: String?) in old?.utf8.count } })
    try expect(error.message.contains("Book.note"), error.message)
    try stage.expectRefusal(
      .schemaMismatch, [.migrating("Book", .string("title")), .migrating("Note", .string("title"))],
      .to(1) { m in try m.enumerate("Book", into: "Note") { _, _ in } })
    for name in ["Boook", "book", ""] {
      try stage.expectRefusal(.invalidQuery, [book], .to(1) { m in try m.drop(name) })
    }
    try stage.expectRefusal(.invalidQuery, [book], .to(1) { m in try m.forEach("Book") { old in _ = old["nope"] } })
  }

  private static let bodyNotAgain = ConformanceCase(
    "MIG.body-not-again", ["MIG-4", "MIG-2"],
    "A store that has the version does what the automatic rules do, and does not call the body.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": books], version: 3)
    struct Called: Error {}
    let grown = ModelSchema.migrating(
      "Book", .string("title"), .string("note", isOptional: true), .int("year", isOptional: true),
      indexes: [IndexSchema(name: "t", columns: [.init(slot: 1)])])
    let store = try stage.open([grown], .to(3) { _ in throw Called() })
    try expectEqual(store.schemaVersion, 3)
    try expectEqual(
      try store.records.fetch(QueryTree(model: "Book")).map { $0["year"] }, Array(repeating: .null, count: 4))
    try store.close()
    try expectThrows(Called.self) { try stage.open([grown], .to(4) { _ in throw Called() }) }
    try expectEqual(try stage.content().version, 3)
  }

  private static let insertedDangling = ConformanceCase(
    "MIG.inserted-dangling", ["REL-9", "MIG-7"],
    "Objects that a migration stores refer to objects that are stored, though no model is made again.",
    requiresPersistence: true
  ) { kit in
    let models = [ModelSchema.linked("A"), .linked("B", .reference("a", to: "A", .deny))]
    let stage = try MigratingStore(kit, models, ["A": [.linked(1)], "B": [.linked(1, ["a": 1])]])
    try stage.expectRefusal(
      .missingReference, models, .to(1) { m in try m.insert(into: "B", Record.linked(9, ["a": 9])) }
    ).expect(model: "B", property: "a", key: "9", says: "no A with the primary key 9")
    try stage.expectRefusal(
      .missingReference, models,
      .to(1) { m in try m.forEach("A") { _ in try m.insert(into: "B", Record.linked(9, ["a": 9])) } })
    let store = try stage.open(
      models,
      .to(1) { m in
        try m.insert(into: "B", Record.linked(9, ["a": 9]))
        try m.insert(into: "A", Record.linked(9))
      })
    try expectEqual(try store.links("B", "a"), [1: 1, 9: 9])
    try expectEqual(try store.check(), [])
    try store.close()
  }

  private static let severalFailures = ConformanceCase(
    "MIG.rehearsal-several", ["MIG-5", "MIG-10"],
    "A rehearsal reports each property of which objects fail, with the error of the first, and leaves no copy.",
    needs: [.openReadOnly, .destroy], requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": books])
    let scratch = try kit.harness.makePlace()
    let report = try Store.rehearse(
      program: [.migrating("Book", .int("title"), .int("note", isOptional: true))],
      in: kit.undecorated(stage.place),
      migration: .to(1) { m in
        for name in ["title", "note"] {
          try m.convert(name, in: "Book") { (old: String?) throws -> Int? in
            guard let old, old != "n2" else { return 2 }
            throw StorageError(.invalidValue, "\(old) is no number")
          }
        }
      }, scratch: scratch)
    try expectEqual(
      report.failures.map { "\($0.property) \($0.count) \($0.keys)" }.sorted(),
      [
        "note 3 [\"1\", \"3\", \"4\"]", "title 4 [\"1\", \"2\", \"3\", \"4\"]",
      ])
    for failure in report.failures {
      let first = "\(failure.property.prefix(1))1 is no number"
      try expect(failure.error.message.contains(first), "\(failure.error.message) does not say \(first)")
    }
    var options = OpenOptions()
    options.isReadOnly = true
    try expectError(.notFound) { try kit.open([], at: scratch, options: options) }
  }

  private static let afterwardsTwice = ConformanceCase(
    "MIG.afterwards-twice", ["MIG-6", "SCH-5"],
    "Each closure that comes afterwards is called, in their order, when all indexes of the program are there.",
    requiresPersistence: true
  ) { kit in
    var new = ModelSchema.migrating("Book", .string("title"), .int("rank"))
    new.indexes = [
      IndexSchema(name: "t", columns: [.init(slot: 1)], isUnique: true),
      IndexSchema(name: "r", columns: [.init(slot: 2)]),
      IndexSchema(name: "b", columns: [.init(slot: 2), .init(slot: 1, isDescending: true)]),
    ]
    let stage = try MigratingStore(kit, [book], ["Book": books])
    let store = try stage.open(
      [new],
      .to(1) { m in
        try m.enumerate("Book") { old, new in new["rank"] = .int(Int64(9 - (old["id"].intValue ?? 0))) }
        try m.afterwards { tx in
          try tx.records.assign(.rows("Book", "id", .equal, 1), [.init("title", .set, .string("first"))])
        }
        try m.afterwards { tx in
          let record = Record(["id": .int(5), "title": .string("first"), "rank": .int(0)])
          try expectError(.uniqueViolation) { try tx.records.insert(into: "Book", [record]) }
          try tx.records.delete(in: "Book", keys: [.int(2)])
        }
      })
    let model = try unwrap(try store.models().first { $0.name == "Book" })
    try expectEqual(model.indexes.map(\.name).sorted(), ["b", "r", "t"])
    try expectEqual(
      try store.records.fetch(QueryTree(model: "Book", order: [.init("rank")])).map { $0["title"] },
      [.string("t4"), .string("t3"), .string("first")])
    try expectEqual(try store.check(), [])
    try store.close()
  }

  private static let afterwardsFailed = ConformanceCase(
    "MIG.afterwards-failed", ["MIG-1", "MIG-6", "REL-2"],
    "A transaction that has failed afterwards ends the migration, though the closure goes on: the store is as it was.",
    needs: [.savepoints], requiresPersistence: true
  ) { kit in
    let models = [ModelSchema.linked("A"), .linked("B", .reference("a", to: "A", .deny))]
    let stage = try MigratingStore(kit, models, ["A": [.linked(1)], "B": [.linked(1, ["a": 1])]])
    // The first row leads to nothing; or the second cannot be read.
    let failures: [(code: StorageError.Code, target: Int64)] = [(.missingReference, 9), (.invalidValue, 1)]
    for (code, target) in failures {
      try stage.expectRefusal(
        code, models,
        .to(1) { m in
          try m.afterwards { tx in
            let model = try tx.model(named: "B")
            let layout = RowLayout(model)
            let writer = RowWriter(layout)
            var given: Int64 = 0
            do {
              try tx.loadRows(into: model) { batch throws(StorageError) in
                given += 1
                guard given == 1 else {
                  if code == .missingReference { return }
                  throw StorageError(code, "the next row cannot be read")
                }
                writer.begin()
                try writer.set(layout.slots[0], value: .int(9))
                try writer.set(layout.slots[2], value: .int(target))
                batch.append(try writer.finish())
              }
            } catch {
              // Nothing can be stored in its place.
              try expectError(code) { try tx.delete("B", 1) }
            }
          }
        })
    }
    let store = try stage.open(models, .to(1))
    try expectEqual(try store.links("B", "a"), [1: 1])
    try store.close()
  }

  private static let propertyOfBoth = ConformanceCase(
    "MIG.original-name-of-both", ["MIG-2"],
    "A property whose original name the model has too is no renaming: it is added, and the other keeps its values.",
    requiresPersistence: true
  ) { kit in
    let before = ModelSchema.migrating("Both", .string("before"))
    let stage = try MigratingStore(kit, [before], ["Both": [Record(["id": .int(1), "before": .string("x")])]])
    let store = try kit.open([Both.self], at: stage.place)
    try expectEqual(store.openingReport.schemaChanges, ["the property after of Both was added"])
    try expectEqual(try store.fetch(Both.all).map { "\($0.before) \($0.after ?? "nil")" }, ["x nil"])
  }

  private static let twoSides = ConformanceCase(
    "REL.sides-two-of-one", ["REL-6"], "Two other sides of one reference say the same, or contradict each other.",
    without: ConformanceVariant.ofReads.union([.reopened])
  ) { kit in
    typealias Rule = PropertySchema.Reference.DeleteRule
    let rules: [Rule?] = [nil, .cascade, .nullify, .deny]
    for first in rules {
      for second in rules {
        let sides = [
          RelationDefinition<Ruler>("one", inverse: \Ruled.maybe, deleteRule: first),
          RelationDefinition<Ruler>("two", inverse: \Ruled.maybe, deleteRule: second),
        ]
        let about = "\(String(describing: first)) \(String(describing: second))"
        let place = try kit.makePlace()
        try Ruled.$definition.withValue(Ruled.make(nil, isOptional: true)) {
          try Ruler.$definition.withValue(Ruler.make(sides)) {
            if let first, let second, first != second {
              try expectError(.schemaMismatch, about) { try kit.open([Ruled.self], at: place) }
              return
            }
            let store = try kit.open([Ruled.self], at: place)
            let model = try unwrap(try store.models().first { $0.name == "Ruled" })
            let slot = try unwrap(model.slot(named: "link"))
            try expectEqual(
              model.properties[slot].reference?.deleteRule, first ?? second ?? .nullify, about)
            try store.close()
          }
        }
      }
    }
  }
}

/// A model with a property and one that had its name before.
private struct Both: Model, Equatable {
  var id: Int
  var before: String
  var after: String?

  static let modelDefinition = ModelDefinition<Both>(
    name: "Both",
    properties: [
      PropertyDefinition("id", \Both.id, Int.self), PropertyDefinition("before", \Both.before, String.self),
      PropertyDefinition("after", \Both.after, String?.self, originalName: "before"),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var before = Column<String>("before", 1)
    var after = Column<String?>("after", 2)
  }

  var primaryKeyValue: Int { id }

  init(reading row: ModelReader) throws(StorageError) {
    (id, before, after) = (try row.get(0), try row.get(1), try row.get(2))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, before)
    try row.set(2, after)
  }
}
