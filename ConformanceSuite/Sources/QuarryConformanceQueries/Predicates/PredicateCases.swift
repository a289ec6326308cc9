import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

enum PredicateCases {
  static let all: [ConformanceCase] =
    Samples.orderedTypes.flatMap { comparisons($0) + [mirrored($0), membership($0), longList($0), pairs($0)] }
    + mixedPairs + truthTables + refusals

  // MARK: Comparisons

  private static func comparisons(_ type: PropertyType) -> [ConformanceCase] {
    Comparison.allCases.map { comparison in
      ConformanceCase(
        "PRED.\(type.name).\(comparison.rawValue)",
        ["PRED-1", "PRED-2", "PRED-3", "PRED-6", "PRED-7", "PRED-12", "TEXT-1"],
        "A \(type.name) compared with constants by \(comparison.rawValue), wherever it is stored."
      ) { kit in
        try ColumnTable.inspect(kit, type) { view in
          for column in view.columns {
            for constant in Samples.constants(type) {
              try view.expectRows(.compare(.named(column), comparison, .value(constant)))
            }
          }
        }
      }
    }
  }

  private static func mirrored(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "PRED.\(type.name).mirrored", ["PRED-3", "PRED-6"], "A constant on the left means the comparison turned round."
    ) { kit in
      try ColumnTable.inspect(kit, type) { view in
        for comparison in Comparison.allCases {
          for constant in Samples.constants(type) {
            try view.expectRows(.compare(.value(constant), comparison, .named(view.columns[0])))
          }
        }
      }
    }
  }

  private static func membership(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "PRED.\(type.name).in", ["PRED-5", "PRED-6", "PRED-12"], "A \(type.name) in lists, empty ones and with nil too.",
      within: .seconds(60)
    ) { kit in
      let constants = Samples.constants(type)
      var lists: [[Value]] = [[], [.null], constants, constants + constants, constants.dropLast()]
      for size in [1, 2, 5] {
        for start in stride(from: 0, to: constants.count, by: 3) {
          lists.append(Array(constants[start...].prefix(size)))
        }
      }
      try ColumnTable.inspect(kit, type) { view in
        for column in view.columns {
          for list in lists {
            try view.expectRows(.oneOf(.named(column), list))
            try view.expectRows(.not(.oneOf(.named(column), list)))
          }
        }
      }
    }
  }

  private static func longList(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "PRED.\(type.name).in-5000", ["PRED-5"], "A list of 5,000 members finds what it has.",
      within: .seconds(60)
    ) { kit in
      let members = Samples.values(type).enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
      let list = (0..<5000).map { members[$0 % members.count] }
      try ColumnTable.inspect(kit, type) { view in
        for column in view.columns {
          try view.expectRows(
            QueryTree(model: ColumnTable.name, predicate: .oneOf(.named(column), list)),
            as: QueryTree(model: ColumnTable.name, predicate: .oneOf(.named(column), members)))
        }
      }
    }
  }

  // MARK: Property and property

  private static func pairs(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "PRED.\(type.name).columns", ["PRED-1", "PRED-3", "PRED-6", "PRED-7"],
      "Two properties of type \(type.name) are compared as values are."
    ) { kit in
      try expectPairs(kit, type, type)
    }
  }

  private static let mixedPairs: [ConformanceCase] = [
    (PropertyType.int8, PropertyType.uint64), (.int64, .uint64), (.int64, .double), (.uint64, .double),
    (.int64, .float), (.float, .double), (.int32, .decimal), (.uint64, .decimal), (.decimal, .double),
    (.float, .decimal), (.uint8, .int16),
  ].map { left, right in
    ConformanceCase(
      "PRED.columns.\(left.name)-\(right.name)", ["PRED-6"],
      "A \(left.name) and a \(right.name) are compared by their exact values."
    ) { kit in
      try expectPairs(kit, left, right)
    }
  }

  private static func expectPairs(_ kit: ConformanceContext, _ left: PropertyType, _ right: PropertyType) throws {
    let model = ModelSchema(
      name: "Pair",
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "left", type: left, isOptional: true),
        PropertySchema(name: "right", type: right, isOptional: true),
      ], primaryKey: 0, indexes: [IndexSchema(name: "left", columns: [.init(slot: 1)])])
    let store = try kit.store(making: [model])
    var rows: [Record] = []
    for first in Samples.values(left) + [.null] {
      for second in Samples.values(right) + [.null] {
        rows.append(Record(["id": .int(Int64(rows.count)), "left": first, "right": second]))
      }
    }
    try store.write { try $0.records.insert(into: "Pair", rows) }
    try store.read { tx in
      let view = ColumnTable.View(name: "", transaction: tx, columns: [], rows: rows)
      for comparison in Comparison.allCases {
        for (first, second) in [("left", "right"), ("right", "left")] {
          try view.expectRows(
            QueryTree(model: "Pair", predicate: .compare(.named(first), comparison, .named(second))))
        }
      }
    }
  }

  // MARK: Connectives

  private static let truthTables: [ConformanceCase] = [
    ConformanceCase("PRED.and-or-not", ["PRED-4"], "AND, OR and NOT have two values, with nil in play too.") { kit in
      let isNil = PredicateTree.compare(.named("plain"), .equal, .value(.null))
      let isFour = PredicateTree.compare(.named("plain"), .equal, .value(.int(2)))
      let isLess = PredicateTree.compare(.named("plain"), .less, .value(.int(2)))
      let parts: [PredicateTree] = [
        .constant(true), .constant(false), isNil, isFour, isLess, .not(isLess), .not(isNil),
      ]
      try ColumnTable.inspect(kit, .int64) { view in
        for left in parts {
          try view.expectRows(.not(left))
          try view.expectRows(.not(.not(left)))
          for right in parts {
            for tree: PredicateTree in [.and([left, right]), .or([left, right])] {
              try view.expectRows(tree)
              try view.expectRows(.not(tree))
            }
          }
        }
      }
    },
    ConformanceCase("PRED.and-or-empty", ["PRED-4"], "AND of nothing is true, OR of nothing false.") { kit in
      try ColumnTable.inspect(kit, .bool) { view in
        try view.expectRows(.and([]))
        try view.expectRows(.or([]))
        try view.expectRows(.not(.and([.or([]), .and([])])))
      }
    },
    ConformanceCase("PRED.ranges", ["PRED-3", "PRED-12"], "Bounds on one property together are their intersection.") {
      kit in
      let bounds: [Value] = [.int(-1), .int(0), .int(2), .double(2.5), .int(3), .null]
      try ColumnTable.inspect(kit, .int32) { view in
        for column in view.columns {
          for low in bounds {
            for high in bounds {
              for (first, second) in [(Comparison.greater, Comparison.less), (.greaterOrEqual, .lessOrEqual)] {
                let range: [PredicateTree] = [
                  .compare(.named(column), first, .value(low)), .compare(.named(column), second, .value(high)),
                ]
                try view.expectRows(.and(range))
                try view.expectRows(.or(range))
              }
            }
          }
        }
      }
    },
    ConformanceCase("PRED.deep", ["PRED-10"], "A predicate 200 deep works, one 201 deep is limitExceeded.") { kit in
      func nested(_ depth: Int) -> PredicateTree {
        (1..<depth).reduce(.compare(.named("plain"), .equal, .value(.int(1)))) { inner, _ in .not(inner) }
      }
      try ColumnTable.inspect(kit, .int64) { view in
        try view.expectRows(nested(200))
        let error = try expectError(.limitExceeded) {
          try view.transaction.records.fetch(QueryTree(model: ColumnTable.name, predicate: nested(201)))
        }
        try expect(error.message.contains("200") && error.message.contains("201"), error.message)
        try expectError(.limitExceeded) {
          try view.transaction.records.count(QueryTree(model: ColumnTable.name, predicate: nested(10_000)))
        }
      }
    },
    ConformanceCase("PRED.wide", ["PRED-10"], "A predicate of 10,000 nodes works, one of 10,001 is limitExceeded.") {
      kit in
      func wide(_ count: Int) -> PredicateTree {
        .or((0..<count - 1).map { .compare(.named("plain"), .equal, .value(.int(Int64($0) * 1000 + 1))) })
      }
      try ColumnTable.inspect(kit, .int64) { view in
        try view.expectRows(wide(10_000))
        try expectError(.limitExceeded) {
          try view.transaction.records.fetch(QueryTree(model: ColumnTable.name, predicate: wide(10_001)))
        }
      }
    },
    ConformanceCase(
      "PRED.wide-mixed", ["PRED-10", "PRED-4"], "Thousands of different conditions work in one predicate."
    ) {
      kit in
      let parts: [PredicateTree] = (0..<3000).map { place in
        let value = Value.int(Int64(place % 50) * 100 + 1)
        return place % 3 == 0
          ? .not(.compare(.named("plain"), .less, .value(value))) : .compare(.named("indexed"), .less, .value(value))
      }
      try ColumnTable.inspect(kit, .int64) { view in
        try view.expectRows(.and(parts))
        try view.expectRows(.or(parts))
      }
    },
  ]

  // MARK: What is refused

  private static let refusals: [ConformanceCase] =
    Samples.orderedTypes.map { type in
      ConformanceCase(
        "PRED.\(type.name).incomparable", ["PRED-8"], "A \(type.name) and what it has no order with are invalidQuery."
      ) { kit in
        let store = try kit.store(making: [ColumnTable.model(type)])
        let values: [Value] = [
          .bool(true), .int(1), .data(.init()), .array([]), .object([]),
          .date(.init(timeIntervalSinceReferenceDate: 0)),
        ]
        for value in values where !isComparable(type, value) {
          for comparison in Comparison.allCases {
            let query = QueryTree(
              model: ColumnTable.name, predicate: .compare(.named("indexed"), comparison, .value(value)))
            let error = try expectError(.invalidQuery, "\(query)") { try store.read { try $0.records.fetch(query) } }
            try expectEqual(error.model, ColumnTable.name)
          }
          let query = QueryTree(model: ColumnTable.name, predicate: .oneOf(.named("plain"), [.null, value]))
          try expectError(.invalidQuery, "\(query)") { try store.read { try $0.records.count(query) } }
        }
      }
    }

  private static func isComparable(_ type: PropertyType, _ value: Value) -> Bool {
    switch value {
    case .int: type.isNumeric
    case .bool: type == .bool
    case .data: type == .data
    case .date: type == .date
    default: false
    }
  }
}
