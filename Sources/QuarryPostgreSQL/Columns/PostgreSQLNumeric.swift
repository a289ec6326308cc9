#if PostgreSQL
  import QuarryBackend

  /// The binary form of `numeric`: groups of four decimal digits, the weight of the first, a sign, and how many digits stand
  /// after the point.
  enum PostgreSQLNumeric {
    private static let negative: UInt16 = 0x4000

    /// Appends a decimal without zeros at its end.
    static func append(_ parts: DecimalParts, to bytes: inout [UInt8]) {
      var digits = parts.digits
      // The exponent becomes one of whole groups.
      let shift = ((parts.exponent % 4) + 4) % 4
      digits.append(contentsOf: Array(repeating: 0, count: digits.isEmpty ? 0 : shift))
      let exponent = parts.exponent - shift
      let lead = (4 - digits.count % 4) % 4
      digits.insert(contentsOf: Array(repeating: 0, count: lead), at: 0)
      var groups: [UInt16] = []
      for start in stride(from: 0, to: digits.count, by: 4) {
        groups.append(digits[start..<start + 4].reduce(0) { $0 * 10 + UInt16($1) })
      }
      let weight = groups.count - 1 + exponent / 4
      while groups.last == 0 { groups.removeLast() }
      append(UInt16(groups.count), to: &bytes)
      append(UInt16(bitPattern: Int16(groups.isEmpty ? 0 : weight)), to: &bytes)
      append(parts.isNegative ? negative : 0, to: &bytes)
      append(UInt16(groups.isEmpty ? 0 : max(0, -parts.exponent)), to: &bytes)
      for group in groups { append(group, to: &bytes) }
    }

    private static func append(_ value: UInt16, to bytes: inout [UInt8]) {
      bytes.append(UInt8(truncatingIfNeeded: value >> 8))
      bytes.append(UInt8(truncatingIfNeeded: value))
    }

    /// The decimal of the bytes; nil for NaN, infinity, and numbers that no Decimal has.
    static func parts(_ bytes: UnsafeRawBufferPointer) -> DecimalParts? {
      func word(_ index: Int) -> UInt16 {
        UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
      }
      guard bytes.count >= 8 else { return nil }
      let count = Int(word(0))
      let weight = Int(Int16(bitPattern: word(1)))
      let sign = word(2)
      guard bytes.count == 8 + count * 2, sign == 0 || sign == negative else { return nil }
      var mantissa: UInt128 = 0
      var exponent = (weight + 1) * 4
      for index in 0..<count {
        var group = word(4 + index)
        guard group < 10_000 else { return nil }
        var width = 4
        if index == count - 1 {
          // Zeros at the end are no digits of a decimal, whose mantissa may have no room for them.
          while group % 10 == 0, width > 0 {
            group /= 10
            width -= 1
          }
        }
        let scale = [1, 10, 100, 1_000, 10_000][width] as UInt128
        let (product, isTooMuch) = mantissa.multipliedReportingOverflow(by: scale)
        let (sum, isMore) = product.addingReportingOverflow(UInt128(group))
        guard !isTooMuch, !isMore else { return nil }
        mantissa = sum
        exponent -= width
      }
      return DecimalParts(isNegative: sign == negative, exponent: exponent, mantissa: mantissa)
    }
  }
#endif
