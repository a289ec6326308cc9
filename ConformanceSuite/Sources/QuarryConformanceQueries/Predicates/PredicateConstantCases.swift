import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Each numeric type, compared by each comparison with each kind of constant: a failure names all three.
enum PredicateConstantCases {
  static let all: [ConformanceCase] =
    Samples.numericTypes.flatMap { type in
      Comparison.allCases.flatMap { comparison in Kind.allCases.map { compared(type, comparison, $0) } }
    } + Samples.orderedTypes.flatMap { type in Comparison.allCases.map { withNil(type, $0) } }

  /// What a number is compared with.
  enum Kind: String, CaseIterable {
    case integer, float, double, decimal, beyond, special
  }

  static func constants(_ kind: Kind, _ type: PropertyType) -> [Value] {
    switch kind {
    case .integer:
      [.int(-1), .int(0), .int(2), .int(.min), .int(.max), .uint(.max)] + edges(type)
    case .float: ([0.1, 2, -2.5, 0x1p24, 0x1p63] as [Float]).map { .float($0) }
    case .double: ([0.5, -2.5, 2, 0.1, 0x1p53, 0x1p63] as [Double]).map { .double($0) }
    case .decimal:
      ["2.5", "0.1", "-1", "9007199254740993", "9223372036854775807.5"].map { .decimal(Samples.decimal($0)) }
    case .beyond: beyond(type)
    case .special:
      ([.nan, -.infinity, .infinity, -0.0] as [Double]).map { .double($0) } + [.float(.nan), .float(-.infinity)]
    }
  }

  private static func edges(_ type: PropertyType) -> [Value] {
    type.integerRange == nil ? [] : [Samples.least(type), Samples.greatest(type)]
  }

  /// Constants that the type itself cannot hold.
  private static func beyond(_ type: PropertyType) -> [Value] {
    let wide: [Value] = [
      .double(1e300), .double(-1e300), .decimal(.greatestFiniteMagnitude), .decimal(-.greatestFiniteMagnitude),
    ]
    guard let range = type.integerRange else { return wide + [.double(.greatestFiniteMagnitude)] }
    let texts = ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "\(range.upperBound).5"]
    return wide + texts.map { .decimal(Samples.decimal($0)) }
  }

  private static func compared(_ type: PropertyType, _ comparison: Comparison, _ kind: Kind) -> ConformanceCase {
    ConformanceCase(
      "PRED.\(type.name).\(comparison.rawValue).\(kind.rawValue)", ["PRED-2", "PRED-3", "PRED-6", "PRED-7"],
      "A \(type.name) and a constant (\(kind.rawValue)) are compared by \(comparison.rawValue), exactly.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      let constants = constants(kind, type)
      try ColumnTable.look(kit, type) { view in
        for column in ["plain", "indexed", "falling"] {
          for constant in constants {
            try view.expectRows(.compare(.named(column), comparison, .value(constant)))
          }
        }
      }
    }
  }

  private static func withNil(_ type: PropertyType, _ comparison: Comparison) -> ConformanceCase {
    ConformanceCase(
      "PRED.\(type.name).\(comparison.rawValue).nil", ["PRED-1", "PRED-2", "PRED-3", "PRED-4"],
      "A \(type.name) and nil are compared by \(comparison.rawValue), from both sides and turned round.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      try ColumnTable.look(kit, type) { view in
        for column in view.columns {
          for test: PredicateTree in [
            .compare(.named(column), comparison, .value(.null)), .compare(.value(.null), comparison, .named(column)),
            .compare(.named(column), comparison, .named("plain")),
          ] {
            try view.expectRows(test)
            try view.expectRows(.not(test))
          }
        }
      }
    }
  }
}
