import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

enum AggregateCases {
  static let all: [ConformanceCase] =
    Samples.orderedTypes.flatMap { [extremes($0), groups($0)] } + Samples.numericTypes.map { nothing($0) }
    + integers + floats + typed

  // MARK: Every type

  private static func extremes(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "AGG.\(type.name).min-max", ["AGG-1", "SORT-3", "SORT-4"],
      "Least, greatest and count of \(type.name) leave nil out and follow the order."
    ) { kit in
      let constants: [Value] = Samples.values(type) + [.null]
      try ColumnTable.inspect(kit, type) { view in
        for column in view.columns {
          for constant in constants {
            let query = QueryTree(
              model: ColumnTable.name, predicate: .compare(.named(column), .lessOrEqual, .value(constant)))
            let values = Reference.rows(query, from: view.rows).compactMap { $0[column] }
            let row = try unwrap(
              try view.transaction.records.aggregate(query, [(.min, column), (.max, column), (.count, column)]).first)
            let about = "\(view.name) \(column) <= \(constant)"
            try expectSame(row.values[0], values.min { Reference.rank($0, $1) < 0 }, about)
            try expectSame(row.values[1], values.max { Reference.rank($0, $1) < 0 }, about)
            try expectEqual(row.values[2], .int(Int64(values.count)), about)
          }
        }
      }
    }
  }

  private static func groups(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "AGG.\(type.name).groups", ["AGG-4", "SORT-3"], "Groups of \(type.name) are in ascending order, nil first."
    ) { kit in
      try ColumnTable.inspect(kit, type) { view in
        for column in view.columns {
          let sorted = view.rows.compactMap { $0[column] }.sorted { Reference.rank($0, $1) < 0 }
          var expected: [(value: Value, count: Int)] = []
          for value in sorted {
            if let last = expected.last, Reference.rank(last.value, value) == 0 {
              expected[expected.count - 1].count += 1
            } else {
              expected.append((value, 1))
            }
          }
          let rows = try view.transaction.records.aggregate(
            QueryTree(model: ColumnTable.name), groupedBy: [column], [(.count, nil)])
          let about = "\(view.name) \(column)"
          try expectEqual(rows.map { $0.values[0] }, expected.map { .int(Int64($0.count)) }, about)
          for (row, group) in zip(rows, expected) {
            try expectSame(row.groups[0], group.value, about)
            try expect(!isNegativeZero(row.groups[0]), "\(about): the group of zeros is -0.0")
          }
        }
      }
    }
  }

  private static func isNegativeZero(_ value: Value) -> Bool {
    switch value {
    case .float(let value): value == 0 && value.sign == .minus
    case .double(let value): value == 0 && value.sign == .minus
    case .date(let date): date.timeIntervalSinceReferenceDate == 0 && date.timeIntervalSinceReferenceDate.sign == .minus
    default: false
    }
  }

  /// Throws unless the two are one value in order, of one kind.
  private static func expectSame(_ actual: Value, _ expected: Value?, _ about: String, line: Int = #line) throws {
    let expected = expected ?? .null
    try expect(
      Reference.rank(actual, expected) == 0 && actual.isNull == expected.isNull && actual.kind == expected.kind,
      "\(about): got \(actual), the contract says \(expected)", line: line)
  }

  private static func nothing(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "AGG.\(type.name).nothing", ["AGG-1"], "Of no values sum, average, least and greatest are nil, and count is 0."
    ) { kit in
      let store = try kit.store(making: [ColumnTable.model(type)])
      let one = Samples.values(type)[0]
      let columns: [(function: AggregateFunction, property: String?)] = [
        (.count, "plain"), (.sum, "plain"), (.average, "plain"), (.min, "plain"), (.max, "plain"), (.count, nil),
      ]
      for rows in [0, 3] {
        try store.write { tx in
          try tx.records.insert(
            into: ColumnTable.name,
            (0..<rows).map { Record(["id": .int(Int64($0)), "present": one, "presentIndexed": one]) })
        }
        let query = QueryTree(model: ColumnTable.name)
        let result = try store.read { try $0.records.aggregate(query, columns) }
        try expectEqual(result.count, 1)
        try expectEqual(
          result[0].values, [.int(0), .null, .null, .null, .null, .int(Int64(rows))], "\(rows) rows")
        let groups = try store.read { try $0.records.aggregate(query, groupedBy: ["plain"], columns) }
        try expectEqual(groups.count, rows == 0 ? 0 : 1)
      }
    }
  }

  // MARK: Integers

  private static func store(_ kit: ConformanceContext, _ figures: [Figure]) throws -> Store {
    let store = try kit.store(Figure.self)
    try store.insert(contentsOf: figures)
    return store
  }

  private static let integers: [ConformanceCase] = [
    ConformanceCase("AGG.unsigned-sum", ["AGG-2"], "Unsigned numbers are added to the end of their range.") { kit in
      for (numbers, total) in [([.max], .max), ([1 << 63, 1], 1 << 63 + 1), ([.max - 1, 1], .max)] as [([UInt64], UInt)]
      {
        let store = try store(kit, numbers.enumerated().map { Figure($0.offset, unsigned: $0.element) })
        try expectEqual(try store.read { try $0.sum(Figure.all, of: \.unsigned) }, total, "\(numbers)")
      }
      let store = try store(kit, [Figure(0, unsigned: .max), Figure(1, unsigned: 1)])
      try expectError(.invalidValue) { try store.read { try $0.sum(Figure.all, of: \.unsigned) } }
    },
    ConformanceCase("AGG.small-sum", ["AGG-2"], "A sum of small integers has 64 bits.") { kit in
      let store = try store(kit, (0..<1000).map { Figure($0, small: $0 < 999 ? .max : .min) })
      try expectEqual(try store.read { try $0.sum(Figure.all, of: \.small) }, 127 * 999 - 128)
    },
  ]

  // MARK: Floating point

  private static let floats: [ConformanceCase] = [
    ConformanceCase("AGG.double-shuffled", ["AGG-3"], "The order of rows has no part in a sum of Doubles.") { kit in
      var generator = kit.random(3)
      for round in 0..<4 {
        var numbers = (0..<200).map { _ in
          Double(
            sign: Bool.random(using: &generator) ? .plus : .minus,
            exponent: Int.random(in: -300...300, using: &generator), significand: .random(in: 1..<2, using: &generator))
        }
        if round % 2 == 0 { numbers += numbers.prefix(150).map { -$0 } }
        let exact = numbers.map { ReferenceNumber($0) }.reduce(ReferenceNumber("0"), +).rounded
        for _ in 0..<3 {
          let store = try store(
            kit, numbers.shuffled(using: &generator).enumerated().map { Figure($0.offset, value: $0.element) })
          try expectEqual(try store.read { try $0.sum(Figure.all, of: \.value) }, exact, "round \(round)")
        }
      }
    }
  ]

  // MARK: Typed calls

  private static let typed: [ConformanceCase] = [
    // What sums and averages are is in texts; here they are of the types of the program.
    ConformanceCase("AGG.decimal-average", ["AGG-1"], "The average of decimals is a Decimal.") { kit in
      let prices = ["0.1", "0.2", "0.6"].map { Samples.decimal($0) }
      let store = try store(kit, prices.enumerated().map { Figure($0.offset, ratio: 0.5, price: $0.element) })
      try store.read { tx in
        try expectEqual(try tx.average(Figure.all, of: \.price), Samples.decimal("0.3"))
        try expectEqual(try tx.sum(Figure.all, of: \.price), Samples.decimal("0.9"))
        try expectEqual(try tx.average(Figure.all, of: \.ratio), 0.5 as Double)
        try expectEqual(try tx.sum(Figure.all, of: \.ratio), 1.5 as Float)
      }
    },
    ConformanceCase(
      "AGG.grouped", ["AGG-4", "SORT-2"], "Objects come in groups in ascending order, each in the query's."
    ) {
      kit in
      let store = try store(kit, (0..<20).map { Figure($0, group: $0 % 4 == 3 ? nil : "g\($0 % 4)", number: -$0) })
      let groups = try store.read { try $0.grouped(Figure.all.sorted(by: \.number), by: \.group) }
      try expectEqual(groups.map(\.key), [nil, "g0", "g1", "g2"])
      try expectEqual(
        groups.map { $0.elements.map(\.id) }, [3, 0, 1, 2].map { rest in (0..<5).map { 16 - $0 * 4 + rest } })
    },
    ConformanceCase("AGG.grouped-zeros", ["AGG-4"], "The group of zeros is 0.0, that of NaNs is NaN.") { kit in
      let values: [Double] = [-0.0, .nan, 0.0, -.nan]
      let store = try store(kit, values.enumerated().map { Figure($0.offset, value: $0.element) })
      let groups = try store.read { try $0.grouped(Figure.all, by: \.value) }
      try expectEqual(groups.map { $0.elements.map(\.id) }, [[0, 2], [1, 3]])
      try expectEqual(try unwrap(groups[0].key).sign, .plus)
      try expect(try unwrap(groups[1].key).isNaN)
    },
    ConformanceCase("AGG.unordered", ["NEST-4"], "Grouping by an array, and its least value, are unsupported.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      try store.read { tx in
        try expectError(.unsupported) { try tx.grouped(Item.all, by: \.tags) }
        try expectError(.unsupported) { try tx.count(Item.all, by: \.tags) }
        try expectError(.unsupported) { try tx.distinct(Item.all, \.tags) }
        try expectError(.unsupported) { try tx.min(Item.all, of: \.tags) }
      }
    },
    ConformanceCase("AGG.no-number", ["PRED-8"], "A sum of what is no number is invalidQuery.") { kit in
      let store = try kit.store(Item.self)
      for function in [AggregateFunction.sum, .average] {
        try expectError(.invalidQuery) {
          try store.read { try $0.records.aggregate(QueryTree(model: "Item"), [(function, "name")]) }
        }
      }
      try expectError(.invalidQuery) {
        try store.read { try $0.records.aggregate(QueryTree(model: "Item"), [(.min, "nmae")]) }
      }
    },
  ]
}
