import Foundation
import QuarryBackend
import QuarryCore
import QuarryQuery

/// What old and new objects of a migration are, and what is stored of them.
enum NewObjectCases {
  static let all: [ConformanceCase] = [
    combined, keepsTheRest, deletes, deletesSome, newKey, keysCollide, split, merged, moved, inOrder, chained,
    requiredUnset, requiredUnsetMany, notExact, exact, unknownNames, ownModel, insertedTwice, insertedByBody,
    insertedUnknown, visited, defaults, oldIsKept, typed, typedWrong, typedTwice, every, large,
  ]

  private static let person = ModelSchema.migrating("Person", .string("first"), .string("last", isOptional: true))
  private static let people = [
    Record(["id": .int(1), "first": .string("Ada"), "last": .string("Lovelace")]),
    Record(["id": .int(2), "first": .string("Plato"), "last": .null]),
  ]

  private static let combined = ConformanceCase(
    "MIG.new-combined", ["MIG-5"], "A property is made of two others, which go.", requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    try stage.expectRows(
      [.migrating("Person", .string("fullName"))],
      .to(1) { m in try m.enumerate("Person") { old, new in new["fullName"] = "\(old["first"]) \(old["last"])" } },
      [
        "Person": [
          Record(["id": .int(1), "fullName": .string("Ada Lovelace")]),
          Record(["id": .int(2), "fullName": .string("Plato nil")]),
        ]
      ])
  }

  private static let keepsTheRest = ConformanceCase(
    "MIG.new-keeps", ["MIG-5"], "What a closure does not set stays as it was.", requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    try stage.expectRows(
      [person], .to(1) { m in try m.enumerate("Person") { old, new in if old["last"].isNull { new["last"] = "?" } } },
      ["Person": [people[0], Record(["id": .int(2), "first": .string("Plato"), "last": .string("?")])]])
  }

  private static let deletes = ConformanceCase(
    "MIG.new-nil", ["MIG-5"], "An object that is set to nil is not stored.", requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    try stage.expectRows([person], .to(1) { m in try m.enumerate("Person") { _, new in new = nil } }, ["Person": []])
  }

  private static let deletesSome = ConformanceCase(
    "MIG.new-nil-ends", ["MIG-5", "MIG-6"], "Closures after the one that sets an object to nil are not called for it.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    try stage.expectRows(
      [person],
      .to(1) { m in
        try m.enumerate("Person") { old, new in if old["id"] == .int(1) { new = nil } }
        try m.enumerate("Person") { _, new in new["first"] = "\(new["first"])!" }
      }, ["Person": [Record(["id": .int(2), "first": .string("Plato!"), "last": .null])]])
  }

  // MARK: Keys

  private static let newKey = ConformanceCase(
    "MIG.new-key", ["MIG-5", "MIG-6"], "Objects get another primary key, of another type, and are in its order.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    let program = ModelSchema(
      name: "Person", properties: [.int("number"), .string("name")], primaryKey: 1,
      indexes: [IndexSchema(name: "n", columns: [.init(slot: 0)])])
    try stage.expectRefusal(.schemaMismatch, [program])
    try stage.expectRows(
      [program],
      .to(1) { m in
        try m.enumerate("Person") { old, new in
          new["number"] = old["id"]
          new["name"] = .string(String((old["first"].stringValue ?? "").reversed()))
        }
      },
      [
        "Person": [
          Record(["number": .int(1), "name": .string("adA")]), Record(["number": .int(2), "name": .string("otalP")]),
        ]
      ])
  }

  private static let keysCollide = ConformanceCase(
    "MIG.new-key-taken", ["MIG-5", "MIG-1"], "Two new objects of one key are duplicateKey.", requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    let error = try stage.expectRefusal(
      .duplicateKey, [person], .to(1) { m in try m.enumerate("Person") { _, new in new["id"] = 7 } })
    try expectEqual(error.model, "Person")
    try expectEqual(error.key, "7")
  }

  // MARK: Several models

  private static let split = ConformanceCase(
    "MIG.split", ["MIG-5", "MIG-7"], "A model is split in two: closures store objects of another.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    let name = ModelSchema.migrating(
      "Name", .string("last"), indexes: [IndexSchema(name: "l", columns: [.init(slot: 1)], isUnique: true)])
    try stage.expectRows(
      [.migrating("Person", .string("first"), .int("name", isOptional: true)), name],
      .to(1) { m in
        try m.enumerate("Person") { old, new in
          guard let last = old["last"].stringValue, let id = old["id"].intValue else { return }
          try m.insert(into: "Name", Record(["id": .int(Int64(id) + 100), "last": .string(last)]))
          new["name"] = .int(Int64(id) + 100)
        }
      },
      [
        "Person": [
          Record(["id": .int(1), "first": .string("Ada"), "name": .int(101)]),
          Record(["id": .int(2), "first": .string("Plato"), "name": .null]),
        ], "Name": [Record(["id": .int(101), "last": .string("Lovelace")])],
      ])
  }

  private static let merged = ConformanceCase(
    "MIG.merge", ["MIG-5", "MIG-6"], "Two models become one, of which each object says where it came from.",
    requiresPersistence: true
  ) { kit in
    let (one, two) = (ModelSchema.migrating("One", .string("t")), ModelSchema.migrating("Two", .string("t")))
    func rows(_ ids: Int64...) -> [Record] { ids.map { Record(["id": .int($0), "t": .string("t\($0)")]) } }
    let stage = try MigratingStore(kit, [one, two], ["One": rows(1, 3), "Two": rows(2, 4)])
    try stage.expectRows(
      [.migrating("Both", .string("t"), .string("from"))],
      .to(1) { m in
        for name in ["One", "Two"] {
          try m.enumerate(name, into: "Both") { old, new in new["from"] = .string(name) }
          try m.drop(name)
        }
      },
      [
        "Both": [(1, "One"), (2, "Two"), (3, "One"), (4, "Two")].map { id, name in
          Record(["id": .int(Int64(id)), "t": .string("t\(id)"), "from": .string(name)])
        }
      ])
  }

  private static let moved = ConformanceCase(
    "MIG.move", ["MIG-5", "MIG-6"], "A property moves from one model to another that is made anew, too.",
    requiresPersistence: true
  ) { kit in
    let book = ModelSchema.migrating("Book", .int("author"))
    let stage = try MigratingStore(
      kit, [person, book], ["Person": people, "Book": [Record(["id": .int(9), "author": .int(1)])]])
    try stage.expectRows(
      [.migrating("Person", .string("first")), .migrating("Book", .string("author"))],
      .to(1) { m in
        final class Names { var last: [Value: Value] = [:] }
        let names = Names()
        try m.enumerate("Person") { old, _ in names.last[old["id"]] = old["last"] }
        try m.enumerate("Book") { old, new in new["author"] = names.last[old["author"]] ?? "?" }
      },
      [
        "Person": [
          Record(["id": .int(1), "first": .string("Ada")]), Record(["id": .int(2), "first": .string("Plato")]),
        ], "Book": [Record(["id": .int(9), "author": .string("Lovelace")])],
      ])
  }

  private static let inOrder = ConformanceCase(
    "MIG.order-of-objects", ["MIG-6"],
    "Models are read in the order in which they were named, objects in that of their keys.",
    requiresPersistence: true
  ) { kit in
    let other = ModelSchema.migrating("Other")
    let stage = try MigratingStore(
      kit, [person, other], ["Person": people.reversed(), "Other": [Record(["id": .int(5)]), Record(["id": .int(4)])]])
    let seen = Seen()
    _ = try stage.open(
      [person, other],
      .to(1) { m in
        try m.forEach("Other") { seen.texts.append("o\($0["id"])") }
        try m.enumerate("Person") { old, _ in seen.texts.append("p\(old["id"])") }
        try m.forEach("Other") { seen.texts.append("O\($0["id"])") }
        seen.texts.append("body")
        try m.afterwards { _ in seen.texts.append("end") }
      })
    try expectEqual(seen.texts, ["body", "o4", "O4", "o5", "O5", "p1", "p2", "end"])
  }

  private final class Seen: @unchecked Sendable {
    // Unchecked: the closures of a migration are called on the thread that opens the store.
    var texts: [String] = []
    var old: [OldObject] = []
  }

  private static let chained = ConformanceCase(
    "MIG.closures-chained", ["MIG-5", "MIG-6"],
    "Closures of one model see the same old object, and the new one as those before them left it.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    try stage.expectRows(
      [.migrating("Person", .string("a"), .string("b"))],
      .to(1) { m in
        try m.enumerate("Person") { old, new in new["a"] = old["first"] }
        try m.enumerate("Person") { old, new in new["b"] = "\(new["a"])-\(old["last"])" }
      },
      [
        "Person": [
          Record(["id": .int(1), "a": .string("Ada"), "b": .string("Ada-Lovelace")]),
          Record(["id": .int(2), "a": .string("Plato"), "b": .string("Plato-nil")]),
        ]
      ])
  }

  // MARK: What cannot be stored

  private static let requiredUnset = ConformanceCase(
    "MIG.required-unset", ["MIG-5", "MIG-1"], "A required property that nobody sets is missingValue, with the key.",
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

  private static let requiredUnsetMany = ConformanceCase(
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

  private static let notExact = ConformanceCase(
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

  private static let exact = ConformanceCase(
    "MIG.exact", ["MIG-5"], "A narrower type takes the values that it holds, when a migration makes the objects anew.",
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

  private static let unknownNames = ConformanceCase(
    "MIG.unknown-names", ["MIG-7"], "A property that is not there is invalidQuery, with the nearest name.",
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

  private static let ownModel = ConformanceCase(
    "MIG.insert-into-read", ["MIG-7"],
    "A model that is being read in its place takes no other objects; one made anew does.",
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

  private static let insertedTwice = ConformanceCase(
    "MIG.insert-taken", ["MIG-7", "MIG-1"], "An object whose key is taken is duplicateKey.", requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [person], ["Person": people])
    try stage.expectRefusal(.duplicateKey, [person], .to(1) { m in try m.insert(into: "Person", people[0]) })
    try stage.expectRefusal(
      .duplicateKey, [person, .migrating("Other")],
      .to(1) { m in try m.forEach("Person") { _ in try m.insert(into: "Other", Record(["id": .int(1)])) } })
  }

  private static let insertedByBody = ConformanceCase(
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

  private static let insertedUnknown = ConformanceCase(
    "MIG.insert-unknown", ["MIG-7"], "An object of no model, or without what is required, is an error.",
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

  private static let visited = ConformanceCase(
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

  private static let defaults = ConformanceCase(
    "MIG.new-defaults", ["MIG-5"], "A new object begins with the defaults of what is new.", requiresPersistence: true
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

  private static let oldIsKept = ConformanceCase(
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

  // MARK: Types

  private typealias First = Library.First.Book
  private typealias Second = Library.Second.Book

  private static func library(_ kit: ConformanceContext, _ count: Int) throws -> MigratingStore {
    let stage = try MigratingStore(kit)
    let store = try kit.open([First.self], at: stage.place)
    try store.insert(contentsOf: (1...count).map { First(id: $0, title: "t\($0)", year: "\($0 + 1000)") })
    try store.close()
    return stage
  }

  private static let typed = ConformanceCase(
    "MIG.transform", ["MIG-5"], "A transformation has the types of both versions, and nil is no object.",
    requiresPersistence: true
  ) { kit in
    let stage = try library(kit, 300)
    let store = try kit.open(
      [Second.self], at: stage.place,
      migration: .to(2) { m in
        try m.transform(First.self, to: Second.self) { old in
          old.id % 3 == 0 ? nil : Second(id: old.id * 2, title: old.title + "!", year: try unwrap(Int32(old.year)))
        }
      })
    let due = (1...300).filter { $0 % 3 != 0 }.map { Second(id: $0 * 2, title: "t\($0)!", year: Int32($0 + 1000)) }
    try expectEqual(try store.fetch(Second.all), due)
    try expectEqual(try store.fetch(Second.where { $0.year == 1100 }).map(\.id), [200])
    try expectEqual(try store.check(), [])
  }

  private static let typedWrong = ConformanceCase(
    "MIG.transform-wrong", ["MIG-7", "MIG-1"], "A type that is not as its model is stored is schemaMismatch.",
    requiresPersistence: true
  ) { kit in
    let stage = try library(kit, 2)
    let before = try stage.content()
    try expectError(.schemaMismatch) {
      try kit.open(
        [Second.self], at: stage.place,
        migration: .to(2) { m in try m.transform(Second.self, to: Second.self) { $0 } })
    }
    try expectError(.schemaMismatch) {
      try kit.open(
        [Second.self], at: stage.place,
        migration: .to(2) { m in try m.transform(Library.Third.Book.self, to: Second.self) { _ in nil } })
    }
    try expectError(.invalidQuery) {
      try kit.open(
        [Second.self], at: stage.place,
        migration: .to(2) { m in try m.transform(First.self, to: Renamed.self) { _ in nil } })
    }
    try expectEqual(try stage.content(), before)
  }

  private static let typedTwice = ConformanceCase(
    "MIG.transform-twice", ["MIG-7"], "Nothing else makes the objects of a transformation: invalidQuery.",
    requiresPersistence: true
  ) { kit in
    let stage = try library(kit, 2)
    let before = try stage.content()
    let others: [@Sendable (MigrationContext) throws -> Void] = [
      { try $0.transform(First.self, to: Second.self) { _ in nil } }, { try $0.enumerate("Book") { _, _ in } },
      { try $0.convert("title", in: "Book") { (old: String?) in old } },
    ]
    for other in others {
      for isFirst in [false, true] {
        try expectError(.invalidQuery) {
          try kit.open(
            [Second.self], at: stage.place,
            migration: .to(2) { m in
              if isFirst { try other(m) }
              try m.transform(First.self, to: Second.self) { _ in nil }
              if !isFirst { try other(m) }
            })
        }
      }
    }
    try expectEqual(try stage.content(), before)
  }

  // MARK: Much

  private static let every = ConformanceCase(
    "MIG.every-type", ["MIG-5", "MIG-2", "CRUD-1"], "Values of every type go through a migration bit by bit.",
    requiresPersistence: true
  ) { kit in
    let columns = Samples.orderedTypes.map { PropertySchema(name: $0.name, type: $0, isOptional: true) }
    let trees = [
      PropertySchema(name: "nested", type: .nested, isOptional: true),
      PropertySchema(name: "array", type: .array, isOptional: true, elementType: .string),
    ]
    func model(_ extra: [PropertySchema]) -> ModelSchema {
      ModelSchema(name: "Book", properties: [.int("id")] + columns + trees + extra, primaryKey: 0)
    }
    let rows = (0..<24).map { number -> Record in
      var fields: [(String, Value)] = [("id", .int(Int64(number)))]
      for type in Samples.orderedTypes {
        let values = Samples.values(type) + [.null]
        fields.append((type.name, values[number % values.count]))
      }
      fields.append(
        ("nested", number % 3 == 0 ? .null : .object([.init("a", .int(Int64(number))), .init("b", .array([.null]))])))
      fields.append(("array", number % 4 == 0 ? .null : .array([.string("x\(number)"), .null])))
      return Record(fields)
    }
    for isMade in [false, true] {
      let stage = try MigratingStore(
        kit, [model([PropertySchema(name: "w", type: .int8, defaultValue: .int(3))])], ["Book": rows])
      let program = model([PropertySchema(name: "w", type: .int64, defaultValue: .int(4))])
      let due = rows.map { Record($0.fields + [("w", .int(3))]) }
      try stage.expectRows(
        [program], isMade ? .to(1) { m in try m.enumerate("Book") { _, _ in } } : .automatic, ["Book": due])
    }
  }

  private static let large = ConformanceCase(
    "MIG.many-objects", ["MIG-5", "MIG-6"], "Many large objects go through a migration in several batches.",
    requiresPersistence: true, within: .seconds(30)
  ) { kit in
    let old = ModelSchema.migrating("Book", .string("text"), PropertySchema(name: "n", type: .int32))
    let text = String(repeating: "x", count: 4_000)
    let rows = (0..<1_500).map {
      Record(["id": .int(Int64($0)), "text": .string("\($0)" + text), "n": .int(Int64($0 % 7))])
    }
    let stage = try MigratingStore(kit, [old], ["Book": rows])
    let program = ModelSchema.migrating(
      "Book", .string("text"), .int("n"), indexes: [IndexSchema(name: "n", columns: [.init(slot: 2), .init(slot: 0)])])
    let store = try stage.open(
      [program, .migrating("Other", .string("t"))],
      .to(1) { m in
        try m.enumerate("Book") { old, new in
          new["text"] = .string(String((old["text"].stringValue ?? "").prefix(5)))
          try m.insert(into: "Other", Record(["id": old["id"], "t": old["text"]]))
        }
      })
    let counts = try store.read { tx in
      (try tx.records.count(QueryTree(model: "Book")), try tx.records.count(QueryTree(model: "Other")))
    }
    try expectEqual([counts.0, counts.1], [1_500, 1_500])
    let found = try store.read { try $0.records.fetch(in: "Book", where: "n == 3", sortedBy: "id") }
    try expectEqual(found.map { $0["id"]?.intValue }, (0..<1_500).filter { $0 % 7 == 3 })
    try expectEqual(found.first?["text"], .string("3xxxx"))
    try expectEqual(try store.check(), [])
  }
}

extension ModelSchema {
  /// ``Renamed`` before its property was renamed.
  fileprivate static var renamedModel: ModelSchema { .migrating("Renamed", .string("before")) }
}
