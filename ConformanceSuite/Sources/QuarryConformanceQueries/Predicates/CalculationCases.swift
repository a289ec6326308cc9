import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Arithmetic in predicates, of two columns of every pair of types and of a column and a constant.
enum CalculationCases {
  static let all: [ConformanceCase] =
    types.flatMap { left in types.map { pair(left, $0) } } + fixed

  /// One type of each kind, and those whose results are widest.
  private static let types: [PropertyType] = [.int8, .int64, .uint64, .float, .double, .decimal]

  /// Few values, so that their products are few; decimals whose results a Decimal holds exactly.
  private static func values(_ type: PropertyType) -> [Value] {
    switch type {
    case .int8: return [.null, .int(-128), .int(-1), .int(0), .int(2), .int(127)]
    case .int64: return [.null, .int(.min), .int(-7), .int(0), .int(3), .int(1 << 53 + 1), .int(.max)]
    case .uint64: return [.null, .int(0), .int(1), .int(7), .uint(1 << 63), .uint(.max)]
    case .float:
      return [.null]
        + ([-.infinity, -0.1, -0.0, 0.1, 0x1p24, .greatestFiniteMagnitude, .nan] as [Float]).map { .float($0) }
    case .double: return [.null] + ([-1e300, -0.0, 0.1, 2.5, 0x1p53, .infinity, .nan] as [Double]).map { .double($0) }
    default:
      return [.null] + ["-2.5", "0", "0.1", "3", "9007199254740993.5"].map { .decimal(Samples.decimal($0)) }
    }
  }

  private static let constants: [Value] = [
    .int(-1), .int(0), .int(2), .int(.max), .double(0.2), .double(.nan), .double(1e300),
    .decimal(Samples.decimal("0.2")),
    .decimal(Samples.decimal("2.5")), .float(0.1), .null,
  ]

  private static func operators(_ left: PropertyType, _ right: PropertyType) -> [ArithmeticOperator] {
    let isWhole = left.isInteger && right.isInteger
    let isDecimal = [left, right].contains(.decimal) && ![left, right].contains { $0 == .float || $0 == .double }
    return [.add, .subtract, .multiply] + (isDecimal ? [] : [.divide]) + (isWhole ? [.remainder] : [])
  }

  private static func pair(_ left: PropertyType, _ right: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "PRED.calculated.\(left.name)-\(right.name)", ["PRED-6", "PRED-7", "PRED-13", "PRED-1", "PRED-2", "PRED-3"],
      "Arithmetic of a \(left.name) and a \(right.name) is compared by its exact result.", within: .seconds(60)
    ) { kit in
      let (columns, others) = (values(left), values(right))
      let rows = columns.flatMap { a in others.map { (a, $0) } }.enumerated().map {
        Record(["id": .int(Int64($0.offset)), "a": $0.element.0, "b": $0.element.1])
      }
      try inspect(kit, [("a", left), ("b", right)], rows) { expectRows in
        for (place, operation) in operators(left, right).enumerated() {
          let result = Operand.arithmetic(.named("a"), operation, .named("b"))
          for comparison in Comparison.allCases {
            try expectRows(.compare(result, comparison, .value(constants[(place + 2) % constants.count])))
            try expectRows(.not(.compare(result, comparison, .named("a"))))
          }
          for constant in constants {
            try expectRows(.compare(result, .less, .value(constant)))
            try expectRows(.compare(.value(constant), .equal, result))
          }
        }
        for operation in operators(left, left) {
          for constant in constants.prefix(3) {
            let result = Operand.arithmetic(.named("a"), operation, .value(constant))
            try expectRows(.compare(result, .greater, .named("b")))
            try expectRows(.compare(.arithmetic(.value(constant), operation, .named("a")), .lessOrEqual, .named("b")))
            try expectRows(.oneOf(result, [.int(4), .null, .double(0.2)]))
          }
        }
      }
    }
  }

  private static func inspect(
    _ kit: ConformanceContext, _ columns: [(name: String, type: PropertyType)], _ rows: [Record],
    _ body: ((PredicateTree) throws -> Void) throws -> Void
  ) throws {
    let model = ModelSchema(
      name: "Calculated",
      properties: [PropertySchema(name: "id", type: .int64)]
        + columns.map { PropertySchema(name: $0.name, type: $0.type, isOptional: true) },
      primaryKey: 0,
      indexes: columns.indices.map { IndexSchema(name: "i\($0)", columns: [.init(slot: $0 + 1)]) })
    let store = try kit.store(making: [model])
    func check(_ tx: ReadTransaction, _ predicate: PredicateTree, _ turns: Turns) throws {
      guard turns.next() else { return }
      let query = QueryTree(model: model.name, predicate: predicate)
      let expected = Reference.rows(query, from: rows).map { $0["id"] ?? .null }
      try expectEqual(try tx.records.fetch(query, columns: ["id"]).map { $0["id"] ?? .null }, expected, "\(predicate)")
      try expectEqual(try tx.records.count(query), expected.count, "\(predicate)")
    }
    try store.write { tx in
      try tx.records.insert(into: model.name, rows)
      let turns = Turns(kit, step: 6)
      try body { try check(tx, $0, turns) }
    }
    let turns = Turns(kit, step: 6, offset: 3)
    try store.read { tx in try body { try check(tx, $0, turns) } }
  }

  private static let fixed: [ConformanceCase] = [
    ConformanceCase(
      "PRED.calculated.refused", ["PRED-8", "PRED-13"], "What is no number is not calculated with."
    ) { kit in
      let store = try kit.store(Everything.self)
      for text in [
        "string + 1 == 2", "date - 1 > 0", "bool * 2 == 2", "1 + 'a' == 2", "uuid + 1 == 1", "decimal / 2 == 1",
        "double % 2 == 1", "place + 1 == 1", "place.floor + 1 == 1", "ints + 1 == 2", "url.@count == 3",
        "id + 1 == 'x'",
        "id + 1 CONTAINS 'x'",
      ] {
        try expectError(.invalidQuery, text) { try store.count(Everything.where(text)) }
      }
      let deep = PredicateTree.compare(
        (0..<300).reduce(Operand.named("id")) { sum, _ in .arithmetic(sum, .add, .named("id")) }, .equal,
        .value(.int(1)))
      try expectError(.limitExceeded) {
        try store.count(try Query<Everything>(tree: QueryTree(model: "Everything", predicate: deep)))
      }
      try expectError(.limitExceeded) {
        try store.count(Everything.where("id" + String(repeating: " + id", count: 50_000) + " == 1"))
      }
    },
    ConformanceCase(
      "PRED.calculated.older-rows", ["PRED-13", "SCH-1"],
      "A calculation takes the default of a property that came later."
    ) { kit in
      let old = PropertySchema(name: "id", type: .int64)
      let store = try kit.store(making: [ModelSchema(name: "Grown", properties: [old], primaryKey: 0)])
      try store.write { try $0.records.insert(into: "Grown", [Record(["id": .int(1)]), Record(["id": .int(2)])]) }
      try store.write { tx in
        let id = try tx.model(named: "Grown").id
        for property in [
          PropertySchema(name: "extra", type: .int64, defaultValue: .int(5)),
          PropertySchema(name: "maybe", type: .double, isOptional: true),
          PropertySchema(name: "text", type: .string, defaultValue: .string("abc")),
        ] {
          try tx.apply(.addProperty(id, property))
        }
        try tx.records.insert(
          into: "Grown",
          [Record(["id": .int(3), "extra": .int(1), "maybe": .double(1), "text": .string("")])])
      }
      try store.read { tx in
        for (text, keys) in [
          ("id + extra == 7", [2]), ("extra * 2 == 10", [1, 2]), ("maybe * 2 == nil", [1, 2]), ("maybe + id > 3", [3]),
          ("text.@count == 3", [1, 2]), ("text.@count < id", [3]),
        ] as [(String, [Int64])] {
          try expectEqual(try tx.records.fetch(in: "Grown", where: text).map { $0["id"] }, keys.map { .int($0) }, text)
        }
      }
    },
  ]
}
