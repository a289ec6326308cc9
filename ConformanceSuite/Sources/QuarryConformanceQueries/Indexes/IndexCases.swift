import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

enum IndexCases {
  /// A model whose columns have these types, with a unique index over all of them.
  private static func model(_ types: PropertyType..., isUnique: Bool = true, isDescending: Bool = false) -> ModelSchema
  {
    ModelSchema(
      name: "Unique",
      properties: [PropertySchema(name: "id", type: .int64)]
        + types.enumerated().map { PropertySchema(name: "c\($0.offset)", type: $0.element, isOptional: true) },
      primaryKey: 0,
      indexes: isUnique
        ? [
          IndexSchema(
            name: "all", columns: types.indices.map { .init(slot: $0 + 1, isDescending: isDescending) }, isUnique: true)
        ] : [])
  }

  private static func row(_ id: Int, _ values: Value...) -> Record {
    Record([("id", .int(Int64(id)))] + values.enumerated().map { ("c\($0.offset)", $0.element) })
  }

  private static func insert(_ store: Store, _ rows: Record...) throws {
    try store.write { try $0.records.insert(into: "Unique", rows) }
  }

  private static func ids(_ store: Store, _ predicate: PredicateTree = .constant(true)) throws -> [Value?] {
    try store.read { try $0.records.fetch(QueryTree(model: "Unique", predicate: predicate)).map { $0["id"] } }
  }

  static let all: [ConformanceCase] =
    Samples.orderedTypes.flatMap { [unique($0), created($0)] } + nils + statements + schema

  private static func unique(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "IDX.\(type.name).unique", ["IDX-1", "IDX-3", "STMT-4", "TEXT-1"],
      "No two objects have one value of \(type.name), by the equality of the order."
    ) { kit in
      for isDescending in [false, true] {
        let store = try kit.store(making: [model(type, isDescending: isDescending)])
        var stored: [Value] = []
        for (id, value) in (Samples.values(type) + Samples.values(type)).enumerated() {
          if stored.contains(where: { Reference.rank($0, value) == 0 }) {
            let error = try expectError(.uniqueViolation, "\(value)") { try insert(store, row(id, value)) }
            try expectEqual(error.model, "Unique")
            try expectEqual(error.property, "c0")
          } else {
            try insert(store, row(id, value))
            stored.append(value)
          }
        }
        try expectEqual(try ids(store).count, stored.count)
      }
    }
  }

  private static func created(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "IDX.\(type.name).created", ["IDX-4", "PRED-12"],
      "An index on \(type.name) that is made later finds the rows there."
    ) { kit in
      let store = try kit.store(making: [model(type, isUnique: false)])
      let values: [Value] = [.null] + Samples.values(type) + [.null]
      let rows = values.enumerated().map { row($0.offset, $0.element) }
      try store.write { tx in
        try tx.records.insert(into: "Unique", rows.prefix(values.count / 2))
        try tx.apply(
          .createIndex(try tx.model(named: "Unique").id, IndexSchema(name: "later", columns: [.init(slot: 1)])))
        try tx.records.insert(into: "Unique", rows.dropFirst(values.count / 2))
      }
      try store.read { tx in
        let view = ColumnTable.View(name: "", transaction: tx, columns: [], rows: rows)
        for value in values {
          for comparison in Comparison.allCases {
            try view.expectRows(
              QueryTree(model: "Unique", predicate: .compare(.named("c0"), comparison, .value(value))))
          }
        }
        try view.expectRows(QueryTree(model: "Unique", order: [.init("c0", isDescending: true)]))
      }
    }
  }

  private static let nils: [ConformanceCase] = [
    ConformanceCase("IDX.nil", ["IDX-2"], "Any number of objects may have nil in a unique index.") { kit in
      let store = try kit.store(making: [model(.string)])
      try insert(store, row(1, .null), row(2, .null), row(3, .string("")))
      try insert(store, row(4, .null))
      try expectError(.uniqueViolation) { try insert(store, row(5, .string(""))) }
      try expectEqual(try ids(store, .compare(.named("c0"), .equal, .value(.null))), [.int(1), .int(2), .int(4)])
    },
    ConformanceCase("IDX.compound-nil", ["IDX-2"], "An object with a nil in any column conflicts with none.") { kit in
      let store = try kit.store(making: [model(.string, .int64, .double)])
      let rows: [Record] = [
        row(1, .string("a"), .null, .double(1)), row(2, .string("a"), .null, .double(1)), row(3, .null, .null, .null),
        row(4, .null, .null, .null), row(5, .null, .int(1), .double(1)), row(6, .null, .int(1), .double(1)),
        row(7, .string("a"), .int(1), .null), row(8, .string("a"), .int(1), .null),
        row(9, .string("a"), .int(1), .double(0)), row(10, .string("a"), .int(2), .double(0)),
      ]
      try store.write { try $0.records.insert(into: "Unique", rows) }
      let error = try expectError(.uniqueViolation) {
        try insert(store, row(11, .string("a"), .int(1), .double(-0.0)))
      }
      try expect(error.property?.contains("c0") == true && error.property?.contains("c2") == true, "\(error)")
    },
    ConformanceCase("IDX.compound-borders", ["IDX-1", "IDX-3"], "Texts of two columns do not run together.") { kit in
      let store = try kit.store(making: [model(.string, .string)])
      let texts = ["", "a", "a\0", "\0", "\0\0", "ab", "b", "\0b", "a\0\u{FF}"]
      var rows: [Record] = []
      for left in texts { for right in texts { rows.append(row(rows.count, .string(left), .string(right))) } }
      try store.write { try $0.records.insert(into: "Unique", rows) }
      for left in texts {
        for right in texts {
          try expectError(.uniqueViolation) { try insert(store, row(9999, .string(left), .string(right))) }
        }
      }
      try store.read { tx in
        let view = ColumnTable.View(name: "", transaction: tx, columns: [], rows: rows)
        for text in texts {
          try view.expectRows(
            QueryTree(
              model: "Unique", predicate: .compare(.named("c0"), .equal, .value(.string(text))), order: [.init("c1")]))
        }
        try view.expectRows(QueryTree(model: "Unique", order: [.init("c0"), .init("c1")]))
      }
    },
  ]

  private static let statements: [ConformanceCase] = [
    ConformanceCase("IDX.bulk", ["IDX-1", "STMT-1"], "A bulk insert keeps uniqueness, or adds nothing.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, code: "a"))
      try expectError(.uniqueViolation) { try store.insert(contentsOf: [Item(2, code: "b"), Item(3, code: "a")]) }
      try expectError(.uniqueViolation) { try store.insert(contentsOf: [Item(4, code: "c"), Item(5, code: "c")]) }
      try expectEqual(try store.keys(Item.all), [1])
      try store.insert(contentsOf: [Item(2, code: "b"), Item(4, code: "c")])
    },
    ConformanceCase("IDX.after-delete", ["IDX-1"], "A value is free again when its object is gone.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, code: "a"), Item(2, code: "b")])
      try store.delete(Item.self, 1)
      try store.insert(Item(3, code: "a"))
      try store.delete(Item.where { $0.code == "b" })
      try store.insert(Item(4, code: "b"))
      try expectError(.uniqueViolation) { try store.insert(Item(5, code: "a")) }
      try expectEqual(try store.keys(Item.where { $0.code == "a" }), [3])
    },
    ConformanceCase("IDX.after-update", ["IDX-1"], "An update takes a value and frees the old one.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, code: "a"), Item(2, code: "b")])
      try expectError(.uniqueViolation) { try store.update(Item.self, 1) { $0.code = "b" } }
      try store.update(Item.self, 1) { $0.code = "c" }
      try store.insert(Item(3, code: "a"))
      try expectError(.uniqueViolation) { try store.assign(Item.all) { $0.code = "same" } }
      try expectEqual(try store.fetch(Item.all).map(\.code), ["c", "b", "a"])
    },
    ConformanceCase(
      "IDX.after-rollback", ["IDX-1", "TXN-1", "TXN-3"], "What was rolled back takes no value and frees none."
    ) {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, code: "a"))
      try? store.write { tx in
        try tx.delete(Item.self, 1)
        try tx.insert(Item(2, code: "b"))
        throw Abandoned()
      }
      try store.write { tx in
        try? tx.savepoint {
          try tx.update(Item.self, 1) { $0.code = "z" }
          throw Abandoned()
        }
        try expectError(.uniqueViolation) { try tx.insert(Item(3, code: "a")) }
        try tx.insert(contentsOf: [Item(4, code: "b"), Item(5, code: "z")])
      }
      try expectEqual(try store.fetch(Item.all).map(\.code), ["a", "b", "z"])
    },
    ConformanceCase("IDX.same-object", ["IDX-1"], "An object does not conflict with itself.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, code: "a", name: "x"))
      try store.update(Item(1, code: "a", name: "y"))
      try store.upsert(Item(1, code: "a", name: "z"))
      try store.assign(Item.all) { $0.code = "a" }
      try expectEqual(try store.fetch(Item.all), [Item(1, code: "a", name: "z")])
    },
    ConformanceCase("IDX.normalization", ["IDX-3", "TEXT-1"], "Composed and decomposed forms are two values.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, code: "\u{E9}"), Item(2, code: "e\u{301}")])
      try expectEqual(try store.keys(Item.where { $0.code == "\u{E9}" }), [1])
      try expectEqual(try store.keys(Item.where { $0.code == "e\u{301}" }), [2])
      try expectError(.uniqueViolation) { try store.insert(Item(3, code: "e\u{301}")) }
    },
  ]

  private static let schema: [ConformanceCase] = [
    ConformanceCase("IDX.create-unique", ["IDX-1"], "A unique index over rows that are unique holds from then on.") {
      kit in
      let store = try kit.store(making: [model(.double, isUnique: false)])
      try insert(store, row(1, .double(0)), row(2, .null), row(3, .null), row(4, .double(.nan)))
      try store.write { tx in
        let id = try tx.model(named: "Unique").id
        try tx.apply(.createIndex(id, IndexSchema(name: "later", columns: [.init(slot: 1)], isUnique: true)))
        try expectError(.uniqueViolation) { try tx.records.insert(into: "Unique", [row(5, .double(-0.0))]) }
      }
      try expectError(.uniqueViolation) { try insert(store, row(5, .double(-.nan))) }
      try insert(store, row(6, .null), row(7, .double(1)))
    },
    ConformanceCase("IDX.create-unique-duplicate", ["IDX-1", "STMT-1"], "A unique index over duplicates is not made.") {
      kit in
      let store = try kit.store(making: [model(.double, isUnique: false)])
      try insert(store, row(1, .double(0)), row(2, .double(-0.0)))
      let before = try store.models()
      try store.write { tx in
        let id = try tx.model(named: "Unique").id
        try expectError(.uniqueViolation) {
          try tx.apply(.createIndex(id, IndexSchema(name: "later", columns: [.init(slot: 1)], isUnique: true)))
        }
        try tx.records.insert(into: "Unique", [row(3, .double(0))])
      }
      try expectEqual(try store.models(), before)
      try expectEqual(try ids(store, .compare(.named("c0"), .equal, .value(.int(0)))), [.int(1), .int(2), .int(3)])
    },
    ConformanceCase("IDX.drop", ["IDX-4"], "Without its index a unique value may be stored again.") { kit in
      let store = try kit.store(making: [model(.int32)])
      try insert(store, row(1, .int(1)))
      try store.write { tx in
        let schema = try tx.model(named: "Unique")
        try tx.apply(.dropIndex(schema.id, index: schema.indexes[0].id))
        try tx.records.insert(into: "Unique", [row(2, .int(1))])
      }
      try expectEqual(try ids(store, .compare(.named("c0"), .equal, .value(.int(1)))), [.int(1), .int(2)])
    },
    ConformanceCase("IDX.create-rolled-back", ["TXN-1"], "An index that was rolled back is not there.") { kit in
      let store = try kit.store(making: [model(.int32, isUnique: false)])
      try? store.write { tx in
        let id = try tx.model(named: "Unique").id
        try tx.apply(.createIndex(id, IndexSchema(name: "later", columns: [.init(slot: 1)], isUnique: true)))
        throw Abandoned()
      }
      try insert(store, row(1, .int(1)), row(2, .int(1)))
      try expectEqual(try store.models()[0].indexes, [])
    },
    ConformanceCase("IDX.unordered", ["NEST-4"], "An index on an array or nested value is unsupported.") { kit in
      for isUnique in [false, true] {
        for type in [PropertyType.array, .nested] {
          let element: PropertyType? = type == .array ? .int64 : nil
          let model = ModelSchema(
            name: "Nested",
            properties: [
              PropertySchema(name: "id", type: .int64), PropertySchema(name: "part", type: type, elementType: element),
            ], primaryKey: 0, indexes: [IndexSchema(name: "i", columns: [.init(slot: 1)], isUnique: isUnique)])
          let store = try kit.store(Item.self)
          let error = try expectError(.unsupported) { try store.write { try $0.apply(.createModel(model)) } }
          try expectEqual(error.capability, isUnique ? .indexUnique : .indexPlain)
          try expectEqual(try store.models().count, 1)
        }
      }
    },
  ]
}
