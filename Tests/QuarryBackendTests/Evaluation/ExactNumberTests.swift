import Foundation
import QuarryTestSupport
import Testing

@testable import QuarryBackend

@Suite struct ExactNumberTests {
  static func decimal(_ text: String) -> Value {
    .decimal(Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))!)
  }

  static let numbers: [Value] =
    [
      .int(0), .int(1), .int(-1), .int(9_007_199_254_740_993), .int(.max), .int(.min), .uint(.max),
      .double(0x1p53), .double(0x1p63), .double(-0x1p63), .double(0x1p64), .double(0.1), .double(-0.1), .double(-0.0),
      .double(.leastNonzeroMagnitude), .double(-.greatestFiniteMagnitude), .double(.greatestFiniteMagnitude),
      .double(.infinity), .double(-.infinity), .double(.nan), .double(1e22), .double(1e23), .double(0.5),
      .float(0.1), .float(0.5), .float(-.infinity), .float(.leastNonzeroMagnitude),
    ]
    + [
      "0", "0.1", "-0.1", "0.5", "1", "-1", "9007199254740993", "18446744073709551615", "1e22", "1e23", "1e-100",
      "1e100", "0.1000000000000000055511151231257827", "9223372036854775807.5", "-9223372036854775808.5",
      "340282366920938463463374607431768211455", "340282366920938463463374607431768211455e100", "1e-128", "1e127",
    ].map(decimal)

  @Test(arguments: numbers.indices) func everyPairAsDigitsTell(_ index: Int) throws {
    let a = Self.numbers[index]
    for b in Self.numbers {
      let result = ExactNumber.compare(try #require(ExactNumber(a)), try #require(ExactNumber(b)))
      #expect(result == Reference.numbers(a, b), "\(a) \(b)")
    }
  }

  private static let digits: [UInt64] = [
    0, 1, 9_007_199_254_740_990, 9_007_199_254_740_991, 9_007_199_254_740_992, 9_007_199_254_740_993, .max,
  ]

  /// The way by a Double and the way by digits meet at 2^53.
  @Test(arguments: digits)
  func decimalsAreTakenApartExactly(_ digits: UInt64) throws {
    for exponent in [-128, -3, 0, 2, 100] {
      for sign in [FloatingPointSign.plus, .minus] {
        let decimal = Decimal(sign: sign, exponent: exponent, significand: Decimal(digits))
        let parts = DecimalParts(isNegative: sign == .minus, exponent: exponent, mantissa: UInt128(digits))
        #expect(try DecimalParts(decimal) == parts, "\(decimal)")
      }
    }
  }

  /// What is read from a decimal's memory is what Foundation tells.
  @Test(arguments: numbers.indices)
  func decimalsAreTakenApartAsFoundationTells(_ index: Int) throws {
    #expect(DecimalBits.areKnown)
    guard case .decimal(let decimal) = Self.numbers[index] else { return }
    #expect(try DecimalParts(decimal) == (try DecimalParts(slowly: decimal)), "\(decimal)")
  }

  @Test func distinctValuesAreInOrderAndTheFirstOfThoseThatTie() {
    let decimals = ["2", "1.0", "-3", "1", "1e100", "-3.0", "0"].map(Self.decimal)
    #expect(ValueOrder.distinct(decimals) == ["-3", "0", "1", "2", "1e100"].map(Self.decimal))
    #expect(ValueOrder.distinct([Self.decimal("1"), .int(1), .int(0)]) == [.int(0), Self.decimal("1")])
    #expect(ValueOrder.distinct([]) == [])
  }

  @Test func orderIsTransitive() {
    let sorted = Self.numbers.sorted { ValueOrder.compare($0, $1) < 0 }
    for (index, a) in sorted.enumerated() {
      for b in sorted[index...] { #expect(ValueOrder.compare(a, b) <= 0, "\(a) \(b)") }
    }
  }

  static let products: [(String, String, String?)] = [
    ("1e-128", "1e-10", "0"), ("6e-128", "0.1", "1e-128"), ("1e100", "1e100", nil),
    ("-340282366920938463463374607431768211455", "2", "-680564733841876926926749214863536422910"),
    ("340282366920938463463374607431768211455", "3", "1020847100762815390390123822295304634370"),
    ("1.5", "-2", "-3"), ("0", "1e127", "0"),
  ]

  @Test(arguments: products.indices) func productsAreRoundedNotTrapped(_ index: Int) throws {
    func parts(_ text: String) throws -> DecimalParts {
      try DecimalParts(Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))!)
    }
    let (a, b, expected) = Self.products[index]
    #expect(DecimalParts.product(try parts(a), try parts(b)) == (try expected.map(parts)))
  }

  @Test func sumsOfDecimalsAreRoundedAwayFromZero() throws {
    let great = DecimalParts(isNegative: false, exponent: 0, mantissa: .max)
    #expect(
      DecimalParts.sum(great, DecimalParts(isNegative: false, exponent: -1, mantissa: 5))
        == DecimalParts(isNegative: false, exponent: 1, mantissa: 34_028_236_692_093_846_346_337_460_743_176_821_146))
    #expect(DecimalParts.sum(great, great.negated) == DecimalParts(isNegative: false, exponent: 0, mantissa: 0))
    let huge = DecimalParts(isNegative: false, exponent: 127, mantissa: .max)
    #expect(DecimalParts.sum(huge, huge) == nil)
  }

  /// Where Foundation's arithmetic is exact, ours is the same.
  @Test func smallDecimalsAddAndMultiplyAsFoundationDoes() throws {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<1000 {
      let a = Decimal(Int.random(in: -1_000_000...1_000_000, using: &generator)) / 1000
      let b = Decimal(Int.random(in: -1_000_000...1_000_000, using: &generator)) / 10
      #expect(DecimalParts.sum(try DecimalParts(a), try DecimalParts(b))?.decimal == a + b)
      #expect(DecimalParts.product(try DecimalParts(a), try DecimalParts(b))?.decimal == a * b)
    }
  }
}
