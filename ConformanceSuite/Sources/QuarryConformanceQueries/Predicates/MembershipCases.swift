import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Each type in each kind of list, and each pair of numeric columns.
enum MembershipCases {
  static let all: [ConformanceCase] =
    Samples.orderedTypes.flatMap { type in lists(type).map { member(type, $0.name, $0.list) } }
    + Samples.numericTypes.map { foreign($0) } + pairs

  private static func lists(_ type: PropertyType) -> [(name: String, list: [Value])] {
    let values = Samples.few(type)
    return [
      ("empty", []), ("one", [values[values.count / 2]]), ("several", Array(values.suffix(3))),
      ("repeated", [values[0], values[0], values[values.count - 1], values[0]]), ("nil", [.null]),
      ("with-nil", [.null, values[0], values[1]]),
    ]
  }

  private static func member(_ type: PropertyType, _ name: String, _ list: [Value]) -> ConformanceCase {
    ConformanceCase(
      "PRED.\(type.name).in.\(name)", ["PRED-5", "PRED-4"], "A \(type.name) in a list (\(name)), and not in it.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      try ColumnTable.look(kit, type) { view in
        for column in view.columns {
          let test = PredicateTree.oneOf(.named(column), list)
          try view.expectRows(test)
          try view.expectRows(.not(test))
          try view.expectRows(.and([test, .compare(.named(column), .notEqual, .value(list.first ?? .null))]))
          try view.expectRows(QueryTree(model: ColumnTable.name, predicate: test, order: [.init(column)], limit: 3))
        }
      }
    }
  }

  private static func foreign(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "PRED.\(type.name).in.other-numbers", ["PRED-5", "PRED-6"],
      "Members of other numeric types match by their exact values, and those that no \(type.name) can be match nothing.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      let list = PredicateConstantCases.Kind.allCases.flatMap { PredicateConstantCases.constants($0, type) }
      try ColumnTable.look(kit, type) { view in
        for column in view.columns {
          try view.expectRows(.oneOf(.named(column), list))
          try view.expectRows(.not(.oneOf(.named(column), list + [.null])))
        }
      }
    }
  }

  // MARK: Property and property

  private static let known: Set<String> = [
    "int8-uint64", "int64-uint64", "int64-double", "uint64-double", "int64-float", "float-double", "int32-decimal",
    "uint64-decimal", "decimal-double", "float-decimal", "uint8-int16",
  ]

  private static let pairs: [ConformanceCase] = Samples.numericTypes.indices.flatMap { place in
    Samples.numericTypes[(place + 1)...].compactMap { right in
      let left = Samples.numericTypes[place]
      let names = ["\(left.name)-\(right.name)", "\(right.name)-\(left.name)"]
      guard known.isDisjoint(with: names) else { return nil }
      return ConformanceCase(
        "PRED.columns.\(names[0])", ["PRED-3", "PRED-6"],
        "A \(left.name) and a \(right.name) of one row are compared by their exact values.",
        without: ConformanceVariant.ofWrites
      ) { kit in
        try compare(kit, left, right)
      }
    }
  }

  private static func compare(_ kit: ConformanceContext, _ left: PropertyType, _ right: PropertyType) throws {
    let model = ModelSchema(
      name: "Pair",
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "left", type: left, isOptional: true),
        PropertySchema(name: "right", type: right, isOptional: true),
      ], primaryKey: 0, indexes: [IndexSchema(name: "left", columns: [.init(slot: 1)])])
    var rows: [Record] = []
    for first in Samples.few(left, 6) + [Samples.number(1, left), .null] {
      for second in Samples.few(right, 6) + [Samples.number(1, right), .null] {
        rows.append(Record(["id": .int(Int64(rows.count)), "left": first, "right": second]))
      }
    }
    let store = try kit.open([], at: kit.makePlace())
    try store.write { tx in
      try tx.apply(.createModel(model))
      try tx.records.insert(into: "Pair", rows)
    }
    try store.read { tx in
      let view = ColumnTable.View(name: "", transaction: tx, columns: [], rows: rows)
      for comparison in Comparison.allCases {
        let test = PredicateTree.compare(.named("left"), comparison, .named("right"))
        try view.expectRows(QueryTree(model: "Pair", predicate: test))
        try view.expectRows(QueryTree(model: "Pair", predicate: .not(test)))
      }
    }
  }
}
