import Foundation
import QuarryTestSupport
import Testing

@testable import QuarryBackend

@Suite struct ExactSumTests {
  static func sum(_ values: [Double]) -> Double {
    var sum = ExactSum()
    var wide = 0
    for value in values { sum.add(value, &wide) }
    return sum.rounded()
  }

  static func average(_ values: [Double]) -> Double {
    var sum = ExactSum()
    var wide = 0
    for value in values { sum.add(value, &wide) }
    return sum.average(count: values.count)
  }

  static let hard: [([Double], Double)] = [
    ([], 0), ([-0.0], 0), ([-0.0, -0.0], 0), ([0.1, -0.1], 0),
    ([1e100, 1, -1e100], 1), ([1, 1e100, 1, -1e100], 2), (Array(repeating: 0.1, count: 10), 1.0),
    ([1, 0x1p-53], 1), ([1, 0x1p-53, 0x1p-1074], 1 + 0x1p-52), ([1 + 0x1p-52, 0x1p-53], 1 + 0x1p-51),
    ([0x1p53, 1, 1], 0x1p53 + 2), ([0x1p53, 1], 0x1p53), ([0x1p53, 1, 0x1p-1074], 0x1p53 + 2),
    ([.greatestFiniteMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude], .greatestFiniteMagnitude),
    ([.greatestFiniteMagnitude, .greatestFiniteMagnitude], .infinity),
    ([-.greatestFiniteMagnitude, -.greatestFiniteMagnitude], -.infinity),
    ([.greatestFiniteMagnitude, 0x1p969], .greatestFiniteMagnitude), ([.greatestFiniteMagnitude, 0x1p970], .infinity),
    ([.greatestFiniteMagnitude, 0x1p970, -0x1p-1074], .greatestFiniteMagnitude),
    ([0x1p-1074, 0x1p-1074], 0x1p-1073), ([0x1p-1022, -0x1p-1074], 0x1p-1022 - 0x1p-1074),
    ([1e308, 0x1p-1074, -1e308], 0x1p-1074), ([1e308, -0x1p-1074, -1e308, 1e-300, -1e-300], -0x1p-1074),
    ([.infinity, 1], .infinity), ([-.infinity, 1e308, 1e308], -.infinity),
    ([1e16, 1, 1e-16, -1e16], 1), ([1e16, 1, 1e-16, 1e-16, -1e16, -1], 2e-16),
  ]

  @Test(arguments: hard.indices) func hardCases(_ index: Int) {
    let (values, expected) = Self.hard[index]
    let result = Self.sum(values)
    #expect(result.bitPattern == expected.bitPattern, "\(values): \(result), expected \(expected)")
  }

  @Test(arguments: [[Double.nan, 1], [.infinity, -.infinity], [1, .infinity, .nan], [-.infinity, 1e308, .infinity]])
  func notANumber(_ values: [Double]) {
    #expect(Self.sum(values).isNaN)
    #expect(Self.average(values).isNaN)
  }

  static func numbers(_ kind: Int, _ generator: inout SeededGenerator) -> [Double] {
    (0..<Int.random(in: 2...200, using: &generator)).map { _ in
      switch kind {
      case 0: Double.random(in: -1000...1000, using: &generator)
      case 1: Double(bitPattern: generator.next()).isFinite ? Double(bitPattern: generator.next() & ~(1 << 62)) : 1
      case 2: Double(Int.random(in: -10_000...10_000, using: &generator)) / 100
      default:
        Double(
          sign: Bool.random(using: &generator) ? .plus : .minus,
          exponent: Int.random(in: -1074...1023, using: &generator),
          significand: Double.random(in: 1..<2, using: &generator))
      }
    }.filter(\.isFinite)
  }

  @Test(arguments: 0..<4) func doesNotDependOnTheOrder(_ kind: Int) {
    var generator = SeededGenerator(seed: UInt64(kind))
    for _ in 0..<100 {
      let values = Self.numbers(kind, &generator)
      let first = Self.sum(values)
      let average = Self.average(values)
      for _ in 0..<5 {
        let shuffled = values.shuffled(using: &generator)
        #expect(Self.sum(shuffled).bitPattern == first.bitPattern)
        #expect(Self.average(shuffled).bitPattern == average.bitPattern)
      }
    }
  }

  /// Integers scaled by a power of two have sums that 128-bit arithmetic tells exactly.
  @Test func agreesWithIntegers() {
    var generator = SeededGenerator(seed: 7)
    for round in 0..<500 {
      let scale = Int.random(in: -1074...900, using: &generator)
      let integers = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
        Int128(Int64.random(in: -(1 << 53)...(1 << 53), using: &generator))
          << Int128(round % 2 == 0 ? 0 : generator.next() % 60)
      }
      let values = integers.map { Double(sign: .plus, exponent: scale, significand: Double($0)) }
      let total = integers.reduce(0, +)
      let expected = Double(sign: .plus, exponent: scale, significand: Double(total))
      // Double(Int128) rounds once; scaling must not round again.
      guard total != 0, expected.isNormal, scale > -900 || total.magnitude < 1 << 53 else { continue }
      #expect(Self.sum(values) == expected)
    }
  }

  @Test func averagesAreRoundedOnce() {
    #expect(Self.average([.greatestFiniteMagnitude, .greatestFiniteMagnitude]) == .greatestFiniteMagnitude)
    #expect(Self.average([0.1, 0.1, 0.1]) == 0.1)
    #expect(Self.average([0x1p-1074, 0x1p-1074]) == 0x1p-1074)
    #expect(Self.average([0x1p-1074, 0, 0]) == 0)
    #expect(Self.average([0x1p-1074, 0]) == 0)
    #expect(Self.average([0x1p-1074, 0x1p-1074, 0]) == 0x1p-1074)
    #expect(Self.average([0x1p53, 1, 1]) == Double(9_007_199_254_740_994) / 3)
    #expect(Self.average([0x1p53, 1]) == 0x1p52)
    // A quarter above 2^51 is a tie; a trace more is none, and would be lost in a sum that was rounded first.
    #expect(Self.average([0x1p53, 1, 0, 0]) == 0x1p51)
    #expect(Self.average([0x1p53, 1, 0x1p-1000, -0x1p-1001]) == 0x1p51 + 0.5)
    #expect(Self.average([-1, -1, -1]) == -1)
  }

  /// A quotient of integers: rounding q = n / d to nearest means that no other Double is nearer.
  @Test func averagesAreTheNearest() {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<300 {
      let count = Int.random(in: 1...1000, using: &generator)
      let total = Int128(Int64.random(in: .min ... .max, using: &generator)) * 1000
      let result = IntegerTotal.average(total, count)
      // Both sides times count, exact in 128 bits: |total - result * count| must be within half a step times count.
      let step = Int128(max(1, result.ulp))
      if result.ulp >= 1 {
        let difference = (total - Int128(result) * Int128(count)).magnitude
        #expect(2 * difference <= (step * Int128(count)).magnitude)
      } else {
        #expect(abs(Double(total) / Double(count) - result) <= result.ulp)
      }
    }
  }

  @Test func floatsAreRoundedOnceToFloat() {
    var sum = ExactSum()
    var wide = 0
    // 1 + 2^-24 is a tie for Float that rounds to 1; a trace more rounds up, and would be lost in a Double first.
    for value in [1, 0x1p-24, 0x1p-80] { sum.add(value, &wide) }
    #expect(sum.rounded(as: Float.self) == 1 + 0x1p-23)
    sum.add(-0x1p-80, &wide)
    #expect(sum.rounded(as: Float.self) == 1)
    sum.add(1e39, &wide)
    #expect(sum.rounded(as: Float.self) == .infinity)
  }

  @Test func manyAdditionsDoNotOverflowTheChunks() {
    var sum = ExactSum()
    var wide = 0
    sum.add(1e300, &wide)
    #expect(wide == 0)
    sum.add(1e-300, &wide)
    for _ in 0..<300_000 { sum.add(0x1.fffffffffffffp52, &wide) }
    #expect(wide == 1)
    sum.add(-1e300, &wide)
    let exact = UInt128(0x1.fffffffffffffp52) * 300_000
    #expect(sum.rounded(as: Double.self) == Double(exact))
  }
}
