import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// The names by which models and properties travel between stores.
enum TravelNameCases {
  static let all: [ConformanceCase] = kept + declared + moved

  private static let book = ModelSchema.migrating("Book", .string("title"), .int("year", isOptional: true))
  private static let rows = (1...5).map { Record(["id": .int(Int64($0)), "title": .string("t\($0)"), "year": .null]) }

  private static func travel(
    _ id: String, _ summary: String, needs: Set<Capability> = [], persistent: Bool = false,
    _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("SCH.travel-\(id)", ["SCH-10"], summary, needs: needs, requiresPersistence: persistent, body)
  }

  /// A closed store with some books.
  private static func library(_ kit: ConformanceContext) throws -> MigratingStore {
    try MigratingStore(kit, [book], ["Book": rows], version: 1)
  }

  /// The names by which a store's models travel, each with its own name, and those of their properties: `Book=Book(id=id)`.
  private static func names(_ store: Store) throws -> [String] {
    try store.models().map { model in
      let properties = model.liveSlots.map { "\(model.properties[$0].name)=\(model.properties[$0].travelName)" }
      return "\(model.name)=\(model.travelName)(\(properties.joined(separator: " ")))"
    }.sorted()
  }

  private static func closing<R>(_ store: Store, _ body: (Store) throws -> R) throws -> R {
    let result = try body(store)
    try expectEqual(try store.check(), [])
    try store.close()
    return result
  }

  // MARK: The first name

  private static let renames: Set<Capability> = [.schemaRenameModel, .schemaRenameProperty]

  private static let kept: [ConformanceCase] = [
    travel("first", "A rename leaves the name by which a model or property travels.", needs: renames) { kit in
      let store = try kit.store(making: [book])
      try expectEqual(try names(store), ["Book=Book(id=id title=title year=year)"])
      try store.write { tx in
        let id = try tx.model(named: "Book").id
        try tx.apply(.renameModel(id, to: "Volume"))
        try tx.apply(.renameProperty(id, slot: 1, to: "name"))
        try tx.apply(.renameProperty(id, slot: 0, to: "number"))
        try tx.apply(.addProperty(id, PropertySchema(name: "note", type: .string, isOptional: true)))
      }
      try expectEqual(try names(store), ["Volume=Book(number=id name=title year=year note=note)"])
      try store.write { tx in
        let id = try tx.model(named: "Volume").id
        try tx.apply(.renameModel(id, to: "Tome"))
        try tx.apply(.renameProperty(id, slot: 1, to: "heading"))
        try tx.apply(.renameProperty(id, slot: 0, to: "id"))
      }
      try expectEqual(try names(store), ["Tome=Book(id=id heading=title year=year note=note)"])
      struct Undone: Error {}
      try expectThrows(Undone.self) {
        try store.write { tx in
          try tx.apply(.renameProperty(try tx.model(named: "Tome").id, slot: 3, to: "remark"))
          throw Undone()
        }
      }
      try store.write { tx in try tx.apply(.renameModel(try tx.model(named: "Tome").id, to: "Book")) }
      try expectEqual(try names(store), ["Book=Book(id=id heading=title year=year note=note)"])
      try expectEqual(try store.models()[0].syncName, nil)
    },
    travel("swapped", "Two properties that swap their names travel as before.", needs: renames, persistent: true) {
      kit in
      let scene = try MigratingStore(
        kit, [.migrating("Pair", .int("a"), .int("b"))], ["Pair": [Record(["id": 1, "a": 10, "b": 20])]], version: 1)
      let pair = ModelSchema.migrating("Pair", .int("a"), .int("b"))
      let store = try scene.open(
        [pair],
        .to(2) { m in
          try m.rename("a", to: "c", in: "Pair")
          try m.rename("b", to: "a", in: "Pair")
          try m.rename("c", to: "b", in: "Pair")
        })
      try expectEqual(try names(store), ["Pair=Pair(id=id b=a a=b)"])
      try expectEqual(try store.records.fetch(in: "Pair").map { $0["a"] }, [20])
      try store.close()
      try expectEqual(try closing(scene.open([pair], .to(2)), names), ["Pair=Pair(id=id b=a a=b)"])
    },
    travel(
      "followed", "A model may get the name that a renamed one travels by.", needs: renames, persistent: true
    ) { kit in
      let scene = try library(kit)
      let volume = ModelSchema.migrating("Volume", .string("title"), .int("year", isOptional: true))
      let both = try closing(
        scene.open([volume, book], .to(2) { m in try m.rename("Book", to: "Volume") }), names)
      try expectEqual(both, ["Book=Book(id=id title=title year=year)", "Volume=Book(id=id title=title year=year)"])
      let store = try scene.open([volume, book], .to(2))
      try expectEqual(try names(store), both)
      try expectEqual(try store.records.fetch(in: "Volume"), rows)
      try expectEqual(try store.records.fetch(in: "Book"), [])
    },
    travel(
      "rewritten", "Objects that a migration creates again belong to models that travel as before.", needs: renames,
      persistent: true
    ) { kit in
      let scene = try library(kit)
      let text = ModelSchema.migrating("Volume", .string("name"), .string("year", isOptional: true), .int("more"))
      let expected = ["Volume=Book(id=id name=title year=year more=more)"]
      let migrated = try closing(
        scene.open(
          [text],
          .to(2) { m in
            try m.rename("Book", to: "Volume")
            try m.rename("title", to: "name", in: "Volume")
            try m.enumerate("Volume") { old, new in
              new["year"] = .string("y")
              new["more"] = 1
            }
          }), names)
      try expectEqual(migrated, expected)
      // Without a rename the format is not raised, and the names are left out.
      let plain = try library(kit)
      let schema = try closing(
        plain.open([book], .to(2) { m in try m.enumerate("Book") { _, new in new["year"] = 3 } })
      ) { try $0.models() }
      try expectEqual(schema[0].syncName, nil)
      try expectEqual(schema[0].properties.map(\.syncName), [nil, nil, nil])
      try expectEqual(try closing(plain.open([book], .to(2)), names), ["Book=Book(id=id title=title year=year)"])
    },
  ]

  // MARK: Declared names

  /// The model with declared names.
  private static func declaring(_ model: String?, title: String?, _ name: String = "Book") -> ModelSchema {
    var schema = ModelSchema.migrating(name, .string("title"), .int("year", isOptional: true))
    schema.syncName = model
    schema.properties[1].syncName = title
    return schema
  }

  private static let declared: [ConformanceCase] = [
    travel("declared", "A program declares names for a new store and for one that exists.", persistent: true) { kit in
      let expected = ["Book=Tome(id=id title=heading year=year)"]
      let fresh = try MigratingStore(kit)
      try expectEqual(try closing(fresh.open([declaring("Tome", title: "heading")]), names), expected)
      let scene = try library(kit)
      let before = try scene.content()
      let store = try scene.open([declaring("Tome", title: "heading")])
      try expectEqual(
        store.openingReport.schemaChanges,
        ["the model Book travels as Tome", "the property title of Book travels as heading"])
      try expectEqual(try names(store), expected)
      try store.close()
      try expectEqual(try scene.content(), before)
      // A program that declares no names keeps them. One that declares the first names gets those.
      let undeclared = try scene.open([book])
      try expectEqual(undeclared.openingReport.schemaChanges, [])
      try expectEqual(try names(undeclared), expected)
      try undeclared.close()
      let first = try closing(scene.open([declaring("Book", title: "title")])) { try $0.models() }
      try expectEqual(first[0].syncName, nil)
      try expectEqual(first[0].properties[1].syncName, nil)
    },
    travel(
      "declared-for-reading", "A store that is opened for reading keeps its names.", needs: [.openReadOnly],
      persistent: true
    ) { kit in
      let scene = try library(kit)
      var options = OpenOptions()
      options.isReadOnly = true
      let store = try kit.open(program: [declaring("Tome", title: "heading")], at: scene.place, options: options)
      try expectEqual(try names(store), ["Book=Book(id=id title=title year=year)"])
      try expectEqual(try store.records.fetch(in: "Book"), rows)
    },
    travel(
      "original", "What is new in a store travels by its original name, as in a store where it was renamed.",
      needs: renames, persistent: true
    ) { kit in
      let expected = ["Successor=Predecessor(id=id after=before)"]
      try expectEqual(names(try kit.store(Successor.self)), expected)
      let place = try kit.makePlace()
      try kit.open(program: [.migrating("Predecessor", .string("before"))], at: place).close()
      try expectEqual(try closing(try kit.open([Successor.self], at: place), names), expected)
      // The name of another model of the program stays with that model.
      let both = try names(try kit.store(Successor.self, Predecessor.self))
      try expectEqual(
        both, ["Predecessor=Predecessor(id=id before=before)", "Successor=Successor(id=id after=before)"])
    },
    travel("refused", "Names that contradict each other or the rules are refused.", persistent: true) { kit in
      let scene = try library(kit)
      var twice = declaring(nil, title: "same")
      twice.properties[2].syncName = "same"
      for models in [
        [declaring("", title: nil)], [declaring("!", title: nil)], [declaring(nil, title: "_quarry_a")],
        [declaring(nil, title: "a\0b")], [twice], [declaring("B", title: nil), declaring("B", title: nil, "Other")],
      ] {
        try scene.expectRefusal(.schemaMismatch, models)
        try expectError(.schemaMismatch) { try kit.open(program: models, at: kit.makePlace()) }
      }
      let long = String(repeating: "x", count: 64)
      try scene.expectRefusal(.limitExceeded, [declaring(long, title: nil)])
      // Names are compared by their bytes.
      var cases = declaring("book", title: "TITLE")
      cases.properties[2].syncName = "title"
      try expectEqual(try closing(scene.open([cases]), names), ["Book=book(id=id title=TITLE year=title)"])
    },
  ]

  // MARK: Copies

  private static let moved: [ConformanceCase] = [
    travel("moved", "Copies and restored dumps keep the names.", persistent: true) { kit in
      var schema = declaring("Tome", title: "heading")
      schema.properties.append(PropertySchema(name: "note", type: .string, isOptional: true, syncName: "remark"))
      let store = try kit.open(program: [schema], at: kit.makePlace())
      try store.records.insert(into: "Book", rows)
      try store.write { tx in try tx.apply(.dropProperty(try tx.model(named: "Book").id, slot: 2)) }
      let expected = ["Book=Tome(id=id title=heading note=remark)"]
      try expectEqual(try names(store), expected)
      let copy = try kit.makePlace()
      try store.copy(to: copy)
      try expectEqual(try closing(kit.open([], at: copy), names), expected)
      let dump = try StoreDump.text(store)
      let line = dump.split(separator: "\n")[0]
      try expect(line.contains("\"format\":6"), "\(line)")
      let restored = try kit.makePlace()
      try StoreDump.restore(dump, to: restored)
      try expectEqual(try closing(kit.open([], at: restored), names), expected)
    }
  ]
}
