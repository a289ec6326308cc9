public import QuarryBackend

/// Whether a whole text matches a pattern in the syntax of Swift's `Regex`: `isbn MATCHES '\\d{3}-\\d{10}'`.
///
/// Searching needs no index. A pattern without anything but text is found as that text.
struct MatchesFunction: PredicateFunction {
  var name: String { "matches" }
  var keyword: String? { "MATCHES" }

  func isDefined(for type: PropertyType) -> Bool { type == .string || type == .url }

  func matcher(_ call: BoundFunction) throws(StorageError) -> any FunctionMatcher {
    try PatternMachine(try call.text(at: 0), call.options)
  }

  func range(_ call: BoundFunction) -> FunctionRange? {
    guard call.options.isEmpty, case .string(let pattern)? = call.arguments.first else { return nil }
    return PatternMachine.literal(of: pattern).map { .equal($0) }
  }

  func read(_ operand: Operand, _ reader: inout PredicateReader) throws(StorageError) -> PredicateTree {
    let (value, options, start) = try reader.textArgument()
    guard case .string(let pattern) = value else { throw reader.lexer.error("expected a string", at: start) }
    return .matches(operand, pattern, options)
  }

  func text(_ call: FunctionCall) -> String {
    "\(PredicateText.operand(call.operands[0])) MATCHES\(call.options.symbol) \(ValueText.literal(call.arguments[0]))"
  }

  func check(_ call: FunctionCall) throws(StorageError) {
    try check(call, operands: 1, arguments: 1)
    _ = try BoundFunction(self, call.arguments).text(at: 0)
  }

  func bind(_ call: FunctionCall, to operand: FunctionOperand) throws(StorageError) -> FunctionBinding {
    let bound = BoundFunction(self, call.arguments, call.options)
    // A wrong pattern is refused before rows are read, and whether there are any or not.
    _ = try matcher(bound)
    switch operand.form {
    case .unknown, .plain(.string), .plain(.url): return .call(bound)
    case .array, .plain, .nested, .foreign: throw operand.invalid(self, needs: "a text")
    }
  }
}

extension PredicateTree {
  /// Whether a whole text matches a pattern. It is false of nil.
  ///
  /// - Parameters:
  ///   - operand: The text in question.
  ///   - pattern: The pattern. Binding checks it.
  ///   - options: How text and pattern are folded before they are compared.
  public static func matches(_ operand: Operand, _ pattern: String, _ options: TextOptions = []) -> PredicateTree {
    .function(FunctionCall(MatchesFunction().name, [operand], [.string(pattern)], options))
  }
}
