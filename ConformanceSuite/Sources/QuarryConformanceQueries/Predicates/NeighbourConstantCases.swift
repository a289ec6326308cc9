import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Constants between two neighbouring numbers of a type, where both neighbours are stored.
enum NeighbourConstantCases {
  static let all: [ConformanceCase] =
    [PropertyType.float, .double, .decimal, .int8, .int64, .uint16].map { between($0) } + counts

  /// The constants, and what is stored around them.
  private static func samples(_ type: PropertyType) -> (constants: [Value], values: [Value]) {
    switch type {
    case .float:
      // Their nearest Floats are above, below, below and above.
      let doubles = [0.1, 0.7, -0.1, -0.7, 0x1p24 + 1]
      let floats = doubles.flatMap { [Float($0).nextDown, Float($0), Float($0).nextUp] }
      return (
        doubles.map { .double($0) } + [.int(1 << 24 + 1), .int(-(1 << 24) - 1), .int(.max)],
        floats.map { .float($0) } + [-0x1p24 - 2, -0x1p24, 0x1p63, Float(0x1p63).nextDown].map { .float($0) }
      )
    case .double:
      let integers: [Int64] = [1 << 53 + 1, 1 << 53 + 3, -(1 << 53) - 1, .max]
      let doubles = integers.flatMap { [Double($0).nextDown, Double($0), Double($0).nextUp] }
      return (integers.map { .int($0) } + [.uint(.max)], doubles.map { .double($0) } + [.double(0x1p64)])
    case .decimal:
      let doubles = [0.1, 0.7, -0.1]
      // The decimals of 38 digits beside the exact values of the doubles.
      let texts = [
        "0.1", "0.10000000000000000555111512312578270211", "0.10000000000000000555111512312578270212", "0.7",
        "0.6999999999999999555910790149937383830", "0.69999999999999995559107901499373838305",
        "-0.10000000000000000555111512312578270211", "-0.10000000000000000555111512312578270212", "-0.1",
      ]
      return (doubles.map { .double($0) }, texts.map { .decimal(Samples.decimal($0)) })
    default:
      let isSigned = type != .uint16
      let decimals = ["-2.5", "-0.5", "-1e-20", "1e-20", "0.5", "2.5", "-128.5", "127.5", "-127.5"]
      return (
        decimals.map { .decimal(Samples.decimal($0)) } + [.double(-2.5), .double(-1e-20), .float(-0.5), .double(2.5)],
        ((isSigned ? [-128, -127, -3, -2, -1] : []) + [0, 1, 2, 3, 127]).map { .int($0) }
      )
    }
  }

  private static func between(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "PRED.\(type.name).neighbours", ["PRED-6", "PRED-4", "PRED-5", "PRED-20"],
      "A constant between two numbers that a \(type.name) can be is above the one and below the other.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      let (constants, values) = samples(type)
      try ColumnTable.look(kit, type, values) { view in
        for column in ["plain", "indexed", "falling"] {
          for constant in constants {
            for comparison in Comparison.allCases {
              let test = PredicateTree.compare(.named(column), comparison, .value(constant))
              try view.expectRows(test)
              guard column == "plain" else { continue }
              try view.expectRows(.not(test))
              try view.expectRows(.compare(.value(constant), comparison, .named(column)))
            }
            try view.expectRows(.oneOf(.named(column), [constant, values[0]]))
            try view.expectRows(.between(.named(column), .value(constant), .value(values[values.count - 1])))
          }
        }
      }
    }
  }

  // MARK: Counts

  private static let counts: [ConformanceCase] = [PropertyType.string, .data, .array].map { type in
    ConformanceCase(
      "PRED.count-beside-nil.\(type.name)", ["PRED-1", "PRED-3", "PRED-14", "NEST-3"],
      "The count of a \(type.name) that is nil is nil, and that of an empty one is 0.",
      needs: [.queryNested], without: ConformanceVariant.ofWrites
    ) { kit in
      let values: [Value] =
        switch type {
        case .string: ["", "a", "ab"].map { .string($0) }
        case .data: [Data(), Data([1]), Data([1, 2])].map { .data($0) }
        default: [[], [.int(1)], [.int(1), .int(2)]].map { .array($0) }
        }
      let model = ModelSchema(
        name: ColumnTable.name,
        properties: [
          PropertySchema(name: "id", type: .int64),
          PropertySchema(
            name: "maybe", type: type, isOptional: true, elementType: type == .array ? .int64 : nil),
          PropertySchema(name: "sure", type: type, elementType: type == .array ? .int64 : nil),
        ], primaryKey: 0)
      let rows = ([.null] + values).enumerated().map { place, value in
        Record(["id": .int(Int64(place)), "maybe": value, "sure": value.isNull ? values[0] : value])
      }
      let store = try kit.store(making: [model])
      try store.write { try $0.records.insert(into: model.name, rows) }
      try store.read { tx in
        let view = ColumnTable.View(name: type.name, transaction: tx, columns: [], rows: rows)
        for column in ["maybe", "sure"] {
          for constant: Value in [.null, .int(0), .int(1), .double(0.5), .int(-1)] {
            for comparison in Comparison.allCases {
              let test = PredicateTree.compare(.count(PropertyPath(column)), comparison, .value(constant))
              try view.expectRows(test)
              try view.expectRows(.not(test))
              try view.expectRows(.compare(.value(constant), comparison, .count(PropertyPath(column))))
            }
          }
          try view.expectRows(.oneOf(.count(PropertyPath(column)), [.null, .int(1)]))
          try view.expectRows(.not(.oneOf(.count(PropertyPath(column)), [.null])))
        }
      }
    }
  }
}
