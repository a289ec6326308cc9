/// The exact sum of floating-point numbers, rounded once when it is asked for, so that it does not depend on their
/// order and a transient overflow does no harm.
///
/// Most sums fit exactly into two Doubles. Where the two would lose a bit, a fixed-point number of the whole range of
/// Double takes over. A NaN, or infinities of both signs, make the sum NaN; one infinity makes it that infinity. A sum
/// of zero is 0.0, never -0.0.
struct ExactSum {
  /// The sum is exactly `high + low` while `wide` is empty.
  private var high = 0.0
  private var low = 0.0
  /// The sum in units of 2^-1074, 32 bits in each chunk and room above them for carries.
  private var wide: ContiguousArray<Int64> = []
  /// Additions since the chunks were last carried. Each adds less than 2^33 to a chunk.
  private var pending = 0
  private var hasNaN = false
  private var hasPositiveInfinity = false
  private var hasNegativeInfinity = false

  private static let chunks = 72
  /// Bytes of the chunks.
  static let wideBytes = 32 + chunks * MemoryLayout<Int64>.stride
  private static let mostPending = 1 << 28

  /// - Parameter widened: Counted up where the sum leaves its two Doubles.
  @inline(__always)
  mutating func add(_ value: Double, _ widened: inout Int) {
    if wide.isEmpty {
      // The two-sum of Knuth gives the rounding error of an addition exactly; here the error of the errors must be 0.
      let sum = high + value
      let part = sum - high
      let error = (high - (sum - part)) + (value - part)
      let rest = low + error
      let restPart = rest - low
      let lost = (low - (rest - restPart)) + (error - restPart)
      // Far from the greatest Double nothing above can overflow. NaN and infinity fail both tests.
      if lost == 0, sum.magnitude < 0x1p1000 {
        high = sum
        low = rest
        return
      }
    }
    addWide(value, &widened)
  }

  @inline(never)
  private mutating func addWide(_ value: Double, _ widened: inout Int) {
    guard value.isFinite else {
      if value.isNaN {
        hasNaN = true
      } else if value > 0 {
        hasPositiveInfinity = true
      } else {
        hasNegativeInfinity = true
      }
      return
    }
    if wide.isEmpty {
      wide = ContiguousArray(repeating: 0, count: Self.chunks)
      widened += 1
      addChunks(high)
      addChunks(low)
    }
    addChunks(value)
  }

  @inline(__always)
  private mutating func addChunks(_ value: Double) {
    if pending >= Self.mostPending { carry() }
    pending &+= 1
    let field = Int(value.exponentBitPattern)
    // Subnormal numbers have the exponent of the first normal ones and no hidden bit.
    let significand = value.significandBitPattern | (field == 0 ? 0 : 1 << 52)
    let place = max(0, field &- 1)
    let chunk = place &>> 5
    let shift = UInt64(truncatingIfNeeded: place & 31)
    let lower = (significand & 0xFFFF_FFFF) &<< shift
    let upper = (significand &>> 32) &<< shift
    let parts = (
      Int64(bitPattern: lower & 0xFFFF_FFFF), Int64(bitPattern: (lower &>> 32) &+ (upper & 0xFFFF_FFFF)),
      Int64(bitPattern: upper &>> 32)
    )
    if value.sign == .plus {
      wide[chunk] &+= parts.0
      wide[chunk &+ 1] &+= parts.1
      wide[chunk &+ 2] &+= parts.2
    } else {
      wide[chunk] &-= parts.0
      wide[chunk &+ 1] &-= parts.1
      wide[chunk &+ 2] &-= parts.2
    }
  }

  /// Moves what is above 32 bits of each chunk into the next. Only the last may then be negative.
  private mutating func carry() {
    for index in 0..<(wide.count - 1) {
      wide[index + 1] &+= wide[index] >> 32
      wide[index] &= 0xFFFF_FFFF
    }
    pending = 0
  }

  /// The sum that is not a finite number, if it is none.
  private var special: Double? {
    if hasNaN || hasPositiveInfinity && hasNegativeInfinity { return .nan }
    return hasPositiveInfinity ? .infinity : hasNegativeInfinity ? -.infinity : nil
  }

  /// The exact sum as a whole number of 2^-1074.
  private var exact: (magnitude: BigMagnitude, isNegative: Bool) {
    var copy = self
    if copy.wide.isEmpty {
      copy.wide = ContiguousArray(repeating: 0, count: Self.chunks)
      copy.addChunks(high)
      copy.addChunks(low)
    }
    copy.carry()
    let isNegative = (copy.wide.last ?? 0) < 0
    if isNegative {
      for index in copy.wide.indices { copy.wide[index] = 0 &- copy.wide[index] }
      copy.carry()
    }
    var limbs: [UInt64] = []
    for index in stride(from: 0, to: Self.chunks, by: 2) {
      limbs.append(UInt64(bitPattern: copy.wide[index]) | UInt64(bitPattern: copy.wide[index + 1]) << 32)
    }
    return (BigMagnitude(limbs: limbs), isNegative)
  }

  /// The sum, rounded once to nearest, ties to even; infinity where that is past the greatest number.
  func rounded<F: BinaryFloatingPoint>(as type: F.Type = F.self) -> F {
    if let special { return F(special) }
    if F.self == Double.self, wide.isEmpty {
      return F(FloatOrder.oneForm(of: high + low))
    }
    let (magnitude, isNegative) = exact
    let result: F = magnitude.rounded(exponent: -1074)
    return FloatOrder.oneForm(of: isNegative ? -result : result)
  }

  /// The exact sum divided by a count above zero, rounded once.
  func average(count: Int) -> Double {
    if let special { return special }
    if wide.isEmpty, low == 0, count <= 1 << 53 { return FloatOrder.oneForm(of: high / Double(count)) }
    var (magnitude, isNegative) = exact
    // Enough bits that the quotient has more than a Double, whatever the count.
    magnitude.shiftLeft(192)
    let remainder = magnitude.divide(by: UInt64(max(1, count)))
    let result: Double = magnitude.rounded(exponent: -1074 - 192, isInexact: remainder != 0)
    return FloatOrder.oneForm(of: isNegative ? -result : result)
  }
}
