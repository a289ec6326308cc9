import Foundation

/// A decimal as Foundation on Linux keeps it in memory.
///
/// 20 bytes: the exponent (1, signed); the number of words in the upper four bits of the second byte, and the sign in the fourth
/// (1); nothing (2); eight words of the mantissa, lowest first (16), words beyond the number without a meaning. The layout is not
/// guaranteed: ``areKnown`` checks it, so that another form is never taken for this one.
struct DecimalBits {
  let isNegative: Bool
  let exponent: Int
  let mantissa: UInt128

  /// - Precondition: ``areKnown``, by which a decimal has 20 bytes.
  init(_ decimal: Decimal) {
    let (head, low, high) = withUnsafeBytes(of: decimal) { bytes in
      (
        UInt16(littleEndian: bytes.loadUnaligned(as: UInt16.self)),
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self)),
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 12, as: UInt64.self))
      )
    }
    exponent = Int(Int8(truncatingIfNeeded: head))
    isNegative = head & 0x0800 != 0
    let words = Int(head >> 12)
    let all = UInt128(high) << 64 | UInt128(low)
    mantissa = words >= 8 ? all : all & (1 << UInt128(16 * words) - 1)
  }

  /// Whether decimals of every length, sign and exponent are kept in that form here.
  static let areKnown: Bool = {
    guard MemoryLayout<Decimal>.size == 20 else { return false }
    let great = Decimal.greatestFiniteMagnitude
    var samples: [Decimal] = [0, 1, -1, 10, great, -great, .leastNonzeroMagnitude]
    var digits = Decimal(0)
    for digit in 1...38 {
      digits = digits * 10 + Decimal(digit % 10)
      let sign: FloatingPointSign = digit % 2 == 0 ? .plus : .minus
      samples.append(Decimal(sign: sign, exponent: [-128, -3, 0, 80][digit % 4], significand: digits))
    }
    return samples.allSatisfy { sample in
      guard !sample.isNaN, let parts = try? DecimalParts(slowly: sample) else { return sample.isNaN }
      let bits = DecimalBits(sample)
      return DecimalParts(isNegative: bits.isNegative, exponent: bits.exponent, mantissa: bits.mantissa) == parts
    }
  }()
}
