import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Which zero and which NaN results of aggregates are, whichever there are among the values.
enum ResultFormCases {
  private static let name = RoundingCases.name

  /// Zeros and NaNs of the floating-point types, as bits.
  private static func samples(_ type: PropertyType) -> (zeros: [Value], nans: [Value], zero: Value) {
    let doubles = [-0.0, 0.0]
    let nans = [Double(bitPattern: 0x7FF8_0000_0000_0001), Double(bitPattern: 0xFFF8_0000_0000_0000)]
    switch type {
    case .float:
      return (
        [.float(-0.0), .float(0)], [.float(Float(bitPattern: 0x7FC0_0001)), .float(Float(bitPattern: 0xFFC0_0000))],
        .float(0)
      )
    case .date:
      func date(_ seconds: Double) -> Value { .date(Date(timeIntervalSinceReferenceDate: seconds)) }
      return (doubles.map(date), nans.map(date), date(0))
    default: return (doubles.map { .double($0) }, nans.map { .double($0) }, .double(0))
    }
  }

  static let all: [ConformanceCase] = [PropertyType.float, .double, .date].flatMap { type in
    [
      ConformanceCase(
        "AGG.\(type.name).zero-form", ["AGG-6", "AGG-4", "SORT-3"],
        "A zero among \(type.name) results of aggregates is 0.0, whichever zeros there are.",
        without: ConformanceVariant.ofReads
      ) { kit in
        let (zeros, _, zero) = samples(type)
        for values in [[zeros[0]], zeros, [zeros[1], zeros[0]], [.null, zeros[0], zeros[0]]] {
          let store = try RoundingCases.store(kit, type, values)
          try expectForms(store, zero)
          // The same inside the write that stores them.
          try store.write { tx in
            try tx.records.insert(
              into: name,
              [
                Record([
                  "id": .int(99), "plain": zeros[0], "indexed": zeros[0], "falling": zeros[0], "group": .bool(true),
                ])
              ])
            try expectForms(tx, zero)
          }
          try expectForms(store, zero)
        }
        let store = try RoundingCases.store(kit, type, zeros)
        guard type != .date else { return }
        for function in [AggregateFunction.sum, .average] {
          let rows = try store.read { try $0.records.aggregate(QueryTree(model: name), [(function, "plain")]) }
          let expected = function == .average ? .double(0) : zero
          try expectEqual(rows.map { $0.values[0] }, [expected], function.rawValue)
        }
      },
      ConformanceCase(
        "AGG.\(type.name).nan-form", ["AGG-6", "AGG-4", "SORT-3"],
        "NaNs among \(type.name) results of aggregates are one NaN, whichever there are.",
        without: ConformanceVariant.ofReads
      ) { kit in
        let (_, nans, _) = samples(type)
        let common = try unwrap(
          try RoundingCases.store(kit, type, nans).read {
            try $0.records.aggregate(QueryTree(model: name), [(.max, "plain")])
          }.first?
          .values.first)
        try expect(Reference.rank(common, nans[0]) == 0 && !common.isNull, "got \(common)")
        for values in [[nans[0]], [nans[1]], nans, [.null] + nans.reversed()] {
          try expectForms(try RoundingCases.store(kit, type, values), common)
        }
      },
    ]
  }

  /// Throws unless every least, greatest and distinct value is this one, bit by bit.
  private static func expectForms(_ store: Store, _ value: Value, line: Int = #line) throws {
    try store.read { try expectForms($0, value, line: line) }
  }

  private static func expectForms(_ tx: ReadTransaction, _ value: Value, line: Int = #line) throws {
    for column in ["plain", "indexed", "falling"] {
      for predicate: PredicateTree in [
        .constant(true), .compare(.named("group"), .equal, .value(.bool(true))),
        .compare(.named(column), .notEqual, .value(.null)),
      ] {
        let query = QueryTree(model: name, predicate: predicate)
        for columns: [(function: AggregateFunction, property: String?)] in [
          [(.min, column), (.max, column)], [(.min, column)], [(.max, column)],
        ] {
          for groups in [[], ["group"]] {
            let rows = try tx.records.aggregate(query, groupedBy: groups, columns)
            try expectEqual(
              rows.map(\.values), [Array(repeating: value, count: columns.count)], "\(column) \(predicate)", line: line)
          }
        }
        let groups = try tx.records.aggregate(query, groupedBy: [column], [(.count, nil), (.min, column)])
        try expectEqual(groups.map { $0.groups[0] }.filter { !$0.isNull }, [value], "\(column)", line: line)
        try expectEqual(groups.map { $0.values[1] }.filter { !$0.isNull }, [value], "\(column)", line: line)
      }
    }
  }
}
