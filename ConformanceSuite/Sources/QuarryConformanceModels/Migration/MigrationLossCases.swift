import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// What a program has to say because something would be lost, and what happens when it says it.
enum MigrationLossCases {
  static let all: [ConformanceCase] = [
    dropProperty, dropAmongOthers, dropIndexed, dropModel, dropNothing, dropWhatIsThere, everythingTold, dropAndAdd,
    dropTwice,
    uniqueOverDuplicates, indexRenamed, indexesExchanged, followedProperty, followedModel, recased,
    followedModelTaken, followedModelLeft, followedTaken,
  ]

  private static let book = ModelSchema.migrating("Book", .string("title"), .int("year", isOptional: true))
  private static let rows = [
    Record(["id": .int(1), "title": .string("a"), "year": .int(1970)]),
    Record(["id": .int(2), "title": .string("b"), "year": .null]),
  ]
  private static let titles = rows.map { Record(["id": $0["id"] ?? .null, "title": $0["title"] ?? .null]) }

  private static let dropProperty = ConformanceCase(
    "MIG.drop-property", ["MIG-3"], "A property is dropped only if the program asks for it.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows])
    let program = [ModelSchema.migrating("Book", .string("title"))]
    let error = try stage.expectRefusal(.schemaMismatch, program)
    try expect(error.message.contains("Book.year"), error.message)
    try expect(error.message.contains(".dropping(\"Book.year\")"), error.message)
    try stage.expectRefusal(.schemaMismatch, program, .dropping("Book.years", "Other.year", "year", "Book"))
    try stage.expectRows(program, .dropping("Book.year"), ["Book": titles])
  }

  private static let dropAmongOthers = ConformanceCase(
    "MIG.drop-among-others", ["MIG-3"],
    "A property goes from among others of its type, at the front, in the middle and at the end, and they keep their values.",
    requiresPersistence: true
  ) { kit in
    let names = ["a", "b", "c", "d"]
    for type in [PropertyType.string, .int64, .double] {
      func model(_ names: [String]) -> ModelSchema {
        ModelSchema(
          name: "Book",
          properties: [PropertySchema(name: "id", type: .int64)]
            + names.map { PropertySchema(name: $0, type: type, isOptional: $0 == "c") },
          primaryKey: 0,
          indexes: names.enumerated().map { IndexSchema(name: $1, columns: [.init(slot: $0 + 1)]) })
      }
      func value(_ id: Int64, _ name: String) -> Value {
        if name == "c", id == 2 { return .null }
        let number = id * 10 + Int64(names.firstIndex(of: name) ?? 9)
        return type == .string ? .string("\(number)") : type == .double ? .double(Double(number)) : .int(number)
      }
      func rows(_ names: [String]) -> [Record] {
        (1...4).map { id in Record([("id", .int(id))] + names.map { ($0, value(id, $0)) }) }
      }
      let stage = try MigratingStore(kit, [model(names)], ["Book": rows(names)])
      var left = names
      for name in ["b", "d", "a"] {
        left.removeAll { $0 == name }
        try stage.expectRows([model(left)], .dropping("Book.\(name)"), ["Book": rows(left)])
      }
    }
  }

  private static let dropIndexed = ConformanceCase(
    "MIG.drop-indexed", ["MIG-3", "MIG-6"], "A property goes with the indexes that have it.", requiresPersistence: true
  ) { kit in
    var indexed = book
    indexed.indexes = [
      IndexSchema(name: "year", columns: [.init(slot: 2)]),
      IndexSchema(name: "both", columns: [.init(slot: 1), .init(slot: 2, isDescending: true)], isUnique: true),
      IndexSchema(name: "title", columns: [.init(slot: 1)]),
    ]
    let stage = try MigratingStore(kit, [indexed], ["Book": rows])
    let program = ModelSchema.migrating(
      "Book", .string("title"), indexes: [IndexSchema(name: "title", columns: [.init(slot: 1)])])
    try stage.expectRows([program], .dropping("Book.year"), ["Book": titles])
    let models = try stage.open([program], .dropping("Book.year")).models()
    try expectEqual(models.first?.indexes.map(\.name), ["title"])
  }

  private static let dropModel = ConformanceCase(
    "MIG.drop-model", ["MIG-3"],
    "A model that the program no longer has is kept until the program drops it.",
    requiresPersistence: true
  ) { kit in
    let draft = ModelSchema.migrating("Draft", .string("t"))
    let stage = try MigratingStore(
      kit, [book, draft], ["Book": rows, "Draft": [Record(["id": .int(1), "t": .string("x")])]])
    try expectEqual(try stage.open([book]).openingReport.schemaChanges, [])
    try stage.expectRows([book], .dropping("Draft"), ["Book": rows])
    let store = try stage.open([book, draft])
    try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Draft")) }, [])
  }

  private static let dropNothing = ConformanceCase(
    "MIG.drop-nothing", ["MIG-3"], "Drops of models and properties that are not stored do nothing.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows])
    try stage.expectRows([book], .dropping("Book.subtitle", "Draft", ""), ["Book": rows])
  }

  private static let dropWhatIsThere = ConformanceCase(
    "MIG.drop-of-program", ["MIG-3"],
    "A drop of a model that the program has is schemaMismatch; a property that it has stays.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows])
    try stage.expectRefusal(.schemaMismatch, [book], .dropping("Book"))
    try stage.expectRows([book], .dropping("Book.year"), ["Book": rows])
  }

  private static let everythingTold = ConformanceCase(
    "MIG.losses-told", ["MIG-3"], "The error lists everything that would be lost, and the call that permits each loss.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows])
    let program = ModelSchema.migrating(
      "Book", .int("title"), .int("pages"), PropertySchema(name: "maybe", type: .string, isOptional: true))
    let error = try stage.expectRefusal(.schemaMismatch, [program])
    for word in [
      "Book.title", "Book.year", "Book.pages", "m.convert(\"title\"", ".dropping(\"Book.year\")",
      "m.enumerate(\"Book\")",
    ] { try expect(error.message.contains(word), "\(word): \(error.message)") }
  }

  private static let dropAndAdd = ConformanceCase(
    "MIG.drop-against-rename", ["MIG-2", "MIG-3"],
    "A property that goes and one that comes are no renaming: the values are not there.", requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows])
    let program = ModelSchema.migrating("Book", .string("title"), .int("published", isOptional: true))
    try stage.expectRows(
      [program], .dropping("Book.year"),
      ["Book": titles.map { Record(["id": $0["id"] ?? .null, "title": $0["title"] ?? .null, "published": .null]) }])
  }

  private static let dropTwice = ConformanceCase(
    "MIG.drop-and-come-back", ["MIG-3", "SCH-7"], "A property that went and comes back has no old values.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows])
    try stage.open([.migrating("Book", .string("title"))], .dropping("Book.year")).close()
    try stage.expectRows(
      [book], ["Book": titles.map { Record(["id": $0["id"] ?? .null, "title": $0["title"] ?? .null, "year": .null]) }])
  }

  private static let uniqueOverDuplicates = ConformanceCase(
    "MIG.unique-over-duplicates", ["MIG-6", "SCH-5"],
    "A unique index over values that are not unique ends a migration with both keys, also where rows are created again.",
    requiresPersistence: true
  ) { kit in
    let old = ModelSchema.migrating("Book", PropertySchema(name: "n", type: .int32), .string("t"))
    let rows = [(1, 5), (2, 6), (3, 5)].map { id, n in
      Record(["id": .int(Int64(id)), "n": .int(Int64(n)), "t": .string("t")])
    }
    let stage = try MigratingStore(kit, [old], ["Book": rows])
    let program = ModelSchema.migrating(
      "Book", .int("n"), .string("t"), indexes: [IndexSchema(name: "n", columns: [.init(slot: 1)], isUnique: true)])
    let error = try stage.expectRefusal(.uniqueViolation, [program])
    try expectEqual(error.model, "Book")
    try expectEqual(error.property, "n")
    for key in ["1", "3"] { try expect(error.message.contains(key), error.message) }
    try stage.expectRows(
      [program], .to(2) { m in try m.enumerate("Book") { old, new in new["n"] = old["id"] } },
      ["Book": rows.map { Record(["id": $0["id"] ?? .null, "n": $0["id"] ?? .null, "t": .string("t")]) }])
  }

  private static let indexRenamed = ConformanceCase(
    "MIG.index-renamed", ["MIG-2", "SCH-5"], "An index of another name is renamed, and answers as before.",
    needs: [.schemaRenameIndex], requiresPersistence: true
  ) { kit in
    var (old, new) = (book, book)
    old.indexes = [IndexSchema(name: "one", columns: [.init(slot: 2)])]
    new.indexes = [IndexSchema(name: "two", columns: [.init(slot: 2)])]
    let stage = try MigratingStore(kit, [old], ["Book": rows])
    let store = try stage.open([new])
    try expectEqual(store.openingReport.schemaChanges, ["the index one of Book was renamed to two"])
    try expectEqual(try store.models().first?.indexes.map(\.name), ["two"])
    try expectEqual(try store.read { try $0.records.fetch(in: "Book", where: "year == 1970") }, [rows[0]])
    try expectEqual(try store.check(), [])
    try store.close()
    try expectEqual(try stage.open([new]).openingReport.schemaChanges, [])
  }

  private static let indexesExchanged = ConformanceCase(
    "MIG.indexes-exchanged", ["SCH-5"], "Two indexes exchange their names.", requiresPersistence: true
  ) { kit in
    var (old, new) = (book, book)
    old.indexes = [
      IndexSchema(name: "one", columns: [.init(slot: 2)]),
      IndexSchema(name: "two", columns: [.init(slot: 1)], isUnique: true),
    ]
    new.indexes = [
      IndexSchema(name: "two", columns: [.init(slot: 2)]),
      IndexSchema(name: "one", columns: [.init(slot: 1)], isUnique: true),
    ]
    let stage = try MigratingStore(kit, [old], ["Book": rows])
    try stage.expectRows([new], ["Book": rows])
  }

  // MARK: Names that were others

  private static let followedProperty = ConformanceCase(
    "MIG.original-name", ["MIG-2"], "A property keeps its values under a new name that gives the original name.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [.renamed()], ["Renamed": [Record(["id": .int(1), "before": .string("x")])]])
    let store = try kit.open([Renamed.self], at: stage.place)
    try expectEqual(try store.fetch(Renamed.all).map(\.after), ["x"])
    try expectEqual(store.openingReport.schemaChanges, ["the property before of Renamed was renamed to after"])
    try store.insert(Renamed(id: 2, after: "y"))
    try store.close()
    let again = try kit.open([Renamed.self], at: stage.place)
    try expectEqual(again.openingReport.schemaChanges, [])
    try expectEqual(try again.fetch(Renamed.where { $0.after == "y" }).map(\.id), [2])
  }

  private static let recased = ConformanceCase(
    "MIG.original-name-in-other-case", ["MIG-12", "MIG-2"],
    "A model and a property keep their values where only the case of letters of their names has changed.",
    requiresPersistence: true
  ) { kit in
    let before = ModelSchema.migrating("Recased", .string("After"))
    let stage = try MigratingStore(kit, [before], ["Recased": [Record(["id": .int(1), "After": .string("x")])]])
    let store = try kit.open([Recased.self], at: stage.place)
    try expectEqual(try store.models().map(\.name), ["recased"])
    try expectEqual(try store.fetch(Recased.all), [Recased(id: 1, after: "x")])
    try store.insert(Recased(id: 2, after: "y"))
    try store.close()
    let again = try kit.open([Recased.self], at: stage.place)
    try expectEqual(again.openingReport.schemaChanges, [])
    try expectEqual(try again.fetch(Recased.where { $0.after == "y" }).map(\.id), [2])
  }

  private static let followedModel = ConformanceCase(
    "MIG.original-name-of-model", ["MIG-2"],
    "A model keeps its objects under a new name that gives the original name, and so do its properties.",
    requiresPersistence: true
  ) { kit in
    let before = ModelSchema.migrating("Predecessor", .string("before"))
    let stage = try MigratingStore(kit, [before], ["Predecessor": [Record(["id": .int(1), "before": .string("x")])]])
    let store = try kit.open([Successor.self], at: stage.place)
    try expectEqual(try store.models().map(\.name), ["Successor"])
    try expectEqual(try store.fetch(Successor.all), [Successor(id: 1, after: "x")])
    try expectEqual(
      store.openingReport.schemaChanges,
      ["the model Predecessor was renamed to Successor", "the property before of Successor was renamed to after"])
    try store.insert(Successor(id: 2, after: "y"))
    try store.close()
    let again = try kit.open([Successor.self], at: stage.place)
    try expectEqual(again.openingReport.schemaChanges, [])
    try expectEqual(try again.fetch(Successor.where { $0.after == "y" }).map(\.id), [2])
  }

  private static let followedModelTaken = ConformanceCase(
    "MIG.original-name-of-model-taken", ["MIG-2", "MIG-3"],
    "Where models of both names are stored, the one of the original name is left.", requiresPersistence: true
  ) { kit in
    let both = [
      ModelSchema.migrating("Predecessor", .string("before")), ModelSchema.migrating("Successor", .string("after")),
    ]
    let stage = try MigratingStore(
      kit, both,
      [
        "Predecessor": [Record(["id": .int(1), "before": .string("x")])],
        "Successor": [Record(["id": .int(2), "after": .string("y")])],
      ])
    let store = try kit.open([Successor.self], at: stage.place)
    try expectEqual(store.openingReport.schemaChanges, [])
    try expectEqual(try store.fetch(Successor.all), [Successor(id: 2, after: "y")])
    try expectEqual(try store.models().map(\.name).sorted(), ["Predecessor", "Successor"])
  }

  private static let followedModelLeft = ConformanceCase(
    "MIG.original-name-and-body", ["MIG-2", "MIG-5"],
    "The body of a migration may rename what has an original name itself, and its closures see the name that was stored.",
    requiresPersistence: true
  ) { kit in
    for renames in [false, true] {
      let stage = try MigratingStore(kit, [.renamed()], ["Renamed": [Record(["id": .int(1), "before": .string("x")])]])
      let store = try kit.open(
        [Renamed.self], at: stage.place,
        migration: .to(1) { m in
          if renames { try m.rename("before", to: "after", in: "Renamed") }
          try m.enumerate("Renamed") { old, new in
            new["after"] = .string((old[renames ? "after" : "before"].stringValue ?? "?") + "!")
          }
        })
      try expectEqual(try store.fetch(Renamed.all).map(\.after), ["x!"])
    }
  }

  private static let followedTaken = ConformanceCase(
    "MIG.original-name-taken", ["MIG-2", "MIG-3"], "Where both names are stored, nothing is renamed.",
    requiresPersistence: true
  ) { kit in
    let both = ModelSchema.migrating("Renamed", .string("before"), .string("after"))
    let stage = try MigratingStore(
      kit, [both], ["Renamed": [Record(["id": .int(1), "before": .string("x"), "after": .string("y")])]])
    try expectError(.schemaMismatch) { try kit.open([Renamed.self], at: stage.place) }
    let store = try kit.open([Renamed.self], at: stage.place, migration: .dropping("Renamed.before"))
    try expectEqual(try store.fetch(Renamed.all).map(\.after), ["y"])
  }
}

extension ModelSchema {
  /// ``Renamed`` before its property was renamed.
  fileprivate static func renamed() -> ModelSchema { .migrating("Renamed", .string("before")) }
}
