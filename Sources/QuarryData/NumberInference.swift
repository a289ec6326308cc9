import QuarryBackend

/// Finds the type that holds every number of a column without loss.
struct NumberInference {
  private var hasNegative = false
  private var hasFraction = false
  private var allInt64 = true
  private var allUInt64 = true
  private var allDouble = true
  private var allDecimal = true
  /// NaN or an infinity, which only a Double holds.
  var hasSpecial = false

  mutating func add(_ form: NumberForm, _ text: some Collection<UInt8>) {
    if !form.isInteger { hasFraction = true }
    if form.isNegative { hasNegative = true }
    if allInt64, form.isInteger, form.int64 == nil { allInt64 = false }
    if allUInt64, form.isInteger, form.magnitude == nil { allUInt64 = false }
    if allDouble, !form.fitsDouble(text) { allDouble = false }
    if allDecimal, !form.fitsDecimal { allDecimal = false }
  }

  /// The type, nil where no type holds them all.
  ///
  /// Integers are Int64, or UInt64 where none is negative, or Decimal. With a fraction or an exponent among them they
  /// are Double if a Double says each of them exactly as it was written, else Decimal.
  var type: PropertyType? {
    if !hasFraction && !hasSpecial {
      if allInt64 { return .int64 }
      if allUInt64 && !hasNegative { return .uint64 }
    } else if allDouble {
      return .double
    }
    return allDecimal && !hasSpecial ? .decimal : nil
  }
}
