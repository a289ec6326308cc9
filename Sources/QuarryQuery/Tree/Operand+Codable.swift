import QuarryBackend

/// An operand is written as one object with its kind as the key: `{"count": {"_0": …}}`, as the compiler would write it.
extension Operand: Codable {
  private enum Kind: String, CodingKey {
    case property, count, value, arithmetic
  }

  private enum Part: String, CodingKey {
    case first = "_0"
    case left, operation, right
  }

  /// Writes the operand as one object with its kind as the key.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Kind.self)
    switch self {
    case .property(let path):
      var parts = container.nestedContainer(keyedBy: Part.self, forKey: .property)
      try parts.encode(path, forKey: .first)
    case .count(let path):
      var parts = container.nestedContainer(keyedBy: Part.self, forKey: .count)
      try parts.encode(path, forKey: .first)
    case .value(let value):
      var parts = container.nestedContainer(keyedBy: Part.self, forKey: .value)
      try parts.encode(value, forKey: .first)
    case .arithmetic(let left, let operation, let right):
      var parts = container.nestedContainer(keyedBy: Part.self, forKey: .arithmetic)
      try parts.encode(left, forKey: .left)
      try parts.encode(operation, forKey: .operation)
      try parts.encode(right, forKey: .right)
    }
  }

  /// Reads an operand.
  ///
  /// - Throws: `limitExceeded` for a calculation that is too deep; `DecodingError` for what is no operand.
  public init(from decoder: any Decoder) throws {
    self = try Self.decode(decoder, depth: 1)
  }

  private static func decode(_ decoder: any Decoder, depth: Int) throws -> Operand {
    let node = try CodedNode<Kind>(from: decoder, depth: depth, of: "a calculation", "an operand")
    let parts = try node.parts(Part.self)
    switch node.kind {
    case .property: return .property(try parts.decode(PropertyPath.self, forKey: .first))
    case .count: return .count(try parts.decode(PropertyPath.self, forKey: .first))
    case .value: return .value(try parts.decode(Value.self, forKey: .first))
    case .arithmetic:
      return .arithmetic(
        try decode(try parts.superDecoder(forKey: .left), depth: depth + 1),
        try parts.decode(ArithmeticOperator.self, forKey: .operation),
        try decode(try parts.superDecoder(forKey: .right), depth: depth + 1))
    }
  }
}
