import QuarryBackend

/// A predicate is written as one object with its kind as the key: `{"not": {"compare": {"left": …, "is": "less", …}}}`.
///
/// Each level takes at most two levels of JSON, so that the deepest tree that is allowed is also read: Foundation reads
/// 512.
extension PredicateTree: Codable {
  private enum Kind: String, CodingKey {
    case constant, compare, oneOf, text, containsElement, function, any, all, not, and, or
  }

  private enum Part: String, CodingKey {
    case left, `is`, right, operand, values, needle, options, path, value, condition, name, operands, arguments
  }

  /// Writes the tree as one object with the kind of its root as the key.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Kind.self)
    switch self {
    case .constant(let value): try container.encode(value, forKey: .constant)
    case .compare(let left, let comparison, let right):
      var parts = container.nestedContainer(keyedBy: Part.self, forKey: .compare)
      try parts.encode(left, forKey: .left)
      try parts.encode(comparison, forKey: .is)
      try parts.encode(right, forKey: .right)
    case .oneOf(let operand, let values):
      var parts = container.nestedContainer(keyedBy: Part.self, forKey: .oneOf)
      try parts.encode(operand, forKey: .operand)
      try parts.encode(values, forKey: .values)
    case .function(let call): try Self.encode(call, to: &container)
    case .any(let path, let condition):
      var parts = container.nestedContainer(keyedBy: Part.self, forKey: .any)
      try parts.encode(path, forKey: .path)
      try parts.encode(condition, forKey: .condition)
    case .all(let path, let condition):
      var parts = container.nestedContainer(keyedBy: Part.self, forKey: .all)
      try parts.encode(path, forKey: .path)
      try parts.encode(condition, forKey: .condition)
    case .not(let condition): try container.encode(condition, forKey: .not)
    case .and(let conditions): try container.encode(conditions, forKey: .and)
    case .or(let conditions): try container.encode(conditions, forKey: .or)
    }
  }

  private static func encode(_ call: FunctionCall, to container: inout KeyedEncodingContainer<Kind>) throws {
    switch call.form {
    case .text(let operand, let operation, let needle, let options):
      var parts = container.nestedContainer(keyedBy: Part.self, forKey: .text)
      try parts.encode(operand, forKey: .operand)
      try parts.encode(operation, forKey: .is)
      try parts.encode(needle, forKey: .needle)
      try parts.encode(options, forKey: .options)
    case .containsElement(let path, let value):
      var parts = container.nestedContainer(keyedBy: Part.self, forKey: .containsElement)
      try parts.encode(path, forKey: .path)
      try parts.encode(value, forKey: .value)
    case .call:
      var parts = container.nestedContainer(keyedBy: Part.self, forKey: .function)
      try parts.encode(call.name, forKey: .name)
      try parts.encode(call.operands, forKey: .operands)
      if !call.arguments.isEmpty { try parts.encode(call.arguments, forKey: .arguments) }
      if !call.options.isEmpty { try parts.encode(call.options, forKey: .options) }
    }
  }

  /// Reads a tree.
  ///
  /// - Throws: `limitExceeded` for a tree that is too deep; `DecodingError` for what is no tree.
  public init(from decoder: any Decoder) throws {
    self = try Self.decode(decoder, depth: 1)
  }

  private static func decode(_ decoder: any Decoder, depth: Int) throws -> PredicateTree {
    let node = try CodedNode<Kind>(from: decoder, depth: depth, of: "a predicate", "a predicate")
    let (kind, container) = (node.kind, node.container)
    switch kind {
    case .constant: return .constant(try container.decode(Bool.self, forKey: kind))
    case .compare:
      let parts = try node.parts(Part.self)
      return .compare(
        try parts.decode(Operand.self, forKey: .left), try parts.decode(Comparison.self, forKey: .is),
        try parts.decode(Operand.self, forKey: .right))
    case .oneOf:
      let parts = try node.parts(Part.self)
      return .oneOf(
        try parts.decode(Operand.self, forKey: .operand), try parts.decode([Value].self, forKey: .values))
    case .text:
      let parts = try node.parts(Part.self)
      return .text(
        try parts.decode(Operand.self, forKey: .operand), try parts.decode(TextOperator.self, forKey: .is),
        try parts.decode(String.self, forKey: .needle), try parts.decode(TextOptions.self, forKey: .options))
    case .containsElement:
      let parts = try node.parts(Part.self)
      return .containsElement(
        try parts.decode(PropertyPath.self, forKey: .path), try parts.decode(Value.self, forKey: .value))
    case .function:
      let parts = try node.parts(Part.self)
      return .function(
        FunctionCall(
          try parts.decode(String.self, forKey: .name), try parts.decode([Operand].self, forKey: .operands),
          try parts.decodeIfPresent([Value].self, forKey: .arguments) ?? [],
          try parts.decodeIfPresent(TextOptions.self, forKey: .options) ?? []))
    case .any, .all:
      let parts = try node.parts(Part.self)
      let path = try parts.decode(PropertyPath.self, forKey: .path)
      let condition = try decode(try parts.superDecoder(forKey: .condition), depth: depth + 1)
      return kind == .any ? .any(path, condition) : .all(path, condition)
    case .not:
      return .not(try decode(try container.superDecoder(forKey: .not), depth: depth + 1))
    case .and, .or:
      var list = try container.nestedUnkeyedContainer(forKey: kind)
      var conditions: [PredicateTree] = []
      while !list.isAtEnd { conditions.append(try decode(try list.superDecoder(), depth: depth + 1)) }
      return kind == .and ? .and(conditions) : .or(conditions)
    }
  }
}
