import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Each type in each place that holds a value: they come back bit by bit, whatever wrote them.
enum ValueTypeCases {
  static let all: [ConformanceCase] = Samples.orderedTypes.flatMap { type in
    [
      assigned(type), upserted(type), defaulted(type), inArray(type), inNested(type), key(type), reopened(type),
      missing(type),
    ]
  }

  private static func model(_ type: PropertyType, _ part: PropertySchema? = nil) -> ModelSchema {
    ModelSchema(
      name: "Valued",
      properties: [
        PropertySchema(name: "id", type: .int64),
        part ?? PropertySchema(name: "value", type: type, isOptional: true),
      ], primaryKey: 0)
  }

  private static func store(_ kit: ConformanceContext, _ model: ModelSchema, _ rows: [Record]) throws -> Store {
    let store = try kit.open([], at: kit.makePlace())
    try store.write { tx in
      try tx.apply(.createModel(model))
      try tx.records.insert(into: model.name, rows)
    }
    return store
  }

  private static func rows(_ values: [Value]) -> [Record] {
    values.enumerated().map { Record(["id": .int(Int64($0.offset)), "value": $0.element]) }
  }

  private static func expectRows(_ store: Store, _ rows: [Record], line: Int = #line) throws {
    try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Valued")) }, rows, line: line)
  }

  private static func assigned(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "VAL.\(type.name).assigned", ["VAL-1", "STMT-5"], "A \(type.name) that is assigned comes back bit by bit.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let values = Samples.values(type) + [.null]
      let store = try store(kit, model(type), rows(values.map { _ in .null }))
      try store.write { tx in
        for (place, value) in values.enumerated() {
          let isPlace = PredicateTree.compare(.named("id"), .equal, .value(.int(Int64(place))))
          try tx.records.assign(QueryTree(model: "Valued", predicate: isPlace), [.init("value", .set, value)])
        }
      }
      try expectRows(store, rows(values))
      try store.write { tx in
        _ = try tx.records.assign(QueryTree(model: "Valued"), [.init("value", .set, values[0])])
      }
      try expectRows(store, rows(values.map { _ in values[0] }))
    }
  }

  private static func upserted(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "UPS.\(type.name).replaced", ["UPS-1", "VAL-1"],
      "A \(type.name) takes the place of another, of nil, and nil its.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let values: [Value] = [.null] + Samples.values(type)
      let store = try store(kit, model(type), rows(values))
      let turned = Array(values.dropFirst()) + [values[0]]
      try store.write { _ = try expectEqual(try $0.records.upsert(into: "Valued", rows(turned + [values[1]])), 1) }
      try expectRows(store, rows(turned + [values[1]]))
    }
  }

  private static func defaulted(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "VAL.\(type.name).default", ["SCH-1", "VAL-1"], "A default of type \(type.name) is what older objects have.",
      needs: [.schemaAddProperty], without: ConformanceVariant.ofReads
    ) { kit in
      let values = Samples.few(type, 6)
      let store = try store(kit, model(type), rows([values[0]]))
      try store.write { tx in
        let id = try tx.model(named: "Valued").id
        for (place, value) in values.enumerated() {
          try tx.apply(.addProperty(id, PropertySchema(name: "d\(place)", type: type, defaultValue: value)))
        }
        try tx.records.insert(into: "Valued", [Record(["id": .int(1)])])
      }
      try store.read { tx in
        for row in try tx.records.fetch(QueryTree(model: "Valued")) {
          for (place, value) in values.enumerated() { try expectEqual(row["d\(place)"], value, "d\(place)") }
        }
        for (place, value) in values.enumerated() {
          let isEqual = PredicateTree.compare(.named("d\(place)"), .equal, .value(value))
          try expectEqual(
            try tx.records.count(QueryTree(model: "Valued", predicate: isEqual)),
            Reference.areEqual(value, value) ? 2 : 0)
        }
      }
    }
  }

  private static func inArray(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "VAL.\(type.name).in-array", ["VAL-1", "VAL-3", "NEST-5"], "Arrays of \(type.name) come back bit by bit.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let values = Samples.values(type)
      let part = PropertySchema(name: "value", type: .array, isOptional: true, elementType: type)
      let lists: [Value] = [.null, .array([]), .array(values), .array([values[0], values[0]])]
      let store = try store(kit, model(type, part), rows(lists))
      try expectRows(store, rows(lists))
    }
  }

  private static func inNested(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "VAL.\(type.name).in-nested", ["VAL-1", "NEST-2", "NEST-5"], "A \(type.name) inside a nested value comes back.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let values = Samples.values(type)
      let part = PropertySchema(name: "value", type: .nested, isOptional: true)
      let nested = values.map { Value.object(unordered: [.init("a", $0), .init("b", .array([$0, .null]))]) }
      let store = try store(kit, model(type, part), rows(nested))
      try expectRows(store, rows(nested))
      try store.read { tx in
        for (place, value) in values.enumerated() where Reference.areEqual(value, value) {
          let isEqual = PredicateTree.compare(
            .property(PropertyPath("value", members: ["a"])), .equal, .value(value))
          let found = try tx.records.fetch(QueryTree(model: "Valued", predicate: isEqual)).map { $0["id"] }
          try expect(found.contains(.int(Int64(place))), "\(value) is not found")
        }
      }
    }
  }

  private static func key(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "CRUD.key.\(type.name)", ["CRUD-2", "CRUD-3", "CRUD-5", "CRUD-6", "SORT-3"],
      "A \(type.name) as primary key is found, refused a second time, and gone when it is deleted.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let model = ModelSchema(
        name: "Keyed",
        properties: [PropertySchema(name: "key", type: type), PropertySchema(name: "number", type: .int64)],
        primaryKey: 0)
      let values = Samples.distinct(type)
      let rows = values.enumerated().map { Record(["key": $0.element, "number": .int(Int64($0.offset))]) }
      var random = kit.random(11)
      let store = try store(kit, model, rows.shuffled(using: &random))
      try store.write { tx in
        for row in rows {
          try expectError(.duplicateKey) { try tx.records.insert(into: "Keyed", [row]) }
          try expectEqual(try tx.records.get(in: "Keyed", key: row["key"] ?? .null)?["number"], row["number"])
        }
        try expectEqual(try tx.records.fetch(QueryTree(model: "Keyed")).map { $0["number"] }, rows.map { $0["number"] })
        let last = QueryTree(model: "Keyed", order: [.init("key", isDescending: true)], limit: 1)
        try expectEqual(try tx.records.delete(last), 1)
        try expect(try tx.records.get(in: "Keyed", key: values[values.count - 1]) == nil, "found after it was deleted")
        try tx.records.insert(into: "Keyed", [rows[rows.count - 1]])
      }
      try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Keyed")) }, rows)
    }
  }

  private static func reopened(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "DUR.reopened-\(type.name)", ["VAL-1", "CRUD-1", "IDX-4"],
      "Values of \(type.name) and their index are there when the store is opened again.", requiresPersistence: true,
      without: ConformanceVariant.ofReads
    ) { kit in
      let place = try kit.makePlace()
      let rows = ColumnTable.rows(Samples.values(type))
      let first = try kit.open([], at: place)
      try first.write { tx in
        try tx.apply(.createModel(ColumnTable.model(type)))
        try tx.records.insert(into: ColumnTable.name, rows)
      }
      try first.close()
      try kit.open([], at: place).read { tx in
        let view = ColumnTable.View(name: "reopened", transaction: tx, columns: [], rows: rows)
        let sorted = rows.sorted { Reference.rank($0["id"] ?? .null, $1["id"] ?? .null) < 0 }
        try expectEqual(try tx.records.fetch(QueryTree(model: ColumnTable.name)), sorted)
        for value in Samples.few(type, 4) + [.null] {
          for column in ["indexed", "falling"] {
            try view.expectRows(.compare(.named(column), .equal, .value(value)))
            try view.expectRows(.compare(.named(column), .greater, .value(value)))
          }
        }
      }
    }
  }

  private static func missing(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "CRUD.missing.\(type.name)", ["CRUD-12", "STMT-1"],
      "Nil for a \(type.name) that is not optional is missingValue, in every statement.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let value = Samples.values(type)[0]
      let part = PropertySchema(name: "value", type: type)
      let store = try store(kit, model(type, part), rows([value]))
      try store.write { tx in
        for row in [Record(["id": .int(9), "value": .null]), Record(["id": .int(9)])] {
          let error = try expectError(.missingValue) { try tx.records.insert(into: "Valued", [row]) }
          try expectEqual(error.model, "Valued")
          try expectEqual(error.property, "value")
          try expectError(.missingValue) { try tx.records.upsert(into: "Valued", [row]) }
        }
        try expectError(.missingValue) {
          try tx.records.assign(QueryTree(model: "Valued"), [.init("value", .set, .null)])
        }
      }
      try expectRows(store, rows([value]))
    }
  }
}
