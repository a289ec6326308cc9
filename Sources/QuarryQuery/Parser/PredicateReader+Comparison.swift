import QuarryBackend

/// Comparisons, and the lists and texts that they are made with.
extension PredicateReader {
  mutating func comparison(of left: Operand) throws(StorageError) -> PredicateTree {
    if case .symbol(let symbol) = lexer.token, let comparison = Self.comparison(symbol) {
      try lexer.advance()
      guard let options = try modifiers() else {
        return .compare(left, comparison, try calculation().operand)
      }
      guard comparison == .equal || comparison == .notEqual else {
        throw StorageError.unsupported(
          .queryTextFolding, lexer.error("[c] and [d] are only for ==, != and text comparisons").message)
      }
      let equal = PredicateTree.text(left, .equal, try needle(), options)
      return comparison == .equal ? equal : .not(equal)
    }
    if case .word(let word) = lexer.token, let function = PredicateFunctions.spelled(word) {
      try lexer.advance()
      return try function.read(left, &self)
    }
    switch keyword {
    case .in:
      try lexer.advance()
      return try membership(left)
    case .not:
      try lexer.advance()
      guard keyword == .in else {
        throw lexer.error("expected IN after NOT; another comparison has NOT before it, as in NOT name LIKE 'a*'")
      }
      try lexer.advance()
      return .not(try membership(left))
    default:
      throw expectedComparison()
    }
  }

  private static func comparison(_ symbol: PredicateLexer.Symbol) -> Comparison? {
    switch symbol {
    case .equal, .assign: .equal
    case .notEqual: .notEqual
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    default: nil
    }
  }

  /// `[c]`, `[d]`, `[cd]`; nil where there is no bracket.
  private mutating func modifiers() throws(StorageError) -> TextOptions? {
    guard try skip(.leftBracket) else { return nil }
    var options: TextOptions = []
    if case .word(let letters) = lexer.token {
      for letter in letters.utf8 {
        switch letter | 0x20 {
        case UInt8(ascii: "c"): options.insert(.caseInsensitive)
        case UInt8(ascii: "d"): options.insert(.diacriticInsensitive)
        default: throw lexer.expected("c, d or cd")
        }
      }
      try lexer.advance()
    }
    guard try skip(.rightBracket) else { throw lexer.expected("c, d or cd and ]") }
    return options
  }

  /// The constant after the word of a function, with the options before it and where it begins.
  mutating func textArgument() throws(StorageError) -> (value: Value, options: TextOptions, start: Int) {
    let options = try modifiers() ?? []
    let start = lexer.start
    guard case .value(let value) = try operand() else {
      throw lexer.error("expected a string; a property cannot be on this side", at: start)
    }
    return (value, options, start)
  }

  private mutating func needle() throws(StorageError) -> String {
    let start = lexer.start
    guard case .value(.string(let needle)) = try operand() else {
      throw lexer.error("expected a string after [c] or [d]", at: start)
    }
    return needle
  }

  /// The two bounds after BETWEEN.
  mutating func bounds() throws(StorageError) -> (Operand, Operand) {
    let start = lexer.start
    if case .argument = lexer.token {
      guard case .array(let values) = try argument(), values.count == 2 else {
        throw lexer.error("the argument of BETWEEN must be an array of two values", at: start)
      }
      return (.value(values[0]), .value(values[1]))
    }
    let isBrace = isAt(.leftBrace)
    guard isBrace || isAt(.leftParenthesis) else { throw lexer.expected("{a, b} after BETWEEN") }
    try lexer.advance()
    let low = try calculation().operand
    guard try skip(.comma) else { throw lexer.expected("a comma between the two bounds") }
    let high = try calculation().operand
    try require(isBrace ? .rightBrace : .rightParenthesis)
    return (low, high)
  }

  /// The right side of IN: a list, an argument that is one, or an array of the model that is searched for the left side.
  private mutating func membership(_ left: Operand) throws(StorageError) -> PredicateTree {
    let start = lexer.start
    switch lexer.token {
    case .symbol(.leftBrace): return .oneOf(left, try list(until: .rightBrace))
    case .symbol(.leftParenthesis): return .oneOf(left, try list(until: .rightParenthesis))
    case .argument:
      guard case .array(let values) = try argument() else {
        throw lexer.error("the argument of IN must be an array", at: start)
      }
      return .oneOf(left, values)
    case .word, .name, .keyArgument:
      guard case .value(let value) = left else {
        throw lexer.expected("a list such as {1, 2} after IN")
      }
      guard case .property(let path) = try operand() else {
        throw lexer.error("expected a list or an array after IN", at: start)
      }
      return .containsElement(path, value)
    default: throw lexer.expected("a list such as {1, 2} after IN")
    }
  }

  /// The constants of a list, to its closing bracket.
  mutating func list(until close: PredicateLexer.Symbol) throws(StorageError) -> [Value] {
    try descendValue()
    defer { ascendValue() }
    try lexer.advance()
    var values: [Value] = []
    while !isAt(close) {
      if !values.isEmpty {
        guard try skip(.comma) else { throw lexer.expected("a comma or \(close.rawValue)") }
      }
      values.append(try constant())
    }
    try lexer.advance()
    return values
  }
}
