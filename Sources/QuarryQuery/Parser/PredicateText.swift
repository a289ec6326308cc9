import QuarryBackend

/// Writes predicates in the language that ``PredicateParser`` reads.
enum PredicateText {
  /// The words that mean something by themselves, and so are quoted as names.
  enum Keyword: String {
    case and, or, not, `in`, between, contains, beginswith, endswith, like, matches
    case anyOf = "any"
    case someOf = "some"
    case allOf = "all"
    case noneOf = "none"
    case truepredicate, falsepredicate, `true`, `false`, yes, no, `nil`, null, `self`, subquery, function, cast

    init?(word: String) {
      // No keyword is longer.
      guard word.utf8.count <= 14 else { return nil }
      self.init(rawValue: String(decoding: SchemaNames.folded(word), as: UTF8.self))
    }

    /// Whether the word stands for a value.
    var isValue: Bool { isConstant || self == .self }

    var isConstant: Bool {
      switch self {
      case .true, .false, .yes, .no, .nil, .null: true
      default: false
      }
    }
  }

  // MARK: Names

  static func name(_ name: String, isFirst: Bool = true) -> String {
    let bytes = name.utf8
    if let first = bytes.first, PredicateLexer.isNameStart(first), bytes.allSatisfy(PredicateLexer.isNamePart),
      !isFirst || Keyword(word: name) == nil
    {
      return name
    }
    var quoted = "`"
    for scalar in name.unicodeScalars {
      if scalar == "`" { quoted.unicodeScalars.append(scalar) }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "`"
  }

  static func path(_ path: PropertyPath) -> String {
    var text = path.property.isEmpty ? "SELF" : name(path.property)
    for member in path.members { text += "." + name(member, isFirst: false) }
    return text
  }

  static func operand(_ operand: Operand) -> String {
    switch operand {
    case .property(let path): self.path(path)
    case .count(let path): self.path(path) + ".@count"
    case .value(let value): ValueText.literal(value)
    case .arithmetic(let left, let operation, let right): "\(side(left)) \(operation.symbol) \(side(right))"
    }
  }

  /// A side of a calculation.
  private static func side(_ operand: Operand) -> String {
    if case .arithmetic = operand { return "(\(self.operand(operand)))" }
    return self.operand(operand)
  }

  // MARK: Predicates

  /// How firmly the parts of a predicate hold together.
  enum Strength: Int {
    case or, and, not, primary
  }

  /// Whether the text of a predicate is one thing by itself.
  static func strength(_ predicate: PredicateTree) -> Strength {
    switch predicate {
    case .and(let parts): parts.count < 2 ? .primary : .and
    case .or(let parts): parts.count < 2 ? .primary : .or
    case .not: .not
    default: .primary
    }
  }

  static func append(_ predicate: PredicateTree, to text: inout String) {
    switch predicate {
    case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .compare(let left, let comparison, let right):
      text += "\(operand(left)) \(comparison.symbol) \(operand(right))"
    case .oneOf(let operand, let values):
      text += "\(self.operand(operand)) IN \(ValueText.list(values))"
    case .function(let call): text += call.text
    case .any(let path, let condition), .all(let path, let condition):
      if case .any = predicate { text += "ANY " } else { text += "ALL " }
      text += "\(self.path(path)) ("
      append(condition, to: &text)
      text += ")"
    case .not(let condition):
      text += "NOT "
      append(condition, to: &text, above: .and)
    case .and(let conditions): append(conditions, "AND", to: &text, above: .and)
    case .or(let conditions): append(conditions, "OR", to: &text, above: .or)
    }
  }

  private static func append(_ predicate: PredicateTree, to text: inout String, above strength: Strength) {
    if self.strength(predicate).rawValue > strength.rawValue {
      append(predicate, to: &text)
    } else {
      text += "("
      append(predicate, to: &text)
      text += ")"
    }
  }

  private static func append(
    _ conditions: [PredicateTree], _ word: String, to text: inout String, above strength: Strength
  ) {
    guard conditions.count > 1 else {
      text += "\(word)("
      if let condition = conditions.first { append(condition, to: &text) }
      text += ")"
      return
    }
    for (index, condition) in conditions.enumerated() {
      if index > 0 { text += " \(word) " }
      append(condition, to: &text, above: strength)
    }
  }
}

extension PredicateTree: CustomStringConvertible {
  /// The predicate in the language of ``PredicateParser``, which reads it back to an equal tree.
  public var description: String {
    do throws(StorageError) {
      try TreeLimits.check(self)
    } catch {
      return "a predicate that is too large to write"
    }
    var text = ""
    PredicateText.append(self, to: &text)
    return text
  }
}
