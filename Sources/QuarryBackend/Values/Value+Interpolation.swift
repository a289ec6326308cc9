extension Value: ExpressibleByStringInterpolation {
  /// A string of values as people read them: strings as they are, nil as `nil`.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Adds a value as people read it.
    public mutating func appendInterpolation(_ value: Value) {
      text += value.isNull ? "nil" : KeyText.text(value) ?? value.description
    }

    /// Adds anything else as in a string.
    public mutating func appendInterpolation(_ value: some Any) { text += "\(value)" }
  }

  public init(stringInterpolation: StringInterpolation) { self = .string(stringInterpolation.text) }
}
