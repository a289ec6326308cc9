import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// What old and new objects of a migration are, and what is stored of them.
enum NewObjectCases {
  static let all: [ConformanceCase] = [
    combined, keepsTheRest, deletes, deletesSome, newKey, keysCollide, split, merged, moved, inOrder, chained,
    requiredUnset, requiredUnsetMany, notExact, exact, unknownNames, ownModel, insertedTwice, insertedByBody,
    insertedUnknown, visited, defaults, oldIsKept, typed, typedWrong, typedTwice, every, large,
  ]

  static let person = ModelSchema.migrating("Person", .string("first"), .string("last", isOptional: true))
  static let people = [
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
    "MIG.new-keeps", ["MIG-5"], "A property that a closure does not set stays as it was.", requiresPersistence: true
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
    "MIG.move", ["MIG-5", "MIG-6"], "A property moves from one model to another model that is created again.",
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

  final class Seen: @unchecked Sendable {
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

  static let typed = ConformanceCase(
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

  static let typedWrong = ConformanceCase(
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

  static let typedTwice = ConformanceCase(
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
  static var renamedModel: ModelSchema { .migrating("Renamed", .string("before")) }
}
