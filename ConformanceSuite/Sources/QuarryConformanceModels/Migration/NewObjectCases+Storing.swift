import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

extension NewObjectCases {
  // MARK: What cannot be stored

  static let requiredUnset = ConformanceCase(
    "MIG.required-unset", ["MIG-5", "MIG-1"], "A required property without a value is missingValue, with the key.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    let program = [ModelSchema.migrating("Person", .string("first"), .int("age"))]
    for value: Value? in [nil, .null] {
      let error = try stage.expectRefusal(
        .missingValue, program,
        .to(1) { m in
          try m.enumerate("Person") { old, new in
            if old["id"] == .int(1) { new["age"] = 36 } else if let value { new["age"] = value }
          }
        })
      try expectEqual(error.model, "Person")
      try expectEqual(error.property, "age")
      try expectEqual(error.key, "2")
    }
  }

  static let requiredUnsetMany = ConformanceCase(
    "MIG.required-unset-keys", ["MIG-5"], "The error has the first ten keys.", requiresPersistence: true
  ) { kit in
    let rows = (0..<500).map { Record(["id": .int(Int64($0)), "first": .string("x")]) }
    let stage = try MigratingStore(kit, [person], ["Person": rows])
    let error = try stage.expectRefusal(
      .missingValue, [.migrating("Person", .string("first"), .int("age"))],
      .to(1) { m in try m.enumerate("Person") { old, new in if old["id"].intValue ?? 0 < 300 { new["age"] = 1 } } })
    try expect(error.message.contains("300, 301, 302, 303, 304, 305, 306, 307, 308, 309"), error.message)
    try expect(!error.message.contains("310"), error.message)
    try expectEqual(error.key, "300")
  }

  static let notExact = ConformanceCase(
    "MIG.not-exact", ["MIG-5", "MIG-1"],
    "A value that its property's new type does not hold is invalidValue unless a closure sets it, also where it may be nil.",
    requiresPersistence: true
  ) { kit in
    let old = ModelSchema.migrating("Person", PropertySchema(name: "n", type: .int64, isOptional: true))
    let new = ModelSchema.migrating("Person", PropertySchema(name: "n", type: .int8, isOptional: true))
    let rows = [(1, Value.int(127)), (2, .null), (3, .int(128))].map { Record(["id": .int(Int64($0)), "n": $1]) }
    let stage = try MigratingStore(kit, [old], ["Person": rows])
    let error = try stage.expectRefusal(.invalidValue, [new], .to(1) { m in try m.enumerate("Person") { _, _ in } })
    try expectEqual(error.key, "3")
    try expectEqual(error.property, "n")
    try stage.expectRefusal(
      .invalidValue, [new], .to(1) { m in try m.enumerate("Person") { _, new in new["n"] = "x" } })
    try stage.expectRows(
      [new], .to(1) { m in try m.enumerate("Person") { old, new in if old["n"] == .int(128) { new["n"] = -1 } } },
      ["Person": [rows[0], rows[1], Record(["id": .int(3), "n": .int(-1)])]])
  }

  static let exact = ConformanceCase(
    "MIG.exact", ["MIG-5"],
    "A narrower type takes the values that it can hold when a migration creates the objects again.",
    requiresPersistence: true
  ) { kit in
    let old = ModelSchema.migrating("Person", PropertySchema(name: "n", type: .double))
    let rows = [-3.0, 0, 17].enumerated().map { Record(["id": .int(Int64($0)), "n": .double($1)]) }
    let stage = try MigratingStore(kit, [old], ["Person": rows])
    try stage.expectRows(
      [.migrating("Person", PropertySchema(name: "n", type: .int16))],
      .to(1) { m in try m.enumerate("Person") { _, _ in } },
      ["Person": [-3, 0, 17].enumerated().map { Record(["id": .int(Int64($0)), "n": .int($1)]) }])
  }

  static let unknownNames = ConformanceCase(
    "MIG.unknown-names", ["MIG-7"], "An unknown property is invalidQuery, with the nearest name.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    let closures: [@Sendable (OldObject, inout NewObject) throws -> Void] = [
      { old, _ in _ = old["frist"] }, { _, new in _ = new["frist"] }, { _, new in new["frist"] = 1 },
      { old, _ in _ = try old.get("frist", as: String.self) }, { _, new in try new.set("frist", "x") },
    ]
    for closure in closures {
      let error = try stage.expectRefusal(
        .invalidQuery, [person], .to(1) { m in try m.enumerate("Person") { try closure($0, &$1) } })
      try expect(error.message.contains("first"), error.message)
      try expectEqual(error.property, "frist")
    }
    try stage.expectRefusal(.invalidQuery, [person], .to(1) { m in try m.forEach("Person") { _ = $0["frist"] } })
    try stage.expectRefusal(
      .invalidValue, [person], .to(1) { m in try m.forEach("Person") { _ = try $0.get("last", as: String.self) } })
  }

  // MARK: Objects that closures store

  static let ownModel = ConformanceCase(
    "MIG.insert-into-read", ["MIG-7"],
    "A model that is converted in place takes no other objects; a model that is created again does.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    try stage.expectRefusal(
      .iterationActive, [person],
      .to(1) { m in
        try m.forEach("Person") { _ in try m.insert(into: "Person", Record(["id": .int(9), "first": .string("x")])) }
      })
    try stage.expectRows(
      [person],
      .to(1) { m in
        try m.enumerate("Person") { old, _ in
          try m.insert(into: "Person", Record(["id": .int(Int64(old["id"].intValue ?? 0) + 10), "first": "copy"]))
        }
      },
      ["Person": people + [11, 12].map { Record(["id": .int($0), "first": .string("copy"), "last": .null]) }])
  }

  static let insertedTwice = ConformanceCase(
    "MIG.insert-taken", ["MIG-7", "MIG-1"], "An object whose key is taken is duplicateKey.", requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    try stage.expectRefusal(.duplicateKey, [person], .to(1) { m in try m.insert(into: "Person", people[0]) })
    try stage.expectRefusal(
      .duplicateKey, [person, .migrating("Other")],
      .to(1) { m in try m.forEach("Person") { _ in try m.insert(into: "Other", Record(["id": .int(1)])) } })
  }

  static let insertedByBody = ConformanceCase(
    "MIG.insert-in-body", ["MIG-7"], "The body stores objects, typed ones too.", requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(
      kit, [.renamedModel], ["Renamed": [Record(["id": .int(1), "before": .string("x")])]])
    let store = try kit.open(
      [Renamed.self, FirstVersion.self], at: stage.place,
      migration: .to(1) { m in
        try m.insert(Renamed(id: 2, after: "typed"))
        try m.insert(into: "Versioned", Record(["id": .int(1), "title": .string("t")]))
        try m.forEach("Renamed") { _ in try m.insert(FirstVersion(id: 2, title: "u")) }
      })
    try expectEqual(try store.fetch(Renamed.all).map(\.after), ["x", "typed"])
    try expectEqual(try store.fetch(FirstVersion.all).map(\.title), ["t", "u"])
    try expectEqual(try store.check(), [])
  }

  static let insertedUnknown = ConformanceCase(
    "MIG.insert-unknown", ["MIG-7"], "An object of an unknown model, or without a required value, is an error.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    try stage.expectRefusal(.invalidQuery, [person], .to(1) { m in try m.insert(into: "Persons", people[0]) })
    try stage.expectRefusal(
      .missingValue, [person], .to(1) { m in try m.insert(into: "Person", Record(["id": .int(5)])) })
    try stage.expectRefusal(
      .invalidQuery, [person], .to(1) { m in try m.insert(into: "Person", Record(["id": .int(5), "age": .int(1)])) })
    try stage.expectRefusal(.invalidQuery, [person], .to(1) { m in try m.insert(Renamed(id: 1, after: "x")) })
  }

  static let visited = ConformanceCase(
    "MIG.visit", ["MIG-5"], "A visit changes nothing, and sees each object with all its properties.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    let seen = Seen()
    try stage.expectRows([person], .to(1) { m in try m.forEach("Person") { seen.old.append($0) } }, ["Person": people])
    try expectEqual(seen.old.map(\.record), people)
    try expectEqual(try seen.old.map { try $0.get("last", as: String?.self) }, ["Lovelace", nil])
    try expectEqual(try seen.old.map { try $0.get("id", as: Int.self) }, [1, 2])
  }

  static let defaults = ConformanceCase(
    "MIG.new-defaults", ["MIG-5"], "A new object begins with the defaults of its new properties.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    let program = ModelSchema.migrating(
      "Person", .string("first"), PropertySchema(name: "age", type: .int16, defaultValue: .int(7)),
      PropertySchema(name: "size", type: .double, isOptional: true, defaultValue: .double(0.5)),
      .string("note", isOptional: true))
    let due = people.map { row in
      Record([
        "id": row["id"] ?? .null, "first": row["first"] ?? .null, "age": .int(row["id"] == .int(1) ? 8 : 7),
        "size": .double(0.5), "note": .null,
      ])
    }
    try stage.expectRows(
      [program],
      .to(1) { m in
        try m.enumerate("Person") { old, new in
          try expectEqual(new["age"], .int(7))
          try expectEqual(new["note"], .null)
          if old["id"] == .int(1) { try new.set("age", 8) }
        }
      }, ["Person": due])
  }

  static let oldIsKept = ConformanceCase(
    "MIG.old-is-a-value", ["MIG-5"], "Old objects are values: they stay what they were after the migration.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    let seen = Seen()
    let store = try stage.open(
      [person],
      .to(1) { m in
        try m.enumerate("Person") { old, new in
          seen.old.append(old)
          new["first"] = "changed"
        }
      })
    try store.write { try $0.records.delete(QueryTree(model: "Person")) }
    try store.close()
    try expectEqual(seen.old.map(\.record), people)
  }
}
