import Foundation
import Testing

@testable import QuarryBackend
@testable import QuarryQuery

/// The decimals beside a Double are the nearest there are.
struct DecimalNeighboursTests {
  /// The next storable decimal away from zero.
  private func next(_ parts: DecimalParts, isNegative: Bool) -> DecimalParts {
    var (mantissa, exponent) = (parts.mantissa, parts.exponent)
    if mantissa == 0 { exponent = -128 }
    while exponent > -128 {
      let (scaled, overflow) = mantissa.multipliedReportingOverflow(by: 10)
      if overflow { break }
      (mantissa, exponent) = (scaled, exponent - 1)
    }
    if mantissa == .max { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
    return DecimalParts(isNegative: isNegative, exponent: exponent, mantissa: mantissa + 1)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func nothingLiesBetween(_ seed: UInt64) throws {
    var random = RandomPredicates(seed: seed)
    var doubles: [Double] = [0.1, 1e23, 0x1p128, 0x1p-400, .leastNonzeroMagnitude, 1e-128, 3.4e150]
    doubles += (-127...20).map { Double("\(UInt128.max)e\($0)")! }
    doubles += (0..<100).map { _ in
      Double(
        sign: .plus, exponent: Int.random(in: -460...420, using: &random),
        significand: .random(in: 1..<2, using: &random))
    }
    for double in doubles + doubles.map({ -$0 }) {
      let neighbours = DecimalNeighbours(of: double)
      let below = try #require(neighbours.below)
      let above = try #require(neighbours.above)
      let exact = ExactNumber.double(double)
      let isExact = below == above
      #expect(ExactNumber.compare(.decimal(below), exact) == (isExact ? 0 : -1), "\(double)")
      #expect(ExactNumber.compare(.decimal(above), exact) == (isExact ? 0 : 1), "\(double)")
      let (inner, outer) = double < 0 ? (above, below) : (below, above)
      if !isExact { #expect(next(inner, isNegative: double < 0) == outer, "\(double): \(inner) \(outer)") }
    }
  }

  @Test func pastTheGreatestThereIsNone() throws {
    #expect(DecimalNeighbours(of: 1e200).above == nil)
    #expect(DecimalNeighbours(of: -.infinity).below == nil)
    #expect(DecimalNeighbours(of: 1e200).below?.mantissa == .max)
  }

  @Test func exponentThatCannotBeStoredIsBetweenTwo() throws {
    let neighbours = DecimalNeighbours(isNegative: false, mantissa: 1, exponent: 128)
    let below = try #require(neighbours.below)
    let above = try #require(neighbours.above)
    #expect(below == DecimalParts(isNegative: false, exponent: 127, mantissa: 9))
    #expect(above == DecimalParts(isNegative: false, exponent: 127, mantissa: 11))
  }
}
