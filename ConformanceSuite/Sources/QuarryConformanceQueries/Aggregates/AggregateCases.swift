import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

enum AggregateCases {
  static let all: [ConformanceCase] =
    Samples.orderedTypes.flatMap { [extremes($0), groups($0)] } + Samples.numericTypes.map { nothing($0) }
    + integers + floats + decimals + typed

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
    ConformanceCase("AGG.integer-sum", ["AGG-2"], "Integers are added exactly at both ends of the range.") { kit in
      for (numbers, total) in [
        ([.max], .max), ([.min], .min), ([.max, .min], -1), ([.max, 1, -1], .max), ([.max, .max, .min, .min], -2),
        ([.min, -1, 1], .min), ([1 << 53, 1], 1 << 53 + 1), ([nil, 5, nil], 5), ([], nil), ([nil], nil),
      ] as [([Int?], Int?)] {
        let store = try store(kit, numbers.enumerated().map { Figure($0.offset, number: $0.element) })
        try expectEqual(try store.read { try $0.sum(Figure.all, of: \.number) }, total, "\(numbers)")
      }
    },
    ConformanceCase("AGG.integer-overflow", ["AGG-2"], "A total that does not fit is invalidValue.") { kit in
      for numbers in [[Int.max, 1], [.min, -1], [.min, .min, .max], [.max, .max]] {
        let store = try store(kit, numbers.enumerated().map { Figure($0.offset, number: $0.element) })
        try expectError(.invalidValue, "\(numbers)") { try store.read { try $0.sum(Figure.all, of: \.number) } }
        try expectEqual(try store.count(Figure.all), numbers.count)
      }
    },
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
    ConformanceCase("AGG.integer-average", ["AGG-3", "AGG-1"], "The average of integers is a Double.") { kit in
      for (numbers, average) in [
        ([1, 2], 1.5), ([nil, -3, nil], -3), ([nil], nil), ([.max, .max], 0x1p63), ([.min, .min], -0x1p63),
        ([.max, .min], -0.5), ([1, 1, 2, 2, 4], 2),
      ] as [([Int?], Double?)] {
        let store = try store(kit, numbers.enumerated().map { Figure($0.offset, number: $0.element) })
        try expectEqual(try store.read { try $0.average(Figure.all, of: \.number) }, average, "\(numbers)")
      }
    },
    ConformanceCase("AGG.assigned-sum", ["AGG-5", "PAGE-1"], "Limit and offset choose what is added up.") { kit in
      let store = try store(kit, (0..<10).map { Figure($0, number: $0) })
      let query = Figure.all.sorted(by: \.number, order: .reverse).offset(1).limit(3)
      try store.read { tx in
        try expectEqual(try tx.sum(query, of: \.number), 8 + 7 + 6)
        try expectEqual(try tx.min(query, of: \.number), 6)
        try expectEqual(try tx.max(query, of: \.number), 8)
        try expectEqual(try tx.average(query, of: \.number), 7)
        try expectEqual(try tx.distinct(query, \.number), [6, 7, 8])
        try expect(try tx.sum(query.limit(0), of: \.number) == nil)
      }
    },
  ]

  // MARK: Floating point

  private static let floats: [ConformanceCase] = [
    ConformanceCase("AGG.double-sum", ["AGG-3"], "A sum of Doubles is the exact sum rounded once, in any order.") {
      kit in
      let sums: [([Double], Double)] = [
        ([1e100, 1, -1e100], 1), ([0.1, 0.2, 0.3], 0.6), ([1e308, 1e308, -1e308], 1e308),
        ([.greatestFiniteMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude], .greatestFiniteMagnitude),
        ([1, 0x1p-53, 0x1p-53], 1 + 0x1p-52), ([0x1p53, 1, 0x1p-60], 0x1p53 + 2),
        ([.leastNonzeroMagnitude, .leastNonzeroMagnitude], 2 * .leastNonzeroMagnitude),
        ([.greatestFiniteMagnitude, 0x1p969], .greatestFiniteMagnitude),
        ([.greatestFiniteMagnitude, 0x1p970], .infinity), ([-.greatestFiniteMagnitude, -1e308], -.infinity),
      ]
      for (numbers, total) in sums {
        for numbers in [numbers, numbers.reversed(), Array(numbers.dropFirst() + numbers.prefix(1))] {
          let store = try store(kit, numbers.enumerated().map { Figure($0.offset, value: $0.element) })
          try expectEqual(try store.read { try $0.sum(Figure.all, of: \.value) }, total, "\(numbers)")
        }
      }
    },
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
    },
    ConformanceCase("AGG.double-special", ["AGG-3"], "NaN, or infinities of both signs, give NaN; one infinity itself.")
    {
      kit in
      let infinite = Double.infinity
      for (numbers, total) in [
        ([1, .nan], .nan), ([infinite, -infinite], .nan), ([infinite, 1, infinite], infinite),
        ([-infinite, .greatestFiniteMagnitude], -infinite), ([nil, .nan, nil], .nan), ([infinite, .nan], .nan),
      ] as [([Double?], Double)] {
        let store = try store(kit, numbers.enumerated().map { Figure($0.offset, value: $0.element) })
        let sum = try unwrap(try store.read { try $0.sum(Figure.all, of: \.value) })
        let average = try unwrap(try store.read { try $0.average(Figure.all, of: \.value) })
        try expect(total.isNaN ? sum.isNaN : sum == total, "\(numbers): sum \(sum)")
        try expect(total.isNaN ? average.isNaN : average == total, "\(numbers): average \(average)")
      }
    },
    ConformanceCase("AGG.double-average", ["AGG-3"], "The average of Doubles does not overflow on its way.") { kit in
      for (numbers, average) in [
        ([1, 2, 6], 3), ([nil, 2.5], 2.5), ([1e100, 3, -1e100], 1), ([-0.0], 0),
      ] as [([Double?], Double)] {
        let store = try store(kit, numbers.enumerated().map { Figure($0.offset, value: $0.element) })
        try expectEqual(try store.read { try $0.average(Figure.all, of: \.value) }, average, "\(numbers)")
      }
    },
    ConformanceCase("AGG.float-sum", ["AGG-3"], "A sum of Floats is rounded once, to a Float.") { kit in
      for (numbers, total) in [
        ([0x1p24, 1, 1], 0x1p24 + 2), ([1, 0x1p-24, 0x1p-60], 1 + 0x1p-23), ([1e38, 3e38, -3e38], 1e38),
        ([.greatestFiniteMagnitude, .greatestFiniteMagnitude], .infinity),
      ] as [([Float], Float)] {
        let store = try store(kit, numbers.enumerated().map { Figure($0.offset, ratio: $0.element) })
        try expectEqual(try store.read { try $0.sum(Figure.all, of: \.ratio) }, total, "\(numbers)")
      }
    },
    ConformanceCase(
      "AGG.nan-extremes", ["SORT-3", "AGG-1"], "NaN is greater than infinity, and the least of NaN alone."
    ) {
      kit in
      let store = try store(
        kit, [.nan, -.infinity, .infinity, nil].enumerated().map { Figure($0.offset, value: $0.element) })
      try store.read { tx in
        try expect(try unwrap(tx.max(Figure.all, of: \.value)).isNaN)
        try expectEqual(try tx.min(Figure.all, of: \.value), -.infinity)
        try expect(try unwrap(tx.min(Figure.where { $0.id == 0 }, of: \.value)).isNaN)
      }
    },
  ]

  // MARK: Decimals

  private static let decimals: [ConformanceCase] = [
    ConformanceCase("AGG.decimal-sum", ["AGG-2"], "Decimals are added exactly.") { kit in
      for (texts, total) in [
        (["0.1", "0.2"], "0.3"),
        (["12345678901234567890.5", "0.00000000000000005"], "12345678901234567890.50000000000000005"),
        (["99999999999999999999999999999999999999", "-99999999999999999999999999999999999998", "0.5"], "1.5"),
        (["1e127", "1e-10", "-1e127"], "1e-10"), (["-5", "5"], "0"),
      ] {
        let store = try store(kit, texts.enumerated().map { Figure($0.offset, price: Samples.decimal($0.element)) })
        try expectEqual(try store.read { try $0.sum(Figure.all, of: \.price) }, Samples.decimal(total), "\(texts)")
      }
    },
    ConformanceCase("AGG.decimal-inexact", ["AGG-2"], "A sum that no Decimal is exactly is invalidValue.") { kit in
      let greatest = Decimal.greatestFiniteMagnitude.description
      for texts in [
        ["1e127", "1e-10"], ["99999999999999999999999999999999999999", "0.0000000001"], [greatest, greatest],
      ] {
        let store = try store(kit, texts.enumerated().map { Figure($0.offset, price: Samples.decimal($0.element)) })
        try expectError(.invalidValue, "\(texts)") { try store.read { try $0.sum(Figure.all, of: \.price) } }
      }
    },
    ConformanceCase("AGG.decimal-average", ["AGG-1"], "The average of decimals is a Decimal.") { kit in
      let store = try store(
        kit, ["0.1", "0.2", "0.6"].enumerated().map { Figure($0.offset, price: Samples.decimal($0.element)) })
      try expectEqual(try store.read { try $0.average(Figure.all, of: \.price) }, Samples.decimal("0.3"))
    },
  ]

  // MARK: Typed calls

  private static let typed: [ConformanceCase] = [
    ConformanceCase("AGG.distinct", ["AGG-4"], "Distinct values come in ascending order, nil first.") { kit in
      let values: [Double?] = [2, nil, .nan, -0.0, 0.0, -1, 2, -.nan, nil]
      let store = try store(
        kit, values.enumerated().map { Figure($0.offset, group: "\($0.offset % 2)", value: $0.element) })
      try store.read { tx in
        let distinct = try tx.distinct(Figure.all, \.value)
        try expectEqual(distinct.dropLast().map { $0 }, [nil, -1, 0, 2])
        try expect(distinct.last??.isNaN == true)
        try expectEqual(try tx.distinct(Figure.all, \.group), ["0", "1"])
        try expectEqual(try tx.distinct(Figure.where { $0.id < 0 }, \.group), [])
      }
    },
    ConformanceCase("AGG.count-by", ["AGG-4"], "Objects are counted for each value.") { kit in
      let groups: [String?] = ["b", nil, "a", "b", "e\u{301}", "\u{E9}", nil]
      let store = try store(kit, groups.enumerated().map { Figure($0.offset, group: $0.element, number: $0.offset) })
      try store.read { tx in
        let counts = try tx.count(Figure.all, by: \.group)
        try expectEqual(
          counts.map(\.key).map { $0.map { Array($0.utf8) } }, [nil, [97], [98], [101, 0xCC, 0x81], [0xC3, 0xA9]])
        try expectEqual(counts.map(\.value), [2, 1, 2, 1, 1])
        let sums = try tx.sum(Figure.where { $0.number != 3 }, of: \.number, by: \.group)
        try expectEqual(sums.map(\.value), [7, 2, 0, 4, 5])
        try expectEqual(try tx.max(Figure.all, of: \.number, by: \.group).map(\.value), [6, 2, 3, 4, 5])
        try expectEqual(try tx.min(Figure.all, of: \.number, by: \.group).map(\.value), [1, 2, 0, 4, 5])
        try expectEqual(try tx.average(Figure.all, of: \.number, by: \.group).map(\.value), [3.5, 2, 1.5, 4, 5])
      }
    },
    ConformanceCase("AGG.group-of-nil", ["AGG-1", "AGG-4"], "A group whose values are all nil has no sum.") { kit in
      let store = try store(kit, [Figure(1, group: "a"), Figure(2, group: "b", number: 1), Figure(3, group: "a")])
      let sums = try store.read { try $0.sum(Figure.all, of: \.number, by: \.group) }
      try expectEqual(sums.map(\.value), [nil, 1])
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
    ConformanceCase("AGG.two-groups", ["AGG-4"], "Groups of two properties are in the order of both.") { kit in
      let store = try store(kit, (0..<12).map { Figure($0, group: $0 % 2 == 0 ? nil : "a", number: $0 % 3 - 1) })
      let rows = try store.read {
        try $0.records.aggregate(
          QueryTree(model: "Figure"), groupedBy: ["group", "number"], [(.count, nil), (.sum, "number")])
      }
      try expectEqual(
        rows.map(\.groups),
        [.null, .string("a")].flatMap { group in [-1, 0, 1].map { [group, .int($0)] } } as [[Value]])
      try expectEqual(rows.map { $0.values[0] }, Array(repeating: .int(2), count: 6))
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
