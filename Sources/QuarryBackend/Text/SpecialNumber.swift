/// NaN and the infinities as keys, cells and JSON strings spell them.
package enum SpecialNumber {
  /// The text of such a number; nil for every other.
  package static func text(_ value: Double) -> String? {
    if value.isFinite { return nil }
    if value.isNaN { return "NaN" }
    return value < 0 ? "-Infinity" : "Infinity"
  }

  /// The number with that text.
  @inlinable
  package static func number(_ text: some Collection<UInt8>) -> Double? {
    if text.elementsEqual("NaN".utf8) { return .nan }
    if text.elementsEqual("Infinity".utf8) { return .infinity }
    if text.elementsEqual("-Infinity".utf8) { return -.infinity }
    return nil
  }
}
