/// Bits of floating-point numbers whose order as integers is Quarry's order: every NaN is one value after positive
/// infinity, and -0.0 is 0.0.
@usableFromInline
package enum FloatOrder {
  /// The bits of a Double, in the order of the numbers.
  @inlinable
  package static func bits(_ value: Double) -> UInt64 {
    guard !value.isNaN else { return .max }
    let bits = (value == 0 ? 0.0 : value).bitPattern
    return bits >> 63 == 0 ? bits ^ 1 << 63 : ~bits
  }

  /// The bits of a Float, in the order of the numbers.
  @inlinable
  package static func bits(_ value: Float) -> UInt32 {
    guard !value.isNaN else { return .max }
    let bits = (value == 0 ? 0.0 : value).bitPattern
    return bits >> 31 == 0 ? bits ^ 1 << 31 : ~bits
  }

  /// The number in its one form: 0.0 for both zeros, one NaN for all. Keys, groups, sums and texts of keys have this form.
  package static func oneForm<F: BinaryFloatingPoint>(of value: F) -> F {
    value.isNaN ? .nan : value == 0 ? 0 : value
  }

  /// The number with these bits; NaN and zero in their one form.
  package static func double(_ bits: UInt64) -> Double {
    bits == .max ? .nan : Double(bitPattern: bits >> 63 == 1 ? bits ^ 1 << 63 : ~bits)
  }

  /// The number with these bits; NaN and zero in their one form.
  package static func float(_ bits: UInt32) -> Float {
    bits == .max ? .nan : Float(bitPattern: bits >> 31 == 1 ? bits ^ 1 << 31 : ~bits)
  }
}
