/// The digits of a decimal as they are read, as far as 128 bits hold them.
package struct DecimalDigits {
  package init() {}

  package private(set) var mantissa: UInt128 = 0
  package private(set) var overflows = false
  /// Zeros that no other digit has followed yet: they may be too many for 128 bits and yet mean nothing but a power.
  package private(set) var zeros = 0

  package mutating func append(_ digit: UInt8) {
    guard digit != 0x30 else {
      if mantissa != 0 { zeros += 1 }
      return
    }
    for _ in 0...zeros where !overflows { scale() }
    zeros = 0
    let (sum, overflow) = mantissa.addingReportingOverflow(UInt128(digit - 0x30))
    if overflow { overflows = true } else { mantissa = sum }
  }

  /// The digits with the zeros at their end; nil when 128 bits do not hold them.
  package var whole: UInt128? {
    var scaled = self
    for _ in 0..<zeros where !scaled.overflows { scaled.scale() }
    return scaled.overflows ? nil : scaled.mantissa
  }

  private mutating func scale() {
    let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
    if overflow { overflows = true } else { mantissa = product }
  }
}
