import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Results that have to be rounded: to the nearest, once, and halves as the contract says.
enum RoundingCases {
  static let all: [ConformanceCase] = decimals + averages

  static let name = "Rounded"

  /// A store with a row for each value, in a column without an index and in one with an index in either direction.
  static func store(_ kit: ConformanceContext, _ type: PropertyType, _ values: [Value]) throws -> Store {
    let model = ModelSchema(
      name: name,
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "plain", type: type, isOptional: true),
        PropertySchema(name: "indexed", type: type, isOptional: true),
        PropertySchema(name: "falling", type: type, isOptional: true), PropertySchema(name: "group", type: .bool),
      ], primaryKey: 0,
      indexes: [
        IndexSchema(name: "indexed", columns: [.init(slot: 2)]),
        IndexSchema(name: "falling", columns: [.init(slot: 3, isDescending: true)]),
      ])
    let store = try kit.open([], at: kit.makePlace())
    try store.write { tx in
      try tx.apply(.createModel(model))
      try tx.records.insert(
        into: name,
        values.enumerated().map { place, value in
          Record([
            "id": .int(Int64(place)), "plain": value, "indexed": value, "falling": value, "group": .bool(true),
          ])
        })
    }
    return store
  }

  // MARK: Decimals

  private struct Halves {
    let left: String
    let right: String
    let result: String
  }

  /// 2^128 - 1 is the greatest mantissa. Each result has a digit more than there is room for.
  private static let products: [Halves] = [
    // Exactly a half, and what is a little less and more.
    .init(
      left: "340282366920938463463374607431768211455", right: "0.5", result: "170141183460469231731687303715884105728"),
    .init(
      left: "340282366920938463463374607431768211451", right: "0.5", result: "170141183460469231731687303715884105726"),
    .init(
      left: "340282366920938463463374607431768211454", right: "0.7", result: "238197656844656924424362225202237748018"),
    .init(
      left: "340282366920938463463374607431768211453", right: "0.7", result: "238197656844656924424362225202237748017"),
    .init(
      left: "340282366920938463463374607431768211452", right: "0.7", result: "238197656844656924424362225202237748016"),
    // Two digits too many: only the last of those that go decides, after what is before it.
    .init(
      left: "340282366920938463463374607431768211455", right: "0.25", result: "85070591730234615865843651857942052864"),
    .init(left: "333333333333333333333333333333333333333", right: "0.3", result: "1e38"),
    // A carry through nines.
    .init(left: "199999999999999999999999999999999999999", right: "0.5", result: "1e38"),
    .init(
      left: "339999999999999999999999999999999999999", right: "0.9", result: "305999999999999999999999999999999999999"),
    .init(
      left: "299999999999999999999999999999999999999", right: "0.85", result: "254999999999999999999999999999999999999"),
    // Below the least exponent.
    .init(left: "1e-128", right: "0.5", result: "1e-128"), .init(left: "1e-128", right: "0.4", result: "0"),
    .init(left: "15e-128", right: "0.1", result: "2e-128"), .init(left: "14e-128", right: "0.1", result: "1e-128"),
    .init(left: "95e-128", right: "0.1", result: "10e-128"),
  ]

  private static let sums: [Halves] = [
    .init(
      left: "340282366920938463463374607431768211455", right: "0.5", result: "340282366920938463463374607431768211460"),
    .init(
      left: "340282366920938463463374607431768211450", right: "4.5", result: "340282366920938463463374607431768211455"),
    .init(
      left: "200000000000000000000000000000000000001", right: "0.5", result: "200000000000000000000000000000000000002"),
    .init(
      left: "200000000000000000000000000000000000001", right: "0.4", result: "200000000000000000000000000000000000001"),
    .init(
      left: "299999999999999999999999999999999999999", right: "0.5", result: "300000000000000000000000000000000000000"),
    .init(
      left: "340282366920938463463374607431768211455", right: "1", result: "340282366920938463463374607431768211460"),
    .init(
      left: "10000000000000000000000000000000000000", right: "0.05", result: "10000000000000000000000000000000000000.1"),
    .init(
      left: "10000000000000000000000000000000000000", right: "0.0499", result: "10000000000000000000000000000000000000"),
  ]

  private static func calculated(
    _ id: String, _ operation: AssignmentOperation, _ table: [Halves], _ isTurned: Bool
  ) -> ConformanceCase {
    ConformanceCase(
      "STMT.decimal-halves.\(id)", ["STMT-6"], "A decimal result is rounded once, halves away from zero (\(id)).",
      needs: [.updateWhere], without: ConformanceVariant.ofReads
    ) { kit in
      for isNegative in [false, true] {
        for halves in table {
          let sign = isNegative ? "-" : ""
          let left = Samples.decimal(sign + halves.left)
          let right = Samples.decimal(
            operation == .multiply ? halves.right : (isNegative != isTurned ? "-" : "") + halves.right)
          let expected = Value.decimal(Samples.decimal(sign + halves.result))
          let store = try store(kit, .decimal, [.decimal(left)])
          try store.write { tx in
            _ = try tx.records.assign(
              QueryTree(model: name),
              ["plain", "indexed"].map { .init($0, isTurned ? .subtract : operation, .decimal(right)) })
          }
          let row = try unwrap(try store.read { try $0.records.fetch(QueryTree(model: name)) }.first)
          for column in ["plain", "indexed"] {
            try expectEqual(row[column], expected, "\(sign)\(halves.left) and \(halves.right)")
          }
          let isEqual = PredicateTree.compare(.named("indexed"), .equal, .value(expected))
          try expectEqual(try store.read { try $0.records.count(QueryTree(model: name, predicate: isEqual)) }, 1)
        }
      }
    }
  }

  private static let decimals: [ConformanceCase] = [
    calculated("multiply", .multiply, products, false), calculated("add", .add, sums, false),
    calculated("subtract", .add, sums, true),
  ]

  // MARK: Averages

  /// Throws unless the average is the nearest Double to the exact one, of two as near the one whose last bit is 0.
  private static func expectAverage(_ values: [Value], _ store: Store, _ line: Int = #line) throws {
    let numbers = values.compactMap { Reference.number($0) }
    let total = numbers.reduce(ReferenceNumber(0), +)
    for column in ["plain", "indexed"] {
      let rows = try store.read { try $0.records.aggregate(QueryTree(model: name), [(.average, column)]) }
      guard case .double(let average) = rows.first?.values.first else {
        return try expect(false, "\(values): got \(rows)", line: line)
      }
      let (below, above) = (average.nextDown, average.nextUp)
      // Twice the average lies between the sums of its neighbours and itself.
      func times(_ number: Double, _ other: Double) -> ReferenceNumber {
        (0..<numbers.count).reduce(ReferenceNumber(0)) { sum, _ in
          sum + ReferenceNumber(number) + ReferenceNumber(other)
        }
      }
      let isEven = average.significandBitPattern & 1 == 0
      let low = ReferenceNumber.compare(times(below, average), total + total)
      let high = ReferenceNumber.compare(total + total, times(average, above))
      try expect(
        (low < 0 || low == 0 && isEven) && (high < 0 || high == 0 && isEven),
        "\(column): the average of \(values) is not \(average)", line: line)
    }
  }

  private static func averaged(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "AGG.\(type.name).average-rounded", ["AGG-7", "AGG-3"],
      "The average of \(type.name) values is the exact one, rounded once to the nearest Double.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      var random = kit.random(41)
      var lists: [[Value]] = []
      if let range = type.integerRange {
        let (least, greatest) = (range.lowerBound, range.upperBound)
        let edge: Int128 = 1 << 53
        let integers: [[Int128]] = [
          [greatest, greatest - 1], [greatest, greatest, greatest - 1], [least, least + 1, least],
          [least, greatest, 1],
          [edge + 1], [edge + 1, edge + 1], [edge, edge + 1], [edge + 1, edge + 2], [edge + 2, edge + 3],
          [edge, edge, edge + 1],
          [edge - 1, edge, edge], [-edge - 1, -edge, -edge - 1], [edge + 1, 0, 0], [greatest, 1, 1], [greatest, 0],
          [edge * 2 + 1, edge * 2 + 2], [edge * 4 + 2, edge * 4 + 3, 1], [greatest - 1024, greatest - 512],
        ]
        lists = integers.filter { $0.allSatisfy(range.contains) }.map { $0.map { Value(integer: $0) } }
        for _ in 0..<8 {
          let count = Int.random(in: 2...7, using: &random)
          lists.append((0..<count).map { _ in Value(integer: Int128.random(in: range, using: &random)) })
        }
      } else {
        let edge = type == .float ? 0x1p24 : 0x1p53
        let doubles: [[Double]] = [
          [edge, edge, edge + 2], [edge, edge - 1, 1], [1, 0x1p-53, 0x1p-60], [0.1, 0.2, 0.3], [0.1, 0.1, 0.1],
          [0x1p100, 1, 1], [-0x1p100, 1, 1], [3, 4], [1e30, 1, -1e30], [0x1p-1074, 0x1p-1074, 0],
          [0x1.fap-1064, 0x1.7b8p-1062],
        ]
        lists = doubles.map { $0.map { type == .float ? .float(Float($0)) : .double($0) } }
        for _ in 0..<8 {
          let count = Int.random(in: 2...7, using: &random)
          let range = type == .float ? -120...120 : -900...900
          let numbers = (0..<count).map { _ in
            Double(
              sign: Bool.random(using: &random) ? .plus : .minus, exponent: .random(in: range, using: &random),
              significand: .random(in: 1..<2, using: &random))
          }
          lists.append(numbers.map { type == .float ? .float(Float($0)) : .double($0) })
        }
      }
      for list in lists { try expectAverage(list, try store(kit, type, list)) }
    }
  }

  private static let averages: [ConformanceCase] =
    Samples.numericTypes.filter { $0 != .decimal }.map { averaged($0) }
}
