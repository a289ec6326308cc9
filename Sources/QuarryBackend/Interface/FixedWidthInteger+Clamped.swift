extension FixedWidthInteger {
  /// The sum with a number that a caller gave; the greatest or the least number where it does not fit.
  @inlinable
  package func addingClamped(_ other: Self) -> Self {
    let (sum, overflows) = addingReportingOverflow(other)
    guard overflows else { return sum }
    return other < 0 ? .min : .max
  }
}
