import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Orders of two keys for each type in each pair of directions, with and without a compound index, and ordered queries
/// that are also limited by a condition.
enum TwoKeyCases {
  static let all: [ConformanceCase] =
    Samples.orderedTypes.flatMap { type in
      [false, true].flatMap { first in [false, true].map { ordered(type, first, $0) } }
        + [false, true].flatMap { [filtered(type, $0), ties(type, $0)] }
    }

  private static func word(_ isDescending: Bool) -> String { isDescending ? "falling" : "rising" }

  private static func model(_ type: PropertyType, _ name: String, _ indexes: [IndexSchema]) -> ModelSchema {
    ModelSchema(
      name: name,
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "value", type: type, isOptional: true),
        PropertySchema(name: "half", type: .int8, isOptional: true),
      ], primaryKey: 0, indexes: indexes)
  }

  private static func ordered(_ type: PropertyType, _ first: Bool, _ second: Bool) -> ConformanceCase {
    ConformanceCase(
      "SORT.\(type.name).\(word(first))-\(word(second))", ["SORT-1", "SORT-2", "SORT-3", "SORT-4", "IDX-4"],
      "A \(type.name) \(word(first)), then another property \(word(second)), with and without compound indexes.",
      needs: [.indexCompound, .indexDescending], without: ConformanceVariant.ofWrites
    ) { kit in
      let models = [
        model(type, "Bare", []),
        model(type, "Same", [.init(name: "i", columns: [.init(slot: 1), .init(slot: 2)])]),
        model(type, "Mixed", [.init(name: "i", columns: [.init(slot: 1, isDescending: true), .init(slot: 2)])]),
      ]
      let values: [Value] = [.null] + Samples.few(type)
      let rows = (0..<values.count * 4).map { place in
        Record([
          "id": .int(Int64(place * 13 % (values.count * 4 + 1))), "value": values[place % values.count],
          "half": place % 5 == 0 ? .null : .int(Int64(place % 3)),
        ])
      }
      let store = try kit.open([], at: kit.makePlace())
      try store.write { tx in
        for model in models {
          try tx.apply(.createModel(model))
          try tx.records.insert(into: model.name, rows)
        }
      }
      try store.read { tx in
        let view = ColumnTable.View(name: "", transaction: tx, columns: [], rows: rows)
        for model in models {
          for keys in [["value", "half"], ["half", "value"]] {
            var query = QueryTree(
              model: model.name,
              order: [.init(keys[0], isDescending: first), .init(keys[1], isDescending: second)])
            try view.expectRows(query)
            query.limit = 7
            query.offset = 4
            try view.expectRows(query)
          }
        }
      }
    }
  }

  private static func filtered(_ type: PropertyType, _ isDescending: Bool) -> ConformanceCase {
    ConformanceCase(
      "SORT.\(type.name).range-\(word(isDescending))", ["SORT-2", "SORT-3", "PRED-3", "PAGE-1", "IDX-4"],
      "A range of \(type.name) comes in order, \(word(isDescending)), with a limit and without.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      try ColumnTable.look(kit, type) { view in
        let bounds = Samples.few(type, 3)
        for column in view.columns {
          for bound in bounds {
            for comparison in [Comparison.greaterOrEqual, .less] {
              var query = QueryTree(
                model: ColumnTable.name, predicate: .compare(.named(column), comparison, .value(bound)),
                order: [.init(column, isDescending: isDescending)])
              try view.expectRows(query)
              query.limit = 2
              try view.expectRows(query)
            }
          }
        }
      }
    }
  }

  private static func ties(_ type: PropertyType, _ isDescending: Bool) -> ConformanceCase {
    ConformanceCase(
      "SORT.\(type.name).ties-\(word(isDescending))", ["SORT-2", "SORT-3"],
      "Many objects with one \(type.name) are in the order of their keys, \(word(isDescending)).",
      without: ConformanceVariant.ofWrites
    ) { kit in
      let value = Samples.values(type)[0]
      try ColumnTable.look(kit, type, Array(repeating: value, count: 15)) { view in
        for column in view.columns {
          try view.expectRows(
            QueryTree(model: ColumnTable.name, order: [.init(column, isDescending: isDescending)], limit: 20, offset: 3)
          )
          try view.expectRows(
            QueryTree(
              model: ColumnTable.name, predicate: .compare(.named(column), .equal, .value(value)),
              order: [.init(column, isDescending: isDescending)], limit: 9))
        }
      }
    }
  }
}
