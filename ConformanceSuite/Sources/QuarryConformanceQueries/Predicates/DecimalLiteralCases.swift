import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Decimals as text, up to what a decimal can be.
enum DecimalLiteralCases {
  static let all: [ConformanceCase] = [
    ConformanceCase(
      "PRED.decimal-beside-double", ["PRED-6", "PRED-7"],
      "A Double that is no decimal is compared exactly with the decimals next to it, where no finer one can be stored."
    ) { kit in
      let store = try kit.store(making: [
        ModelSchema(
          name: "Priced",
          properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "price", type: .decimal)],
          primaryKey: 0)
      ])
      // With 39 digits, and with an exponent that cannot be greater: the digits of the Double before its 128th, which end in
      // 9 and 0, where the next decimal or the one before has a shorter text, and in others.
      for (double, digits) in coarse {
        let prices = (-3...3).compactMap { step -> (Decimal, Bool)? in
          let sum = digits + Int128(step)
          // Without the zero at its end its exponent would be 128.
          return sum % 10 == 0 ? nil : (Samples.decimal("\(sum)e127"), step <= 0)
        }
        for isNegative in [false, true] {
          try store.write { tx in
            try tx.records.delete(QueryTree(model: "Priced"))
            let records = prices.enumerated().map { place, price in
              Record(["id": .int(Int64(place)), "price": .decimal(isNegative ? -price.0 : price.0)])
            }
            try tx.records.insert(into: "Priced", records)
          }
          let inner = prices.indices.filter { prices[$0].1 }.map { Int128($0) }
          let outer = prices.indices.filter { !prices[$0].1 }.map { Int128($0) }
          for (comparison, keys) in [
            (Comparison.less, isNegative ? outer : inner), (.lessOrEqual, isNegative ? outer : inner),
            (.greater, isNegative ? inner : outer), (.greaterOrEqual, isNegative ? inner : outer),
            (.equal, []), (.notEqual, (inner + outer).sorted()),
          ] {
            let query = QueryTree(
              model: "Priced",
              predicate: .compare(.named("price"), comparison, .value(.double(isNegative ? -double : double))))
            let found = try store.read { try $0.records.fetch(query) }
            try expectEqual(found.map { $0["id"]?.integer }, keys, "\(comparison.rawValue) \(double)")
          }
        }
      }
    }
  ]

  /// Doubles above 2^128 times 10^126, with their digits before the 128th, which are cut off and not rounded.
  private static let coarse: [(double: Double, digits: Int128)] = [
    (9.94054970878681e164, 99_405_497_087_868_098_656_429_097_960_913_789_480),
    (1.4932036158560628e165, 149_320_361_585_606_283_618_071_089_458_610_100_535),
    (1.43464223328363e165, 143_464_223_328_363_007_153_808_602_904_075_118_920),
    (1.5616894868877456e165, 156_168_948_688_774_560_422_472_833_545_825_836_628),
    (1.0516195779914294e165, 105_161_957_799_142_940_284_480_000_047_409_124_559),
    (9.203285513024075e164, 92_032_855_130_240_753_782_379_259_223_124_909_279),
  ]
}
