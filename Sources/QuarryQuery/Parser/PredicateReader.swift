import QuarryBackend

/// The recursive descent behind ``PredicateParser``. Each rule of the grammar is a method.
struct PredicateReader {
  var lexer: PredicateLexer
  private let arguments: [Value]
  private var usedArguments = 0
  private var depth = 0
  private var valueDepth = 0
  private var nodes = 0
  /// How many ANY, ALL and NONE are around.
  private(set) var elements = 0

  typealias Keyword = PredicateText.Keyword

  init(_ text: String, _ arguments: [Value]) throws(StorageError) {
    lexer = try PredicateLexer(text)
    self.arguments = arguments
  }

  /// A whole predicate.
  mutating func predicate() throws(StorageError) -> PredicateTree {
    let tree = try disjunction()
    guard case .end = lexer.token else { throw hint(at: .end) ?? lexer.expected("AND, OR or the end") }
    try requireAllArguments()
    return tree
  }

  func requireAllArguments() throws(StorageError) {
    guard usedArguments == arguments.count else {
      throw StorageError(
        .invalidQuery, "there are \(arguments.count) arguments, but the text takes \(usedArguments)")
    }
  }

  // MARK: Tokens

  /// The keyword that the current token is.
  var keyword: Keyword? {
    if case .word(let word) = lexer.token { return Keyword(word: word) }
    return nil
  }

  func isAt(_ symbol: PredicateLexer.Symbol) -> Bool {
    if case .symbol(symbol) = lexer.token { return true }
    return false
  }

  mutating func skip(_ symbol: PredicateLexer.Symbol) throws(StorageError) -> Bool {
    guard isAt(symbol) else { return false }
    try lexer.advance()
    return true
  }

  mutating func require(_ symbol: PredicateLexer.Symbol) throws(StorageError) {
    guard try skip(symbol) else { throw lexer.expected(symbol.rawValue) }
  }

  mutating func argument() throws(StorageError) -> Value {
    guard usedArguments < arguments.count else {
      throw lexer.error("there is no argument left: \(arguments.count) were given")
    }
    let value = arguments[usedArguments]
    switch lexer.token {
    case .argument(.integer) where value.integer == nil:
      throw lexer.error("the argument of \(lexer.tokenText) is an integer, not \(value.kind): write %@")
    case .argument(.number) where !value.isNumber:
      throw lexer.error("the argument of \(lexer.tokenText) is a number, not \(value.kind): write %@")
    default: break
    }
    usedArguments += 1
    try lexer.advance()
    return value
  }

  /// Counts what nests, so that a hostile text cannot use up the stack.
  mutating func descend() throws(StorageError) {
    depth += 1
    guard depth <= TreeLimits.maximumDepth else {
      throw .limitExceeded("depth of a predicate", limit: TreeLimits.maximumDepth, actual: depth)
    }
  }

  mutating func ascend() {
    depth -= 1
  }

  /// The same for constants inside each other.
  mutating func descendValue() throws(StorageError) {
    valueDepth += 1
    // The innermost list may be empty, and then counts as a value of its own.
    guard valueDepth <= NestedCoding.maximumDepth + 1 else {
      throw .limitExceeded("depth of a nested value", limit: NestedCoding.maximumDepth, actual: valueDepth)
    }
  }

  mutating func ascendValue() {
    valueDepth -= 1
  }

  mutating func count() throws(StorageError) {
    nodes += 1
    guard nodes <= TreeLimits.maximumNodes else {
      throw .limitExceeded("parts of a predicate", limit: TreeLimits.maximumNodes, actual: nodes)
    }
  }

  // MARK: Logic

  private mutating func disjunction() throws(StorageError) -> PredicateTree {
    try disjunction(from: try negation())
  }

  /// A disjunction that begins with a condition that was read.
  private mutating func disjunction(from condition: PredicateTree) throws(StorageError) -> PredicateTree {
    let first = try conjunction(from: condition)
    var parts = [first]
    while keyword == .or || isAt(.or) {
      try lexer.advance()
      parts.append(try conjunction(from: try negation()))
    }
    return parts.count == 1 ? first : .or(parts)
  }

  private mutating func conjunction(from first: PredicateTree) throws(StorageError) -> PredicateTree {
    var parts = [first]
    while keyword == .and || isAt(.and) {
      try lexer.advance()
      parts.append(try negation())
    }
    return parts.count == 1 ? first : .and(parts)
  }

  private mutating func negation() throws(StorageError) -> PredicateTree {
    guard keyword == .not || isAt(.not) else { return try primary() }
    try lexer.advance()
    try descend()
    defer { depth -= 1 }
    return .not(try negation())
  }

  /// The content of parentheses: the kind is known only at its end.
  private enum Part {
    case condition(PredicateTree)
    case calculation(Calculation)
  }

  private mutating func primary() throws(StorageError) -> PredicateTree {
    guard case .condition(let tree) = try part() else { throw expectedComparison() }
    return tree
  }

  private mutating func part() throws(StorageError) -> Part {
    try count()
    if isAt(.leftParenthesis) {
      let part = try parenthesisedPart()
      guard case .calculation(let first) = part else { return part }
      return try self.part(from: try calculation(from: first))
    }
    switch keyword {
    case .truepredicate:
      try lexer.advance()
      return .condition(.constant(true))
    case .falsepredicate:
      try lexer.advance()
      return .condition(.constant(false))
    case .and, .or:
      // The form in which a conjunction of fewer than two parts is written.
      guard lexer.next == UInt8(ascii: "(") else { throw lexer.expected("a condition") }
      let isAnd = keyword == .and
      try lexer.advance()
      if lexer.next == UInt8(ascii: ")") {
        try lexer.advance()
        try lexer.advance()
        return .condition(isAnd ? .and([]) : .or([]))
      }
      let part = try parenthesised()
      return .condition(isAnd ? .and([part]) : .or([part]))
    case .anyOf, .someOf: return .condition(try quantified(isAll: false))
    case .allOf: return .condition(try quantified(isAll: true))
    case .noneOf: return .condition(.not(try quantified(isAll: false)))
    case .subquery:
      throw StorageError.unsupported(
        .queryNested, lexer.error("SUBQUERY is not supported; write ANY array (condition)").message)
    default: return try part(from: try calculation())
    }
  }

  /// A comparison of what was read, or in parentheses that alone.
  private mutating func part(from left: Calculation) throws(StorageError) -> Part {
    isAt(.rightParenthesis) ? .calculation(left) : .condition(try comparison(of: left.operand))
  }

  private mutating func parenthesisedPart() throws(StorageError) -> Part {
    try descend()
    defer { ascend() }
    try require(.leftParenthesis)
    let part: Part
    if keyword == .not || isAt(.not) {
      part = .condition(try disjunction())
    } else {
      switch try self.part() {
      case .condition(let first): part = .condition(try disjunction(from: first))
      case .calculation(let calculation): part = .calculation(calculation)
      }
    }
    guard try skip(.rightParenthesis) else { throw lexer.expected("AND, OR or )") }
    return part
  }

  private mutating func parenthesised() throws(StorageError) -> PredicateTree {
    guard case .condition(let tree) = try parenthesisedPart() else { throw expectedComparison() }
    return tree
  }

  /// The condition on an element, in parentheses.
  private mutating func elementCondition() throws(StorageError) -> PredicateTree {
    elements += 1
    defer { elements -= 1 }
    return try parenthesised()
  }

  func expectedComparison() -> StorageError {
    if let hint = hint(at: .comparison) { return hint }
    guard case .word = lexer.token else { return lexer.expected("a comparison such as ==, IN or CONTAINS") }
    return lexer.expected("a comparison such as ==, IN or CONTAINS, or back quotes around a name with spaces")
  }

  /// `ANY array (condition)`, or `ANY array.part == 'x'`.
  private mutating func quantified(isAll: Bool) throws(StorageError) -> PredicateTree {
    try lexer.advance()
    let start = lexer.start
    switch try operand() {
    case .property(let path) where isAt(.leftParenthesis):
      return Self.quantified(path, try elementCondition(), isAll)
    case .property(let path):
      let (array, part) = Self.split(path)
      return Self.quantified(array, try comparison(of: .property(part)), isAll)
    case .count(let path):
      let (array, part) = Self.split(path)
      return Self.quantified(array, try comparison(of: .count(part)), isAll)
    case .value, .arithmetic:
      throw lexer.error("expected an array after ANY, ALL or NONE", at: start)
    }
  }

  /// The array that a path before a comparison begins with, and the path from its element on.
  private static func split(_ path: PropertyPath) -> (array: PropertyPath, part: PropertyPath) {
    let isInElement = path.property.isEmpty && !path.members.isEmpty
    let count = isInElement ? 1 : 0
    return (
      PropertyPath(path.property, members: Array(path.members.prefix(count))),
      PropertyPath("", members: Array(path.members.dropFirst(count)))
    )
  }

  private static func quantified(_ path: PropertyPath, _ inner: PredicateTree, _ isAll: Bool) -> PredicateTree {
    isAll ? .all(path, inner) : .any(path, inner)
  }
}
