import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Changes of models that meet each other in one migration, and what a rehearsal reports of them.
enum NeighbourCases {
  static let all: [ConformanceCase] =
    [droppedAfterReading, droppedAndIndexed, takenNames, renamedInBody, readOnlyRename, readOnlyIndexes]
    + [rebuiltLosses, rehearsedDrop, keyOfRebuilt, referenceOfRebuilt, defaultsOfAged]

  private static let book = ModelSchema.migrating("Book", .string("title"), .string("note", isOptional: true))
  private static let books = (1...5).map {
    Record(["id": .int(Int64($0)), "title": .string("t\($0)"), "note": $0 == 3 ? .null : .string("n\($0)")])
  }
  private static let plainBook = ModelSchema.migrating("Book", .string("title"))
  private static let plainBooks = books.map { Record(["id": $0["id"] ?? .null, "title": $0["title"] ?? .null]) }

  private static func rehearse(
    _ stage: MigratingStore, _ models: [ModelSchema], _ migration: Migration
  ) throws -> MigrationReport {
    try Store.rehearse(
      program: models, in: stage.kit.undecorated(stage.place), migration: migration,
      scratch: stage.kit.harness.makePlace())
  }

  // MARK: What is dropped is read first

  private static let droppedAfterReading = ConformanceCase(
    "MIG.drop-read-by-others", ["MIG-3", "MIG-6"],
    "Closures that create objects of other models read a dropped property first, however it is dropped.",
    requiresPersistence: true
  ) { kit in
    let notes = ModelSchema.migrating("Note", .string("text"))
    let made = books.compactMap { book in
      book["note"].flatMap { $0.isNull ? nil : Record(["id": book["id"] ?? .null, "text": $0]) }
    }
    @Sendable func body(_ way: Int, _ m: MigrationContext) throws {
      switch way {
      case 0:
        try m.enumerate("Book", into: "Note") { old, new in
          if old["note"].isNull { new = nil } else { new["text"] = old["note"] }
        }
      case 1:
        try m.forEach("Book") { old in
          guard !old["note"].isNull else { return }
          try m.insert(into: "Note", Record(["id": old["id"], "text": old["note"]]))
        }
      default:
        // The model is made again beside it.
        try m.enumerate("Book", into: "Note") { old, new in
          if old["note"].isNull { new = nil } else { new["text"] = old["note"] }
        }
        try m.enumerate("Book") { _, _ in }
      }
    }
    for way in 0..<3 {
      for isInBody in [true, false] {
        let stage = try MigratingStore(kit, [book], ["Book": books])
        let migration = Migration.to(2) { m in
          if isInBody { try m.drop("note", in: "Book") }
          try body(way, m)
        }
        try stage.expectRows(
          [plainBook, notes], isInBody ? migration : migration.dropping("Book.note"),
          ["Book": plainBooks, "Note": made])
      }
    }
  }

  private static let droppedAndIndexed = ConformanceCase(
    "MIG.drop-read-indexed", ["MIG-3", "MIG-6", "SCH-5"],
    "An index of a property that goes goes with it, after closures have read it; one of the same name may come.",
    requiresPersistence: true
  ) { kit in
    let index = IndexSchema(name: "n", columns: [.init(slot: 2)])
    var old = book
    old.indexes = [index]
    var new = plainBook
    new.indexes = [IndexSchema(name: "n", columns: [.init(slot: 1)], isUnique: true)]
    let count = ModelSchema.migrating("Count", .int("notes"))
    let stage = try MigratingStore(kit, [old], ["Book": books])
    try stage.expectRows(
      [new, count],
      .to(1) { m in
        final class Counter { var notes: Int64 = 0 }
        let counter = Counter()
        try m.drop("note", in: "Book")
        try m.forEach("Book") { old in if !old["note"].isNull { counter.notes += 1 } }
        try m.afterwards { tx in
          try tx.records.insert(into: "Count", [Record(["id": .int(1), "notes": .int(counter.notes)])])
        }
      }, ["Book": plainBooks, "Count": [Record(["id": .int(1), "notes": .int(4)])]])
  }

  // MARK: Names

  private static let takenNames = ConformanceCase(
    "MIG.original-name-in-program", ["MIG-2", "MIG-3"],
    "A model or property whose original name the program has too is no renaming: both are there afterwards.",
    requiresPersistence: true
  ) { kit in
    let before = ModelSchema.migrating("Predecessor", .string("before"))
    let stage = try MigratingStore(kit, [before], ["Predecessor": [Record(["id": .int(1), "before": .string("x")])]])
    let store = try kit.open([Predecessor.self, Successor.self], at: stage.place)
    try expectEqual(try store.models().map(\.name).sorted(), ["Predecessor", "Successor"])
    try expectEqual(try store.count(Successor.all), 0)
    try expectEqual(try store.fetch(Predecessor.all).map(\.before), ["x"])
    try store.insert(Successor(id: 7, after: "y"))
    try store.close()
    // In the other order of the program's models, too.
    let again = try kit.open([Successor.self, Predecessor.self], at: stage.place)
    try expectEqual(again.openingReport.schemaChanges, [])
    try expectEqual(try again.fetch(Successor.all), [Successor(id: 7, after: "y")])
    try expectEqual(try again.fetch(Predecessor.all).map(\.id), [1])
    try again.close()
    let swapped = try MigratingStore(kit, [before], ["Predecessor": [Record(["id": .int(1), "before": .string("x")])]])
    let other = try kit.open([Successor.self, Predecessor.self], at: swapped.place)
    try expectEqual(try other.fetch(Predecessor.all).map(\.before), ["x"])
    try expectEqual(try other.count(Successor.all), 0)
  }

  private static let renamedInBody = ConformanceCase(
    "MIG.rename-onto-program", ["MIG-1", "MIG-5", "MIG-6"],
    "A model may be renamed onto a name of the program that is not stored, and onto no other.",
    requiresPersistence: true
  ) { kit in
    let draft = ModelSchema.migrating("Draft", .string("title"), .string("note", isOptional: true))
    let rows = ["Draft": Array(books.prefix(2))]
    let stage = try MigratingStore(kit, [draft], rows)
    try stage.expectRows([book], .to(1) { m in try m.rename("Draft", to: "Book") }, ["Book": Array(books.prefix(2))])
    let both = try MigratingStore(
      kit, [draft, book], ["Draft": Array(books.prefix(2)), "Book": Array(books.suffix(2))])
    let error = try expectError(.schemaMismatch) {
      try both.open([book], .to(1) { m in try m.rename("Draft", to: "Book") })
    }
    try expect(error.message.contains("Book"), error.message)
    try expectEqual(try both.content().rows, ["Draft": Array(books.prefix(2)), "Book": Array(books.suffix(2))])
    // The other one goes out of the way first: its objects follow it.
    let old = ModelSchema.migrating("Old", .string("title"), .string("note", isOptional: true))
    try both.expectRows(
      [book, old],
      .to(1) { m in
        try m.rename("Book", to: "Old")
        try m.rename("Draft", to: "Book")
      }, ["Book": Array(books.prefix(2)), "Old": Array(books.suffix(2))])
  }

  // MARK: For reading

  private static let readOnlyRename = ConformanceCase(
    "MIG.read-only-rename", ["OPEN-2", "SCH-6", "MIG-2"],
    "A store that is opened for reading and needs a renaming is schemaMismatch, and as it was.",
    needs: [.openReadOnly], requiresPersistence: true
  ) { kit in
    var options = OpenOptions()
    options.isReadOnly = true
    for (model, schema, name) in [
      (Renamed.self as any Model.Type, ModelSchema.migrating("Renamed", .string("before")), "Renamed"),
      (Successor.self, .migrating("Predecessor", .string("after")), "Predecessor"),
      (Successor.self, .migrating("Predecessor", .string("before")), "Predecessor"),
    ] {
      let property = schema.properties[1].name
      let stage = try MigratingStore(kit, [schema], [name: [Record(["id": .int(1), property: .string("x")])]])
      let before = try stage.content()
      try expectError(.schemaMismatch, name) { try kit.open([model], at: stage.place, options: options) }
      try expectEqual(try stage.content(), before, name)
      try kit.open([model], at: stage.place).close()
      let store = try kit.open([model], at: stage.place, options: options)
      try expectEqual(store.openingReport.schemaChanges, [])
      try store.close()
    }
  }

  private static let readOnlyIndexes = ConformanceCase(
    "MIG.read-only-neighbours", ["OPEN-2", "SCH-6", "MIG-4"],
    "Opened for reading a store may have other indexes, and lack nothing else.", needs: [.openReadOnly],
    requiresPersistence: true
  ) { kit in
    var options = OpenOptions()
    options.isReadOnly = true
    let stage = try MigratingStore(kit, [book], ["Book": books], version: 2)
    let before = try stage.content()
    func open(_ models: [ModelSchema], _ migration: Migration = .automatic) throws {
      try kit.open(program: models, at: stage.place, options: options, migration: migration).close()
    }
    var indexed = book
    indexed.indexes = [IndexSchema(name: "t", columns: [.init(slot: 1)], isUnique: true)]
    try open([indexed])
    try open([book], .to(2))
    try open([])
    let optional = ModelSchema.migrating("Book", .string("title", isOptional: true), .string("note", isOptional: true))
    let added = ModelSchema.migrating(
      "Book", .string("title"), .string("note", isOptional: true), .int("year", isOptional: true))
    for models in [[optional], [added], [book, .migrating("More")], [plainBook]] {
      try expectError(.schemaMismatch) { try open(models) }
    }
    try expectError(.schemaMismatch) { try open([plainBook], .dropping("Book.note")) }
    try expectError(.schemaMismatch) { try open([book], .to(3)) }
    try expectError(.schemaMismatch) { try open([book], .to(3) { _ in }) }
    try expectError(.schemaTooNew) { try open([book], .to(1)) }
    try expectEqual(try stage.content(), before)
  }

  // MARK: Rehearsals

  private static let rebuiltLosses = ConformanceCase(
    "MIG.rehearsal-rebuilt", ["MIG-10"],
    "A rehearsal reports the values that go with a model that is made again, those of its key too.",
    needs: [.openReadOnly, .destroy], requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": books])
    let numbered = ModelSchema.migrating("Book", .int("title"))
    let migration = Migration.to(1) { m in
      try m.enumerate("Book") { old, new in new["title"] = .int(Int64(old["title"].stringValue?.utf8.count ?? 0)) }
    }
    let report = try rehearse(stage, [numbered], migration)
    try expect(report.error == nil, "\(String(describing: report.error))")
    try expectEqual(report.losses.map { "\($0.model).\($0.property ?? "") \($0.count)" }, ["Book.note 4"])
    try expectEqual(report.losses.map(\.keys), [["1", "2", "4", "5"]])
    try expectEqual([report.rowsRead, report.rowsWritten], [5, 5])
    let converted = try rehearse(
      stage, [numbered],
      Migration.to(1) { m in try m.convert("title", in: "Book") { (old: String?) in old?.utf8.count } }.dropping(
        "Book.note")
    )
    try expect(converted.error == nil, "\(String(describing: converted.error))")
    try expectEqual(converted.losses.map { "\($0.model).\($0.property ?? "") \($0.count)" }, ["Book.note 4"])
    // An object that a closure does not want is no value that goes, and its row is read and not written.
    let fewer = try rehearse(
      stage, [book], .to(1) { m in try m.enumerate("Book") { old, new in if old["id"] == .int(2) { new = nil } } })
    try expectEqual([fewer.rowsRead, fewer.rowsWritten, fewer.losses.count], [5, 4, 0])
    try expectEqual(try stage.content().rows, ["Book": books])
  }

  private static let rehearsedDrop = ConformanceCase(
    "MIG.rehearsal-again", ["MIG-10", "MIG-3"],
    "A rehearsal counts each model and property that goes once, and none that a renaming keeps.",
    needs: [.openReadOnly, .destroy], requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let many = (0..<15).map { Record(["id": .int(Int64($0)), "t": .string("t")]) }
    let stage = try MigratingStore(
      kit, [book, .migrating("One", .string("t")), .migrating("Two", .string("t"))],
      ["Book": books, "One": many, "Two": Array(many.prefix(3))])
    let report = try rehearse(
      stage, [plainBook, .migrating("Uno", .string("text"))],
      .to(1) { m in
        try m.rename("One", to: "Uno")
        try m.rename("t", to: "text", in: "Uno")
        try m.drop("Two")
        try m.drop("note", in: "Book")
      })
    try expect(report.error == nil, "\(String(describing: report.error))")
    try expectEqual(
      report.losses.map { "\($0.model).\($0.property ?? "") \($0.count) \($0.keys)" },
      ["Book.note 4 [\"1\", \"2\", \"4\", \"5\"]", "Two. 3 [\"0\", \"1\", \"2\"]"])
    let all = try rehearse(stage, [plainBook], .to(1).dropping("One", "Two", "Book.note"))
    try expectEqual(all.losses.map(\.count), [4, 15, 3])
    try expectEqual(all.losses.map(\.keys.count), [4, 10, 3])
    try expectEqual([all.storedVersion, all.version], [0, 1])
  }

  // MARK: What is made again

  private static let keyOfRebuilt = ConformanceCase(
    "MIG.new-key-and-indexes", ["MIG-5", "MIG-6", "SCH-5"],
    "A model that is made again has the program's indexes, none of the old ones, and its properties in any order.",
    requiresPersistence: true
  ) { kit in
    var old = book
    old.indexes = [
      IndexSchema(name: "t", columns: [.init(slot: 1)]), IndexSchema(name: "n", columns: [.init(slot: 2)]),
    ]
    var new = ModelSchema(
      name: "Book",
      properties: [.string("note", isOptional: true), .string("title"), PropertySchema(name: "id", type: .string)],
      primaryKey: 2)
    new.indexes = [
      IndexSchema(name: "t", columns: [.init(slot: 0), .init(slot: 1, isDescending: true)], isUnique: true)
    ]
    let stage = try MigratingStore(kit, [old], ["Book": books])
    let migration = Migration.to(1) { m in
      try m.enumerate("Book") { old, new in new["id"] = .string("k\(9 - (old["id"].intValue ?? 0))") }
    }
    let store = try stage.open([new], migration)
    let model = try unwrap(try store.models().first { $0.name == "Book" })
    try expectEqual(model.indexes.map { "\($0.name) \($0.isUnique) \($0.columns.count)" }, ["t true 2"])
    try expectEqual(
      try store.records.fetch(QueryTree(model: "Book")).map { "\($0["id"] ?? .null) \($0["title"] ?? .null)" },
      books.reversed().map { "\(Value.string("k\(9 - ($0["id"]?.intValue ?? 0))")) \($0["title"] ?? .null)" })
    let record = Record(["id": .string("z"), "title": .string("t1"), "note": .string("n1")])
    try expectError(.uniqueViolation) { try store.records.insert(into: "Book", [record]) }
    try expectEqual(try store.check(), [])
    try store.close()
  }

  private static let referenceOfRebuilt = ConformanceCase(
    "MIG.new-referred-to", ["MIG-6", "REL-9"],
    "A model that others refer to is made again with its references, and what leads nowhere afterwards is refused.",
    requiresPersistence: true
  ) { kit in
    let models = [ModelSchema.linked("A"), .linked("B", .reference("a", to: "A", .deny))]
    let rows: [String: [Record]] = ["A": (1...3).map { .linked($0) }, "B": [.linked(1, ["a": 2]), .linked(2)]]
    let stage = try MigratingStore(kit, models, rows)
    let migration = { (gone: Int) in
      Migration.to(1) { m in
        try m.enumerate("A") { old, new in
          if old["id"] == .int(Int64(gone)) { new = nil } else { new["note"] = "kept" }
        }
      }
    }
    let error = try stage.expectRefusal(.missingReference, models, migration(2))
    try error.expect(model: "B", property: "a", key: "1", says: "no A with the primary key 2")
    let store = try stage.open(models, migration(3))
    try expectEqual(try store.ids("A"), [1, 2])
    try expectError(.referenced) { try store.write { try $0.delete("A", 2) } }
    try expectEqual(try store.write { try $0.delete("A", 1) }, 1)
    try expectEqual(try store.check(), [])
    try store.close()
  }

  private static let defaultsOfAged = ConformanceCase(
    "MIG.new-of-aged", ["MIG-5", "SCH-7"],
    "An object from before a property was added is made again with its default, and a closure sees the default.",
    needs: [.schemaAddProperty], requiresPersistence: true
  ) { kit in
    let added = PropertySchema(name: "pages", type: .int64, defaultValue: .int(7))
    let second = ModelSchema.migrating("Book", .string("title"), .string("note", isOptional: true), added)
    let stage = try MigratingStore(kit, [book], ["Book": books])
    let store = try stage.open([second])
    try store.records.insert(
      into: "Book", [Record(["id": .int(9), "title": .string("t9"), "note": .null, "pages": .int(8)])])
    try store.close()
    let third = ModelSchema.migrating("Book", .int("pages"), .int("twice"))
    try stage.expectRows(
      [third],
      Migration.to(2) { m in
        try m.enumerate("Book") { old, new in new["twice"] = .int(Int64(2 * (old["pages"].intValue ?? -1))) }
      },
      [
        "Book": (1...5).map { Record(["id": .int(Int64($0)), "pages": .int(7), "twice": .int(14)]) }
          + [Record(["id": .int(9), "pages": .int(8), "twice": .int(16)])]
      ])
  }
}

/// ``Successor`` before it was renamed, in a program that has both.
struct Predecessor: Model, Equatable {
  var id: Int
  var before: String

  static let modelDefinition = ModelDefinition<Predecessor>(
    name: "Predecessor",
    properties: [
      PropertyDefinition("id", \Predecessor.id, Int.self),
      PropertyDefinition("before", \Predecessor.before, String.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var before = Column<String>("before", 1)
  }

  var primaryKeyValue: Int { id }

  init(reading row: ModelReader) throws(StorageError) { (id, before) = (try row.get(0), try row.get(1)) }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, before)
  }
}
