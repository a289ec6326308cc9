import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Arrays of each type, asked in each way that there is.
enum ElementCases {
  static let all: [ConformanceCase] = Samples.orderedTypes.flatMap { type in
    ["contains", "any", "all", "count", "equal"].map { asked(type, $0) }
  }

  private static let list = PropertyPath("list")

  private static func asked(_ type: PropertyType, _ question: String) -> ConformanceCase {
    ConformanceCase(
      "NEST.array-\(type.name).\(question)", ["NEST-1", "NEST-2", "NEST-3", "VAL-1"],
      "Arrays of \(type.name) are asked by \(question), and come back as they were.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      let values = Samples.few(type, 5)
      let lists: [Value] = [
        .null, .array([]), .array(values), .array([values[0]]), .array([values[1], values[1]]),
        .array(values.reversed()), .array([values[values.count - 1]]),
      ]
      let rows = lists.enumerated().map { Record(["id": .int(Int64($0.offset)), "list": $0.element]) }
      let model = ModelSchema(
        name: "Listed",
        properties: [
          PropertySchema(name: "id", type: .int64),
          PropertySchema(name: "list", type: .array, isOptional: true, elementType: type),
        ], primaryKey: 0)
      let store = try kit.open([], at: kit.makePlace())
      try store.write { tx in
        try tx.apply(.createModel(model))
        try tx.records.insert(into: "Listed", rows)
      }
      try store.read { tx in
        try expectEqual(try tx.records.fetch(QueryTree(model: "Listed")), rows)
        let view = ColumnTable.View(name: "", transaction: tx, columns: [], rows: rows)
        for test in tests(question, values, lists) {
          try view.expectRows(QueryTree(model: "Listed", predicate: test))
          try view.expectRows(QueryTree(model: "Listed", predicate: .not(test)))
        }
      }
    }
  }

  private static func tests(_ question: String, _ values: [Value], _ lists: [Value]) -> [PredicateTree] {
    switch question {
    case "contains": values.map { .containsElement(list, $0) }
    case "any":
      values.flatMap { value in
        Comparison.allCases.map { .any(list, .compare(.property(.element), $0, .value(value))) }
      } + [.any(list, .oneOf(.property(.element), Array(values.prefix(2))))]
    case "all":
      values.flatMap { value in
        Comparison.allCases.map { .all(list, .compare(.property(.element), $0, .value(value))) }
      } + [.all(list, .not(.oneOf(.property(.element), Array(values.prefix(2)))))]
    case "count":
      (-1...6).flatMap { number in
        Comparison.allCases.map { .compare(.count(list), $0, .value(.int(number))) }
      } + [.compare(.count(list), .equal, .value(.null))]
    default:
      lists.flatMap { value in
        [Comparison.equal, .notEqual].map { .compare(.property(list), $0, .value(value)) }
      }
    }
  }
}
