import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Objects that are made again with little said of them, and models that a migration says nothing of.
enum RemadeObjectCases {
  static let all: [ConformanceCase] = [
    agedWidened, sameType, endsWithNil, convertedThenRenamed, namesOfOthers, lossesOfTarget, droppedInOtherCase,
    largeRows,
  ]

  private static let book = ModelSchema.migrating("Book", .string("title"), .string("note", isOptional: true))
  private static let books = (1...4).map {
    Record(["id": .int(Int64($0)), "title": .string("t\($0)"), "note": $0 == 3 ? .null : .string("n\($0)")])
  }
  private static let plainBook = ModelSchema.migrating("Book", .string("title"))

  private static func plain(_ books: [Record]) -> [Record] {
    books.map { Record(["id": $0["id"] ?? .null, "title": $0["title"] ?? .null]) }
  }

  // MARK: Copied and converted

  private static let agedWidened = ConformanceCase(
    "MIG.untold-of-aged", ["MIG-2", "MIG-5", "SCH-7", "SCH-8"],
    "Objects from before a required property was added have its default when another property is widened or converted.",
    needs: [.schemaAddProperty], requiresPersistence: true
  ) { kit in
    func model(_ type: PropertyType, _ added: PropertySchema...) -> ModelSchema {
      ModelSchema(
        name: "Box", properties: [.int("id"), PropertySchema(name: "size", type: type)] + added, primaryKey: 0)
    }
    let added = [
      PropertySchema(name: "count", type: .int64, defaultValue: .int(7)),
      PropertySchema(name: "colour", type: .string, isOptional: true, defaultValue: .string("red")),
    ]
    func row(_ id: Int64, _ size: Value, _ count: Int64, _ colour: Value) -> Record {
      Record(["id": .int(id), "size": size, "count": .int(count), "colour": colour])
    }
    let conversion = Migration.to(1) { m in
      try m.convert("size", in: "Box") { (old: Int32?) in "\(old ?? 0)" }
    }
    for (type, migration) in [(PropertyType.int64, Migration.automatic), (.string, conversion)] {
      let stage = try MigratingStore(
        kit, [model(.int32)], ["Box": (1...3).map { Record(["id": .int($0), "size": .int($0 * 10)]) }])
      let store = try stage.open([model(.int32, added[0], added[1])])
      try store.records.insert(into: "Box", [row(4, .int(40), 8, .null)])
      try store.close()
      func size(_ number: Int64) -> Value { type == .string ? .string("\(number)") : .int(number) }
      try stage.expectRows(
        [model(type, added[0], added[1])], migration,
        ["Box": (1...3).map { row($0, size($0 * 10), 7, .string("red")) } + [row(4, size(40), 8, .null)]])
    }
  }

  private static let sameType = ConformanceCase(
    "MIG.convert-same-type", ["MIG-5", "MIG-6"],
    "A conversion to the same type makes a new value of each old value, with and without closures.",
    requiresPersistence: true
  ) { kit in
    for isEnumerated in [false, true] {
      let stage = try MigratingStore(kit, [book], ["Book": books])
      try stage.expectRows(
        [book],
        .to(1) { m in
          try m.convert("title", in: "Book") { (old: String?) in old.map { "\($0)!" } }
          try m.convert("note", in: "Book") { (old: String?) in old == nil ? "none" : nil }
          if isEnumerated { try m.enumerate("Book") { _, _ in } }
        },
        [
          "Book": (1...4).map {
            Record([
              "id": .int(Int64($0)), "title": .string("t\($0)!"), "note": $0 == 3 ? .string("none") : .null,
            ])
          }
        ])
    }
  }

  private static let endsWithNil = ConformanceCase(
    "MIG.new-nil-calls", ["MIG-5"], "No closure is called for an object that a closure before it has set to nil.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": books])
    let seen = NewObjectCases.Seen()
    try stage.expectRows(
      [book],
      .to(1) { m in
        try m.enumerate("Book") { old, new in if old["note"].isNull || old["id"] == .int(4) { new = nil } }
        try m.enumerate("Book") { old, _ in seen.texts.append("\(old["id"])") }
        try m.enumerate("Book") { old, _ in seen.texts.append("\(old["title"])") }
      }, ["Book": Array(books.prefix(2))])
    try expectEqual(seen.texts, ["1", "'t1'", "2", "'t2'"])
  }

  private static let convertedThenRenamed = ConformanceCase(
    "MIG.convert-then-rename", ["MIG-5", "MIG-6", "MIG-1"],
    "Conversions into a model whose stored objects get another name make its objects, which lack no required value.",
    requiresPersistence: true
  ) { kit in
    let volume = ModelSchema.migrating("Volume", .string("title"), .string("note", isOptional: true))
    let migration = Migration.to(1) { m in
      try m.convert("title", in: "Book") { (old: String?) in old?.utf8.count }
      try m.rename("Book", to: "Volume")
    }
    let program = [volume, .migrating("Book", .int("title"), .string("note"))]
    let stage = try MigratingStore(kit, [book], ["Book": books])
    let error = try stage.expectRefusal(.missingValue, program, migration)
    try error.expect(model: "Book", property: "note", key: "3")
    let whole = books.filter { $0["note"] != .some(.null) }
    let other = try MigratingStore(kit, [book], ["Book": whole])
    try other.expectRows(
      program, migration,
      [
        "Volume": whole,
        "Book": whole.map { Record(["id": $0["id"] ?? .null, "title": .int(2), "note": $0["note"] ?? .null]) },
      ])
  }

  // MARK: Models beside those that are made again

  private static let namesOfOthers = ConformanceCase(
    "MIG.names-of-others", ["MIG-1", "SCH-9"],
    "A model is made again beside others, whatever their names are.", requiresPersistence: true
  ) { kit in
    let names = (0..<4).flatMap { ["\($0 % 2 == 0 ? "new" : "NEW")_\($0)", "new_\($0)_"] }
    let rows = [Record(["id": .int(1), "t": .string("t")])]
    let others = names.map { ModelSchema.migrating($0, .string("t")) }
    let contents = Dictionary(uniqueKeysWithValues: names.map { ($0, rows) })
    let stage = try MigratingStore(kit, [book] + others, contents.merging(["Book": books]) { $1 })
    try stage.expectRows(
      [plainBook] + others, .to(1) { m in try m.enumerate("Book") { _, _ in } },
      contents.merging(["Book": plain(books)]) { $1 })
  }

  private static let lossesOfTarget = ConformanceCase(
    "MIG.losses-of-target", ["MIG-3"],
    "A model to which closures add objects of another loses no property without a word, and neither does the other.",
    requiresPersistence: true
  ) { kit in
    let draft = ModelSchema.migrating("Draft", .string("title"), .string("mark", isOptional: true))
    let drafts = [Record(["id": .int(9), "title": .string("d"), "mark": .string("m")])]
    let stage = try MigratingStore(kit, [book, draft], ["Book": books, "Draft": drafts])
    let migration = Migration.to(1) { m in try m.enumerate("Draft", into: "Book") { _, _ in } }
    let ofTarget = try stage.expectRefusal(.schemaMismatch, [plainBook, draft], migration)
    try expect(ofTarget.message.contains("Book.note"), ofTarget.message)
    let plainDraft = ModelSchema.migrating("Draft", .string("title"))
    let ofSource = try stage.expectRefusal(.schemaMismatch, [book, plainDraft], migration)
    try expect(ofSource.message.contains("Draft.mark"), ofSource.message)
    try stage.expectRows(
      [plainBook, plainDraft], migration.dropping("Book.note", "Draft.mark"),
      ["Book": plain(books + drafts), "Draft": plain(drafts)])
  }

  private static let droppedInOtherCase = ConformanceCase(
    "MIG.drop-and-add-in-other-case", ["MIG-3", "SCH-3", "SCH-5"],
    "A property takes the place of one that goes and whose name differs in the case of letters alone; it has no old values.",
    requiresPersistence: true
  ) { kit in
    var old = ModelSchema.migrating("Book", .string("title"), .string("Note", isOptional: true))
    old.indexes = [IndexSchema(name: "n", columns: [.init(slot: 2)])]
    var new = book
    new.indexes = [IndexSchema(name: "n", columns: [.init(slot: 2), .init(slot: 1)])]
    let rows = books.map {
      Record(["id": $0["id"] ?? .null, "title": $0["title"] ?? .null, "Note": $0["note"] ?? .null])
    }
    let stage = try MigratingStore(kit, [old], ["Book": rows])
    try stage.expectRefusal(.schemaMismatch, [new])
    try stage.expectRows(
      [new], .dropping("Book.Note"),
      ["Book": plain(books).map { Record(["id": $0["id"] ?? .null, "title": $0["title"] ?? .null, "note": .null]) }])
  }

  // MARK: Limits

  private static let largeRows = ConformanceCase(
    "MIG.large-rows", ["LIM-1", "MIG-1"],
    "A row of a migration that is larger than the engine takes is limitExceeded, and the store is as it was.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book, .migrating("More", .string("text"))], ["Book": books])
    let before = try stage.content()
    let narrow = NarrowPlace(inner: stage.place) { manifest, _ in manifest.limits.rowBytes = 2_000 }
    let long = Value.string(String(repeating: "x", count: 3_000))
    let record = Record(["id": .int(1), "text": long])
    let bodies: [(String, @Sendable (MigrationContext) throws -> Void)] = [
      ("Book", { m in try m.enumerate("Book") { old, new in if old["id"] == .int(2) { new["note"] = long } } }),
      ("Book", { m in try m.convert("note", in: "Book") { (_: String?) in String(repeating: "x", count: 3_000) } }),
      ("More", { m in try m.insert(into: "More", record) }),
      ("More", { m in try m.forEach("Book") { _ in try m.insert(into: "More", record) } }),
    ]
    for (place, (model, body)) in bodies.enumerated() {
      let error = try expectError(.limitExceeded, "\(place)") {
        try kit.open(program: [book, .migrating("More", .string("text"))], at: narrow, migration: .to(1, body))
      }
      try expectEqual(error.model, model, "\(place)")
      try expect(error.message.contains("2000"), error.message)
      try expectEqual(try stage.content(), before, "\(place)")
    }
    let store = try kit.open(
      program: [book], at: narrow,
      migration: .to(1) { m in
        try m.enumerate("Book") { _, new in new["note"] = .string(String(repeating: "x", count: 1_500)) }
      })
    try expectEqual(try store.check(), [])
  }
}
