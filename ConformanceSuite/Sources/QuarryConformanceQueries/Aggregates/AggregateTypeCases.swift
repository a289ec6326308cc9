import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Each aggregate of each type in each situation: a failure names all three.
enum AggregateTypeCases {
  static let all: [ConformanceCase] =
    Samples.orderedTypes.flatMap { type in
      [AggregateFunction.min, .max, .count].flatMap { function in
        situations(type).map { ordered(type, function, $0.name, $0.values) }
      } + [distinct(type)]
    }
    + Samples.numericTypes.flatMap { type in
      totals(type).map { total(type, $0) } + [grouped(type), limited(type)]
    }

  // MARK: Order

  private static func situations(_ type: PropertyType) -> [(name: String, values: [Value])] {
    let values = Samples.values(type)
    return [
      ("nothing", []), ("nil", [.null, .null]), ("one", [values[values.count / 2]]),
      ("edges", [.null, values[0], values[values.count - 1], .null]), ("many", values),
    ]
  }

  private static func ordered(
    _ type: PropertyType, _ function: AggregateFunction, _ name: String, _ values: [Value]
  ) -> ConformanceCase {
    ConformanceCase(
      "AGG.\(type.name).\(function.rawValue).\(name)", ["AGG-1", "SORT-3", "SORT-4"],
      "The \(function.rawValue) of \(type.name) values (\(name)) is that of those that are not nil.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      try tables(kit, type, values) { tx, column in
        let present = values.filter { !$0.isNull }
        let expected: Value =
          switch function {
          case .count: .int(Int64(present.count))
          case .min: present.min { Reference.rank($0, $1) < 0 } ?? .null
          default: present.max { Reference.rank($0, $1) < 0 } ?? .null
          }
        let rows = try tx.records.aggregate(QueryTree(model: "Totals"), [(function, column)])
        try expectEqual(rows.count, 1)
        let actual = try unwrap(rows.first?.values.first)
        try expect(
          Reference.rank(actual, expected) == 0 && actual.kind == expected.kind,
          "\(column): got \(actual), the contract says \(expected)")
      }
    }
  }

  private static func distinct(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "AGG.\(type.name).distinct", ["AGG-4", "SORT-3"], "Each value of \(type.name) is one group, in ascending order.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      let values = Samples.values(type) + [.null] + Samples.values(type).reversed()
      try tables(kit, type, values) { tx, column in
        let expected = [.null] + Samples.distinct(type)
        let rows = try tx.records.aggregate(QueryTree(model: "Totals"), groupedBy: [column], [(.count, nil)])
        let actual = rows.map { $0.groups[0] }
        try expect(
          actual.count == expected.count && zip(actual, expected).allSatisfy { Reference.rank($0, $1) == 0 },
          "\(column): got \(actual), the contract says \(expected)")
      }
    }
  }

  // MARK: Totals

  private struct Total {
    let name: String
    let values: [Value]
    /// The sum; nil when it is invalidValue.
    let sum: Value?
    let average: Value?
  }

  private static func totals(_ type: PropertyType) -> [Total] {
    func number(_ value: Int) -> Value { Samples.number(value, type) }
    func sum(_ value: Int) -> Value { type.isInteger ? .int(Int64(value)) : number(value) }
    func average(_ value: Double) -> Value { type == .decimal ? .decimal(Decimal(value)) : .double(value) }
    var totals = [
      Total(name: "nothing", values: [], sum: .null, average: .null),
      Total(name: "nil", values: [.null, .null], sum: .null, average: .null),
      Total(name: "one", values: [number(5)], sum: sum(5), average: average(5)),
      Total(
        name: "with-nil", values: [.null, number(1), number(2), .null], sum: sum(3), average: average(1.5)),
      Total(name: "zero", values: [number(0), number(0)], sum: sum(0), average: average(0)),
    ]
    let (least, greatest) = (Samples.least(type), Samples.greatest(type))
    switch type {
    case .float, .double:
      let infinity: Value = type == .float ? .float(.infinity) : .double(.infinity)
      let nan: Value = type == .float ? .float(.nan) : .double(.nan)
      totals += [
        Total(
          name: "edges", values: [greatest, greatest, least, least, number(1)], sum: number(1), average: .double(0.2)),
        Total(name: "overflow", values: [greatest, greatest], sum: infinity, average: nil),
        Total(name: "nan", values: [number(1), nan], sum: nan, average: .double(.nan)),
        Total(name: "infinity", values: [number(1), infinity], sum: infinity, average: .double(.infinity)),
      ]
    case .decimal:
      totals += [
        Total(name: "edges", values: [greatest, least, number(1)], sum: number(1), average: nil),
        Total(name: "overflow", values: [greatest, greatest], sum: nil, average: nil),
        Total(
          name: "digits", values: [.decimal(Samples.decimal("0.1")), .decimal(Samples.decimal("0.2"))],
          sum: .decimal(Samples.decimal("0.3")), average: .decimal(Samples.decimal("0.15"))),
      ]
    default:
      let range = type.integerRange ?? 0...0
      let edges = range.lowerBound + range.upperBound
      totals.append(
        Total(
          name: "edges", values: [greatest, least], sum: Value(integer: edges), average: .double(Double(edges) / 2)))
      let limit = type == .uint64 ? Int128(UInt64.max) : Int128(Int64.max)
      let isWide = range.upperBound == limit
      totals.append(
        Total(
          name: "overflow", values: [greatest, number(1)],
          sum: isWide ? nil : Value(integer: range.upperBound + 1), average: nil))
      totals.append(
        Total(
          name: "many-greatest", values: Array(repeating: greatest, count: 50),
          sum: isWide ? nil : Value(integer: range.upperBound * 50), average: .double(Double(range.upperBound))))
    }
    return totals
  }

  private static func total(_ type: PropertyType, _ total: Total) -> ConformanceCase {
    ConformanceCase(
      "AGG.\(type.name).sum.\(total.name)", ["AGG-1", "AGG-2", "AGG-3"],
      "The sum and the average of \(type.name) values (\(total.name)) are exact, or rounded once.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      try tables(kit, type, total.values) { tx, column in
        let query = QueryTree(model: "Totals")
        if let sum = total.sum {
          try expectNumber(tx.records.aggregate(query, [(.sum, column)]), sum, "\(column): sum")
        } else {
          try expectError(.invalidValue, column) { try tx.records.aggregate(query, [(.sum, column)]) }
        }
        if let average = total.average {
          try expectNumber(tx.records.aggregate(query, [(.average, column)]), average, "\(column): average")
        }
        try expectNumber(
          tx.records.aggregate(query, [(.count, nil)]), .int(Int64(total.values.count)), "\(column): count")
      }
    }
  }

  private static func grouped(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "AGG.\(type.name).sum-by-group", ["AGG-1", "AGG-4"], "Each group has a sum of its own, nil where all are nil.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      let values: [Value] = (0..<12).map { $0 % 4 == 3 ? .null : Samples.number($0, type) }
      try tables(kit, type, values) { tx, column in
        let rows = try tx.records.aggregate(
          QueryTree(model: "Totals"), groupedBy: ["rest"], [(.sum, column), (.count, column)])
        try expectEqual(rows.map { $0.groups[0] }, (0..<4).map { .int($0) })
        for (rest, row) in rows.enumerated() {
          let expected: Value =
            rest == 3 ? .null : type.isInteger ? .int(Int64(12 + rest * 3)) : Samples.number(12 + rest * 3, type)
          try expect(Reference.rank(row.values[0], expected) == 0, "\(column) \(rest): got \(row.values[0])")
          try expectEqual(row.values[1], .int(rest == 3 ? 0 : 3))
        }
      }
    }
  }

  private static func limited(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "AGG.\(type.name).sum-of-page", ["AGG-5", "PAGE-1"], "Order, limit and offset choose what is added up.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      try tables(kit, type, (0..<10).map { Samples.number($0, type) }) { tx, column in
        let query = QueryTree(model: "Totals", order: [.init(column, isDescending: true)], limit: 3, offset: 1)
        let expected: Value = type.isInteger ? .int(21) : Samples.number(21, type)
        try expectNumber(tx.records.aggregate(query, [(.sum, column)]), expected, column)
        try expectEqual(try tx.records.count(query), 3)
      }
    }
  }

  /// Throws unless the one value is the number, NaN being itself.
  private static func expectNumber(
    _ rows: @autoclosure () throws -> [AggregateRow], _ expected: Value, _ about: String, line: Int = #line
  ) throws {
    let rows = try rows()
    try expectEqual(rows.count, 1, about, line: line)
    let actual = try unwrap(rows.first?.values.first)
    try expect(
      Reference.rank(actual, expected) == 0 && actual.isNull == expected.isNull,
      "\(about): got \(actual), the contract says \(expected)", line: line)
  }

  /// Calls the body with a column that has these values, without an index and with one.
  private static func tables(
    _ kit: ConformanceContext, _ type: PropertyType, _ values: [Value],
    _ body: (ReadTransaction, String) throws -> Void
  ) throws {
    let model = ModelSchema(
      name: "Totals",
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "plain", type: type, isOptional: true),
        PropertySchema(name: "indexed", type: type, isOptional: true), PropertySchema(name: "rest", type: .int64),
      ], primaryKey: 0, indexes: [IndexSchema(name: "indexed", columns: [.init(slot: 2)])])
    let store = try kit.open([], at: kit.makePlace())
    try store.write { tx in
      try tx.apply(.createModel(model))
      try tx.records.insert(
        into: "Totals",
        values.enumerated().map { place, value in
          Record([
            "id": .int(Int64(place)), "plain": value, "indexed": value, "rest": .int(Int64(place % 4)),
          ])
        })
    }
    try store.read { tx in
      for column in ["plain", "indexed"] { try body(tx, column) }
    }
  }
}
