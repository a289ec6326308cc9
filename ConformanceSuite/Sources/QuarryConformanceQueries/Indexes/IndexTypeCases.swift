import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Each type in each kind of index, through each kind of change.
enum IndexTypeCases {
  static let all: [ConformanceCase] = Samples.orderedTypes.flatMap { type in
    [
      updated(type), upserted(type), exchanged(type), deleted(type), abandoned(type), compound(type), descending(type),
      createdUnique(type), dropped(type),
    ]
  }

  private static let name = "Held"

  private static func model(_ type: PropertyType, _ indexes: [IndexSchema]) -> ModelSchema {
    ModelSchema(
      name: name,
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "value", type: type, isOptional: true),
        PropertySchema(name: "number", type: .int64, isOptional: true),
      ], primaryKey: 0, indexes: indexes)
  }

  private static let unique = IndexSchema(name: "u", columns: [.init(slot: 1)], isUnique: true)

  private static func row(_ id: Int, _ value: Value, _ number: Value = .null) -> Record {
    Record(["id": .int(Int64(id)), "value": value, "number": number])
  }

  private static func store(
    _ kit: ConformanceContext, _ type: PropertyType, _ indexes: [IndexSchema], _ rows: [Record]
  ) throws -> Store {
    let store = try kit.open([], at: kit.makePlace())
    try store.write { tx in
      try tx.apply(.createModel(model(type, indexes)))
      try tx.records.insert(into: name, rows)
    }
    return store
  }

  private static func isID(_ id: Int) -> QueryTree {
    QueryTree(model: name, predicate: .compare(.named("id"), .equal, .value(.int(Int64(id)))))
  }

  /// Throws unless the rows are these and the index finds each of their values.
  private static func expectRows(_ store: Store, _ rows: [Record], line: Int = #line) throws {
    try store.read { tx in
      let view = ColumnTable.View(name: "", transaction: tx, columns: [], rows: rows)
      try view.expectRows(QueryTree(model: name), line: line)
      for value in [.null] + rows.compactMap({ $0["value"] }) {
        try view.expectRows(
          QueryTree(model: name, predicate: .compare(.named("value"), .equal, .value(value))), line: line)
        try view.expectRows(
          QueryTree(
            model: name, predicate: .compare(.named("value"), .lessOrEqual, .value(value)),
            order: [.init("value", isDescending: true)]), line: line)
      }
    }
  }

  private static func updated(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "IDX.\(type.name).unique-update", ["IDX-1", "STMT-1", "STMT-4"],
      "An assignment takes no \(type.name) of another object, takes a free one and frees the old.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let values = Samples.distinct(type, 3)
      let store = try store(kit, type, [unique], [row(1, values[0]), row(2, values[1]), row(3, .null)])
      try store.write { tx in
        let error = try expectError(.uniqueViolation) {
          try tx.records.assign(isID(2), [.init("value", .set, values[0])])
        }
        try expectEqual(error.property, "value")
        try tx.records.assign(isID(1), [.init("value", .set, .null)])
        try tx.records.assign(isID(2), [.init("value", .set, values[0])])
        try tx.records.assign(isID(3), [.init("value", .set, values[1])])
      }
      try expectRows(store, [row(1, .null), row(2, values[0]), row(3, values[1])])
    }
  }

  private static func upserted(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "IDX.\(type.name).unique-upsert", ["IDX-1", "UPS-2"],
      "An upsert takes no \(type.name) of another object, and that object stays.", needs: [.upsert],
      without: ConformanceVariant.ofReads
    ) { kit in
      let values = Samples.distinct(type, 2)
      let rows = [row(1, values[0]), row(2, values[1])]
      let store = try store(kit, type, [unique], rows)
      try store.write { tx in
        try expectError(.uniqueViolation) { try tx.records.upsert(into: name, [row(2, values[0])]) }
        try expectError(.uniqueViolation) { try tx.records.upsert(into: name, [row(3, values[1])]) }
        try expectError(.uniqueViolation) { try tx.records.upsert(into: name, [row(1, .null), row(4, values[1])]) }
        try tx.records.upsert(into: name, [row(1, values[0])])
      }
      try expectRows(store, rows)
    }
  }

  private static func exchanged(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "IDX.\(type.name).unique-exchange", ["STMT-2", "IDX-1"], "Two objects exchange their \(type.name) in one upsert.",
      needs: [.upsert], without: ConformanceVariant.ofReads
    ) { kit in
      let values = Samples.distinct(type, 2)
      let store = try store(kit, type, [unique], [row(1, values[0]), row(2, values[1])])
      try store.write { _ = try $0.records.upsert(into: name, [row(1, values[1]), row(2, values[0])]) }
      try expectRows(store, [row(1, values[1]), row(2, values[0])])
      try expectError(.uniqueViolation) { try store.write { try $0.records.insert(into: name, [row(3, values[0])]) } }
    }
  }

  private static func deleted(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "IDX.\(type.name).deleted", ["IDX-1", "IDX-4"], "A \(type.name) whose object is gone is found no more, and free.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let values = Samples.distinct(type, 5)
      let rows = values.enumerated().map { row($0.offset, $0.element) }
      let store = try store(kit, type, [unique], rows)
      try store.write { _ = try $0.records.delete(isID(0)) }
      try expectRows(store, Array(rows.dropFirst()))
      try store.write { tx in
        try tx.records.insert(into: name, [row(9, values[0])])
        try tx.records.delete(QueryTree(model: name, predicate: .not(.compare(.named("id"), .equal, .value(.int(9))))))
      }
      try expectRows(store, [row(9, values[0])])
    }
  }

  private static func abandoned(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "IDX.\(type.name).savepoint", ["TXN-3", "IDX-1", "IDX-4"],
      "A savepoint that is undone leaves the entries of \(type.name) as they were.", needs: [.savepoints],
      without: ConformanceVariant.ofReads
    ) { kit in
      let values = Samples.distinct(type, 2)
      let rows = [row(1, values[0]), row(2, .null)]
      let store = try store(kit, type, [unique], rows)
      try store.write { tx in
        do {
          try tx.savepoint {
            try tx.records.assign(isID(1), [.init("value", .set, values[1])])
            try tx.records.assign(isID(2), [.init("value", .set, values[0])])
            try tx.records.insert(into: name, [row(3, .null)])
            throw Abandoned()
          }
        } catch is Abandoned {}
        try expectError(.uniqueViolation) { try tx.records.insert(into: name, [row(4, values[0])]) }
        try tx.records.insert(into: name, [row(5, values[1])])
      }
      try expectRows(store, rows + [row(5, values[1])])
    }
  }

  private static func compound(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "IDX.\(type.name).compound", ["IDX-1", "IDX-2", "IDX-3"],
      "A \(type.name) and a number are unique together, with nil in either column conflicting with nothing.",
      needs: [.indexCompound], without: ConformanceVariant.ofReads
    ) { kit in
      let index = IndexSchema(name: "u", columns: [.init(slot: 1), .init(slot: 2)], isUnique: true)
      let values = Samples.distinct(type, 4)
      var rows: [Record] = []
      for value in values + [.null, .null] {
        for number in [Value.int(0), .int(1), .null, .null] { rows.append(row(rows.count, value, number)) }
      }
      let store = try store(kit, type, [index], rows)
      try store.write { tx in
        for value in values {
          try expectError(.uniqueViolation, "\(value)") {
            try tx.records.insert(into: name, [row(999, value, .int(1))])
          }
        }
        try tx.records.insert(into: name, [row(1000, values[0], .int(2)), row(1001, values[0])])
      }
      try expectRows(store, rows + [row(1000, values[0], .int(2)), row(1001, values[0])])
    }
  }

  private static func descending(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "IDX.\(type.name).descending", ["IDX-3", "IDX-4"],
      "A falling unique index on \(type.name) keeps values apart and finds each range.", needs: [.indexDescending],
      without: ConformanceVariant.ofReads
    ) { kit in
      let index = IndexSchema(name: "u", columns: [.init(slot: 1, isDescending: true)], isUnique: true)
      let values = Samples.distinct(type)
      let rows = values.enumerated().map { row($0.offset, $0.element) } + [row(500, .null), row(501, .null)]
      let store = try store(kit, type, [index], rows)
      for value in Samples.few(type) {
        try expectError(.uniqueViolation, "\(value)") {
          try store.write { try $0.records.insert(into: name, [row(999, value)]) }
        }
      }
      try store.read { tx in
        let view = ColumnTable.View(name: "", transaction: tx, columns: [], rows: rows)
        for value in Samples.few(type) {
          for comparison in Comparison.allCases {
            try view.expectRows(
              QueryTree(model: name, predicate: .compare(.named("value"), comparison, .value(value))))
          }
        }
        try view.expectRows(QueryTree(model: name, order: [.init("value")], limit: 5))
      }
    }
  }

  private static func createdUnique(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "IDX.\(type.name).created-unique", ["IDX-1", "IDX-3", "STMT-1"],
      "A unique index on \(type.name) is refused over duplicates, and made when they are gone.",
      needs: [.schemaCreateIndex], without: ConformanceVariant.ofReads
    ) { kit in
      let values = Samples.distinct(type, 2)
      let store = try store(kit, type, [], [row(1, values[0]), row(2, values[1]), row(3, values[0]), row(4, .null)])
      try store.write { tx in
        let id = try tx.model(named: name).id
        try expectError(.uniqueViolation) { try tx.apply(.createIndex(id, unique)) }
        try tx.records.delete(isID(3))
        try tx.apply(.createIndex(id, unique))
        try expectError(.uniqueViolation) { try tx.records.insert(into: name, [row(5, values[0])]) }
        try tx.records.insert(into: name, [row(6, .null)])
      }
      try expectError(.uniqueViolation) { try store.write { try $0.records.insert(into: name, [row(5, values[1])]) } }
      try expectRows(store, [row(1, values[0]), row(2, values[1]), row(4, .null), row(6, .null)])
    }
  }

  private static func dropped(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "IDX.\(type.name).dropped", ["IDX-4"], "Without its index every query on a \(type.name) gives what it gave.",
      needs: [.schemaDropIndex], without: ConformanceVariant.ofReads
    ) { kit in
      let values = Samples.distinct(type, 6)
      let rows = values.enumerated().map { row($0.offset, $0.element) } + [row(90, .null)]
      let store = try store(kit, type, [unique], rows)
      try expectRows(store, rows)
      try store.write { tx in
        let model = try tx.model(named: name)
        try tx.apply(.dropIndex(model.id, index: model.indexes[0].id))
        try tx.records.insert(into: name, [row(91, values[0])])
      }
      try expectRows(store, rows + [row(91, values[0])])
    }
  }
}
