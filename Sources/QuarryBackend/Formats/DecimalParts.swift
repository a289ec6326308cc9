public import Foundation

/// A decimal taken apart: sign, power of ten, and digits. Equal decimals have equal parts.
public struct DecimalParts: Sendable, Hashable {
  /// Whether the number is less than zero.
  public let isNegative: Bool
  /// The power of ten of the last digit.
  public let exponent: Int
  /// The digits, without trailing zeros; 0 for zero.
  public let mantissa: UInt128

  /// The bytes that a decimal takes in a row.
  package static let rowBytes = 18

  /// Creates the parts of a decimal.
  ///
  /// - Parameters:
  ///   - isNegative: Whether the number is less than zero; ignored for zero.
  ///   - exponent: The power of ten of the last digit.
  ///   - mantissa: The digits. Trailing zeros move into the exponent.
  public init(isNegative: Bool, exponent: Int, mantissa: UInt128) {
    var exponent = exponent
    var mantissa = mantissa
    while mantissa != 0, mantissa % 10 == 0 {
      mantissa /= 10
      exponent += 1
    }
    self.isNegative = isNegative && mantissa != 0
    self.exponent = mantissa == 0 ? 0 : exponent
    self.mantissa = mantissa
  }

  /// Takes a decimal apart.
  ///
  /// - Parameter decimal: A decimal of Foundation, whose digits have at most 128 bits.
  /// - Throws: `invalidValue` for the decimal that is not a number, and for one of more than 128 bits.
  public init(_ decimal: Decimal) throws(StorageError) {
    guard !decimal.isNaN else { throw .decimalIsNotANumber }
    if DecimalBits.areKnown {
      let bits = DecimalBits(decimal)
      self.init(isNegative: bits.isNegative, exponent: bits.exponent, mantissa: bits.mantissa)
    } else {
      try self.init(slowly: decimal)
    }
  }

  /// Takes a decimal apart by what Foundation tells of it, which takes microseconds where there are many digits.
  init(slowly decimal: Decimal) throws(StorageError) {
    let isNegative = decimal.sign == .minus
    let digits = decimal.significand.magnitude
    // Up to here a Double holds every whole number, and is had without writing the digits down.
    let number = NSDecimalNumber(decimal: digits).doubleValue
    if number < 0x1p53 {
      self.init(isNegative: isNegative, exponent: decimal.exponent, mantissa: UInt128(number))
      return
    }
    guard let digits = UInt128(digits.description) else {
      throw StorageError(.invalidValue, "a Decimal of more than 128 bits cannot be stored")
    }
    self.init(isNegative: isNegative, exponent: decimal.exponent, mantissa: digits)
  }

  /// The decimal of these parts, or the one that is not a number when the exponent is out of its range.
  public var decimal: Decimal {
    let high = UInt64(truncatingIfNeeded: mantissa >> 64)
    let low = UInt64(truncatingIfNeeded: mantissa)
    var significand = Decimal(low)
    if high != 0 { significand += Decimal(high) * Decimal(sign: .plus, exponent: 0, significand: Self.twoTo64) }
    return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
  }

  private static let twoTo64 = Decimal(UInt64.max) + 1

  /// The decimal digits of the mantissa, first digit first; empty for zero.
  package var digits: [UInt8] {
    var digits: [UInt8] = []
    var rest = mantissa
    while rest != 0 {
      digits.append(UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    }
    return digits.reversed()
  }

  /// Reads the 18 bytes of a row.
  ///
  /// - Throws: `corrupt` when they are not in their one form.
  package init(rowBytes: UnsafeRawBufferPointer) throws(StorageError) {
    guard rowBytes.count == Self.rowBytes, rowBytes[17] <= 1 else { throw RowView.damaged("not a decimal") }
    let low = UInt64(littleEndian: rowBytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
    let high = UInt64(littleEndian: rowBytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    let exponent = Int(Int8(bitPattern: rowBytes[16]))
    let mantissa = UInt128(high) << 64 | UInt128(low)
    let isNegative = rowBytes[17] == 1
    self.init(isNegative: isNegative, exponent: exponent, mantissa: mantissa)
    guard self.mantissa == mantissa, self.isNegative == isNegative, self.exponent == exponent else {
      throw RowView.damaged("a decimal is not in its normal form")
    }
  }

  /// Calls the body with the 18 bytes of a row: mantissa (16, little-endian), exponent (signed), sign (1 negative).
  ///
  /// - Throws: `invalidValue` when the exponent does not fit into a byte.
  package func withRowBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) throws(StorageError) -> R {
    guard let small = Int8(exactly: exponent) else {
      throw StorageError(.invalidValue, "a Decimal with the exponent \(exponent) cannot be stored")
    }
    let words = (
      UInt64(truncatingIfNeeded: mantissa).littleEndian, UInt64(truncatingIfNeeded: mantissa >> 64).littleEndian,
      UInt16(UInt8(bitPattern: small)).littleEndian | UInt16(isNegative ? 0x100 : 0).littleEndian
    )
    return withUnsafeBytes(of: words) { body(UnsafeRawBufferPointer(rebasing: $0[..<Self.rowBytes])) }
  }
}
