import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

extension MigrationBodyCases {
  // MARK: Names

  static let renamesProperty = ConformanceCase(
    "MIG.rename-property", ["MIG-5"], "A renamed property keeps its values and its indexes.", requiresPersistence: true
  ) { kit in
    var (old, new) = (book, ModelSchema.migrating("Book", .string("name"), .string("year", isOptional: true)))
    old.indexes = [IndexSchema(name: "i", columns: [.init(slot: 1)], isUnique: true)]
    new.indexes = old.indexes
    let stage = try MigratingStore(kit, [old], ["Book": rows])
    try stage.expectRows(
      [new], .to(2) { m in try m.rename("title", to: "name", in: "Book") },
      [
        "Book": rows.map {
          Record(["id": $0["id"] ?? .null, "name": $0["title"] ?? .null, "year": $0["year"] ?? .null])
        }
      ])
    let store = try stage.open([new], .to(2))
    try expectError(.uniqueViolation) {
      try store.write { try $0.records.insert(into: "Book", [Record(["id": .int(9), "name": .string("a")])]) }
    }
  }

  static let renamesModel = ConformanceCase(
    "MIG.rename-model", ["MIG-5"], "A renamed model keeps its objects and its indexes.", requiresPersistence: true
  ) { kit in
    var (old, new) = (book, book)
    old.indexes = [IndexSchema(name: "i", columns: [.init(slot: 1)], isUnique: true)]
    new.name = "Volume"
    new.indexes = old.indexes
    let stage = try MigratingStore(kit, [old], ["Book": rows])
    try stage.expectRows([new], .to(2) { m in try m.rename("Book", to: "Volume") }, ["Volume": rows])
  }

  static let renamesToTaken = ConformanceCase(
    "MIG.rename-to-taken", ["MIG-5", "MIG-1"],
    "A name that is taken is schemaMismatch, also one that differs in case only.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book, .migrating("Other")], ["Book": rows])
    for name in ["year", "YEAR", "id", "", "_quarry_x"] {
      try stage.expectRefusal(.schemaMismatch, [book], .to(2) { m in try m.rename("title", to: name, in: "Book") })
    }
    for name in ["Other", "oTHER", ""] {
      try stage.expectRefusal(.schemaMismatch, [book], .to(2) { m in try m.rename("Book", to: name) })
    }
  }

  static let renamesUnknown = ConformanceCase(
    "MIG.rename-unknown", ["MIG-7"], "A name that is not stored is invalidQuery, with the nearest name.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows])
    let property = try stage.expectRefusal(
      .invalidQuery, [book], .to(2) { m in try m.rename("titel", to: "x", in: "Book") })
    try expect(property.message.contains("title"), property.message)
    let model = try stage.expectRefusal(.invalidQuery, [book], .to(2) { m in try m.rename("Bok", to: "x") })
    try expect(model.message.contains("Book"), model.message)
    try stage.expectRefusal(.invalidQuery, [book], .to(2) { m in try m.rename("title", to: "x", in: "Bok") })
    try stage.expectRefusal(.invalidQuery, [book], .to(2) { m in _ = try m.count("Bok") })
    try stage.expectRefusal(.invalidQuery, [book], .to(2) { m in try m.drop("Bok") })
    try stage.expectRefusal(.invalidQuery, [book], .to(2) { m in try m.drop("titel", in: "Book") })
    try stage.expectRefusal(.invalidQuery, [book], .to(2) { m in try m.forEach("Bok") { _ in } })
    try stage.expectRefusal(.invalidQuery, [book], .to(2) { m in try m.enumerate("Bok") { _, _ in } })
    try stage.expectRefusal(.invalidQuery, [book], .to(2) { m in try m.enumerate("Book", into: "Bok") { _, _ in } })
  }

  static let renamesInCircle = ConformanceCase(
    "MIG.rename-in-circle", ["MIG-5"], "Two properties exchange their names by way of a third.",
    requiresPersistence: true
  ) { kit in
    let model = ModelSchema.migrating("Book", .string("a"), .string("b"))
    let stage = try MigratingStore(
      kit, [model], ["Book": [Record(["id": .int(1), "a": .string("A"), "b": .string("B")])]])
    try stage.expectRows(
      [model],
      .to(2) { m in
        try m.rename("a", to: "c", in: "Book")
        try m.rename("b", to: "a", in: "Book")
        try m.rename("c", to: "b", in: "Book")
      }, ["Book": [Record(["id": .int(1), "b": .string("A"), "a": .string("B")])]])
  }

  // MARK: Conversions

  static let numbered = ModelSchema.migrating("Book", .string("title"), .int("year", isOptional: true))

  static let converts = ConformanceCase(
    "MIG.convert", ["MIG-5", "MIG-6"], "A conversion makes a new value of each old value, including nil.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows])
    try stage.expectRows(
      [numbered], .to(2) { m in try m.convert("year", in: "Book", Int.self) { (old: String?) in Int(old ?? "0") } },
      [
        "Book": rows.map { row in
          Record([
            "id": row["id"] ?? .null, "title": row["title"] ?? .null,
            "year": .int(Int64(row["year"]?.stringValue ?? "0") ?? -1),
          ])
        }
      ])
  }

  static let convertsTwice = ConformanceCase(
    "MIG.convert-twice", ["MIG-6"], "Conversions of one property follow each other, and closures see the old value.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows])
    try stage.expectRows(
      [numbered],
      .to(2) { m in
        try m.convert("year", in: "Book", Double.self) { (old: String?) in old.flatMap { Double($0) } }
        try m.enumerate("Book") { old, new in
          new["title"] = .string("\(old["year"].stringValue ?? "none") \(new["year"].intValue ?? 0)")
        }
        try m.convert("year", in: "Book", Int.self) { (old: Double?) in old.map { Int($0) + 1 } }
      },
      [
        "Book": [
          Record(["id": .int(1), "title": .string("1970 1971"), "year": .int(1971)]),
          Record(["id": .int(2), "title": .string("none 0"), "year": .null]),
          Record(["id": .int(3), "title": .string("1999 2000"), "year": .int(2000)]),
        ]
      ])
  }

  static let conversionsFail = ConformanceCase(
    "MIG.convert-fails", ["MIG-5", "MIG-1"],
    "Conversions that throw end the migration as invalidValue, with the first ten keys.", requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": many])
    let error = try stage.expectRefusal(
      .invalidValue, [numbered],
      .to(2) { m in
        try m.convert("year", in: "Book", Int.self) { (old: String?) in
          if let number = old?.dropFirst(), Int(number).map({ $0 % 3 == 0 }) == true { return 1 }
          throw Ended()
        }
      })
    try expectEqual(error.model, "Book")
    try expectEqual(error.property, "year")
    try expectEqual(error.key, "1")
    try expect(error.message.contains("1, 2, 4, 5, 7, 8, 10, 11, 13, 14"), error.message)
    try expect(error.cause is Ended, "the cause is \(String(describing: error.cause))")
  }

  static let conversionGivesNil = ConformanceCase(
    "MIG.convert-to-nil", ["MIG-5", "MIG-1"], "A conversion that gives nil for a required property is missingValue.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows])
    let error = try stage.expectRefusal(
      .missingValue, [.migrating("Book", .string("title"), .int("year"))],
      .to(2) { m in try m.convert("year", in: "Book", Int.self) { (old: String?) in old.flatMap { Int($0) } } })
    try expectEqual(error.key, "2")
    try expectEqual(error.property, "year")
  }

  static let conversionOfUnknown = ConformanceCase(
    "MIG.convert-unknown", ["MIG-7"], "A conversion of an unknown property, or to another type, is an error.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows])
    for (property, model) in [("yaer", "Book"), ("year", "Bok")] {
      try stage.expectRefusal(
        .invalidQuery, [numbered], .to(2) { m in try m.convert(property, in: model) { (old: String?) in old } })
    }
    try stage.expectRefusal(
      .invalidValue, [numbered], .to(2) { m in try m.convert("year", in: "Book") { (old: Int?) in old } })
    try stage.expectRefusal(
      .invalidValue, [numbered], .to(2) { m in try m.convert("year", in: "Book") { (_: String?) in "later" } })
  }

  static let dropsByName = ConformanceCase(
    "MIG.body-drops", ["MIG-3", "MIG-6"], "Closures read a property that the body drops.", requiresPersistence: true
  ) { kit in
    let draft = ModelSchema.migrating("Draft", .string("t"))
    let program = ModelSchema.migrating("Book", .string("title"))
    let stage = try MigratingStore(
      kit, [book, draft], ["Book": rows, "Draft": [Record(["id": .int(7), "t": .string("d")])]])
    let seen = Calls()
    try stage.expectRows(
      [program],
      .to(2) { m in
        try m.forEach("Book") { old in seen.versions.append(old["year"].stringValue.flatMap { Int($0) } ?? 0) }
        try m.enumerate("Draft", into: "Book") { old, new in new["title"] = old["t"] }
        try m.drop("year", in: "Book")
        try m.drop("Draft")
      },
      [
        "Book": (rows.map { ($0["id"] ?? .null, $0["title"] ?? .null) } + [(.int(7), .string("d"))])
          .map { Record(["id": $0.0, "title": $0.1]) }
      ])
    try expectEqual(seen.versions, [1970, 0, 1999])
    try stage.expectRefusal(.schemaMismatch, [program], .to(3) { m in try m.drop("title", in: "Book") })
  }

  static let counts = ConformanceCase(
    "MIG.body-looks", ["MIG-5"], "The body sees the stored models and their numbers of objects.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows])
    let seen = Calls()
    _ = try stage.open(
      [book, .migrating("New")],
      .to(2) { m in
        seen.versions = [try m.count("Book"), try m.models.count]
        try m.rename("Book", to: "Other")
        seen.versions.append(try m.count("Other"))
        try m.rename("Other", to: "Book")
      })
    try expectEqual(seen.versions, [3, 1, 3])
  }
}
