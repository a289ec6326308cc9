import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// What opening does by itself with the types of properties.
enum WideningCases {
  static let all: [ConformanceCase] =
    pairs.map { widened($0, $1) } + keyPairs.map { keyWidened($0, $1) } + arrayPairs.map { arrayWidened($0, $1) }
    + Samples.orderedTypes.map { refused($0) } + Samples.orderedTypes.map { madeOptional($0) }
    + Samples.orderedTypes.map { notMadeRequired($0) } + [treesMadeOptional, kept]

  /// From each type to those that hold all of its values.
  private static let pairs: [(PropertyType, PropertyType)] = [
    (.int8, .int16), (.int8, .int32), (.int8, .int64), (.int8, .float), (.int8, .double), (.int8, .decimal),
    (.int16, .int32), (.int16, .int64), (.int16, .float), (.int16, .double), (.int16, .decimal),
    (.int32, .int64), (.int32, .double), (.int32, .decimal), (.int64, .decimal),
    (.uint8, .uint16), (.uint8, .uint32), (.uint8, .uint64), (.uint8, .int16), (.uint8, .int32), (.uint8, .int64),
    (.uint8, .float), (.uint8, .double), (.uint8, .decimal),
    (.uint16, .uint32), (.uint16, .uint64), (.uint16, .int32), (.uint16, .int64), (.uint16, .float), (.uint16, .double),
    (.uint16, .decimal), (.uint32, .uint64), (.uint32, .int64), (.uint32, .double), (.uint32, .decimal),
    (.uint64, .decimal), (.float, .double),
  ]
  private static let keyPairs: [(PropertyType, PropertyType)] = [
    (.int8, .int64), (.int32, .int64), (.uint8, .int16), (.uint32, .uint64), (.int64, .decimal), (.float, .double),
    (.int16, .double),
  ]
  private static let arrayPairs: [(PropertyType, PropertyType)] = [
    (.int8, .int64), (.int32, .double), (.uint64, .decimal), (.float, .double),
  ]

  /// The same number as a value of the other type, calculated here and not by what is tested.
  private static func number(_ value: Value, as type: PropertyType) -> Value {
    switch (value, type) {
    case (.float(let value), .double): .double(value.isNaN ? .nan : Double(value))
    case (.int(let value), .double): .double(Double(value))
    case (.int(let value), .float): .float(Float(value))
    case (.int(let value), .decimal): .decimal(Decimal(value))
    case (.uint(let value), .decimal): .decimal(Decimal(value))
    default: value
    }
  }

  private static func rows(_ values: [Value], _ column: String = "n") -> [Record] {
    values.enumerated().map { Record(["id": .int(Int64($0.offset)), column: $0.element]) }
  }

  private static func widened(_ old: PropertyType, _ new: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "MIG.widened-\(old.name)-\(new.name)", ["MIG-2", "MIG-6"],
      "A property of \(old.name) becomes one of \(new.name), with each value, nil and its indexes.",
      requiresPersistence: true
    ) { kit in
      let values = Samples.values(old) + [.null]
      let index = IndexSchema(name: "n", columns: [.init(slot: 1)])
      func model(_ type: PropertyType) -> ModelSchema {
        .migrating("Book", PropertySchema(name: "n", type: type, isOptional: true), indexes: [index])
      }
      let stage = try MigratingStore(kit, [model(old)], ["Book": rows(values)])
      let widened = values.map { number($0, as: new) }
      try stage.expectRows([model(new)], ["Book": rows(widened)])
      let store = try stage.open([model(new)])
      for value in Set(widened) {
        let found = try store.read {
          try $0.records.fetch(
            QueryTree(model: "Book", predicate: .compare(.property(PropertyPath("n")), .equal, .value(value))))
        }
        let due = rows(widened).filter { ValueOrder.compare($0["n"] ?? .null, value) == 0 }
        let isNaN =
          ValueOrder.compare(value, .double(.nan)) == 0 && !value.isNull && new == .double && old == .float
          && value == .double(.nan)
        try expectEqual(found, isNaN ? [] : due, "the objects of \(value)")
      }
    }
  }

  private static func keyWidened(_ old: PropertyType, _ new: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "MIG.widened-key-\(old.name)-\(new.name)", ["MIG-2"],
      "A primary key of \(old.name) becomes one of \(new.name).", requiresPersistence: true
    ) { kit in
      var seen: Set<Key> = []
      let plain = ModelSchema.migrating("Book", .string("t"), key: old)
      let values = try Samples.values(old).filter { seen.insert(try Key.primary($0, plain)).inserted }
      func rows(_ values: [Value]) -> [Record] { values.map { Record(["id": $0, "t": .string("x")]) } }
      let stage = try MigratingStore(kit, [plain], ["Book": rows(values)])
      let due = rows(values.map { number($0, as: new) })
        .sorted { ValueOrder.compare($0["id"] ?? .null, $1["id"] ?? .null) < 0 }
      try stage.expectRows([.migrating("Book", .string("t"), key: new)], ["Book": due])
    }
  }

  private static func arrayWidened(_ old: PropertyType, _ new: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "MIG.widened-array-\(old.name)-\(new.name)", ["MIG-2"],
      "An array of \(old.name) becomes one of \(new.name).", requiresPersistence: true
    ) { kit in
      func model(_ element: PropertyType) -> ModelSchema {
        .migrating("Book", PropertySchema(name: "n", type: .array, isOptional: true, elementType: element))
      }
      // NaN has no one form in arrays.
      let values = Samples.values(old).filter { $0 != .float(.nan) && $0 != .float(-.nan) }
      let arrays: [Value] = [.array(values), .array([]), .null]
      let due: [Value] = [.array(values.map { number($0, as: new) }), .array([]), .null]
      let stage = try MigratingStore(kit, [model(old)], ["Book": rows(arrays)])
      try stage.expectRows([model(new)], ["Book": rows(due)])
    }
  }

  private static func refused(_ old: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "MIG.not-widened-\(old.name)", ["MIG-3", "SCH-2"],
      "A property of \(old.name) becomes no type by itself that lacks some of its values.", requiresPersistence: true
    ) { kit in
      let model = ModelSchema.migrating("Book", PropertySchema(name: "n", type: old, isOptional: true))
      let stage = try MigratingStore(kit, [model], ["Book": rows(Samples.few(old, 3))])
      let others = (Samples.orderedTypes + [.nested]).filter { new in
        new != old && !pairs.contains { $0 == old && $1 == new }
      }
      for new in others {
        let program = ModelSchema.migrating("Book", PropertySchema(name: "n", type: new, isOptional: true))
        let error = try stage.expectRefusal(.schemaMismatch, [program])
        try expect(error.message.contains("Book.n"), error.message)
      }
    }
  }

  private static func madeOptional(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "MIG.optional-\(type.name)", ["MIG-2"], "A required \(type.name) becomes optional, and then takes nil.",
      requiresPersistence: true
    ) { kit in
      func model(_ isOptional: Bool) -> ModelSchema {
        .migrating(
          "Book", PropertySchema(name: "n", type: type, isOptional: isOptional),
          indexes: [IndexSchema(name: "n", columns: [.init(slot: 1, isDescending: true)])])
      }
      let values = Samples.values(type)
      let stage = try MigratingStore(kit, [model(false)], ["Book": rows(values)])
      try stage.expectRows([model(true)], ["Book": rows(values)])
      let store = try stage.open([model(true)])
      try store.write { try $0.records.insert(into: "Book", [Record(["id": .int(-1), "n": .null])]) }
      try expectEqual(
        try store.read { try $0.records.fetch(in: "Book", where: "n == nil") }.map { $0["id"] }, [.int(-1)])
      try expectEqual(try store.check(), [])
    }
  }

  private static func notMadeRequired(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "MIG.required-\(type.name)", ["MIG-3"], "An optional \(type.name) becomes required by a migration alone.",
      requiresPersistence: true
    ) { kit in
      func model(_ isOptional: Bool) -> ModelSchema {
        .migrating("Book", PropertySchema(name: "n", type: type, isOptional: isOptional))
      }
      let values = Samples.few(type, 4)
      let stage = try MigratingStore(kit, [model(true)], ["Book": rows(values)])
      try stage.expectRefusal(.schemaMismatch, [model(false)])
      // Each is there, so that saying nothing of the values is enough.
      try stage.expectRows([model(false)], .to(1) { m in try m.enumerate("Book") { _, _ in } }, ["Book": rows(values)])
    }
  }

  private static let treesMadeOptional = ConformanceCase(
    "MIG.optional-trees", ["MIG-2"], "Required nested values and arrays become optional.", requiresPersistence: true
  ) { kit in
    func model(_ isOptional: Bool) -> ModelSchema {
      .migrating(
        "Book", PropertySchema(name: "a", type: .array, isOptional: isOptional, elementType: .string),
        PropertySchema(name: "n", type: .nested, isOptional: isOptional))
    }
    let rows = [
      Record([
        "id": .int(1), "a": .array([.string("x"), .null]), "n": .object([.init("m", .int(3))]),
      ]),
      Record(["id": .int(2), "a": .array([]), "n": .string("s")]),
    ]
    let stage = try MigratingStore(kit, [model(false)], ["Book": rows])
    try stage.expectRows([model(true)], ["Book": rows])
  }

  /// Everything else of a model whose rows are made anew.
  private static let kept = ConformanceCase(
    "MIG.kept", ["MIG-2", "MIG-6", "SCH-7"],
    "Other models, properties and indexes stay, and so do rows from before a property was added.",
    requiresPersistence: true
  ) { kit in
    let other = ModelSchema.migrating("Other", .string("t"))
    let stage = try MigratingStore(
      kit, [.migrating("Book", .string("t")), other],
      [
        "Book": [Record(["id": .int(2), "t": .string("b")]), Record(["id": .int(1), "t": .string("a")])],
        "Other": [Record(["id": .int(1), "t": .string("o")])],
      ])
    let added = PropertySchema(name: "n", type: .int16, defaultValue: .int(7))
    let second = ModelSchema.migrating("Book", .string("t"), added)
    let store = try stage.open([second])
    try store.write { try $0.records.insert(into: "Book", [Record(["id": .int(3), "t": .string("c"), "n": .int(1)])]) }
    try store.close()
    let third = ModelSchema.migrating(
      "Book", PropertySchema(name: "n", type: .int64, defaultValue: .int(9)), .string("t"),
      PropertySchema(name: "x", type: .double, defaultValue: .double(0.5)),
      indexes: [
        IndexSchema(name: "t", columns: [.init(slot: 2)], isUnique: true),
        IndexSchema(name: "both", columns: [.init(slot: 1, isDescending: true), .init(slot: 2)]),
      ])
    func row(_ id: Int64, _ n: Int64, _ t: String) -> Record {
      Record(["id": .int(id), "n": .int(n), "t": .string(t), "x": .double(0.5)])
    }
    try stage.expectRows(
      [third],
      [
        "Book": [row(1, 7, "a"), row(2, 7, "b"), row(3, 1, "c")],
        "Other": [Record(["id": .int(1), "t": .string("o")])],
      ])
    let last = try stage.open([third])
    try expectError(.uniqueViolation) {
      try last.write { try $0.records.insert(into: "Book", [row(4, 0, "a")]) }
    }
    try expectEqual(
      try last.read { try $0.records.fetch(in: "Book", where: "n >= 1", sortedBy: "-n,t").map { $0["id"] } },
      [.int(1), .int(2), .int(3)])
  }
}
