import QuarryBackend

/// The functions that predicates have.
enum PredicateFunctions {
  /// Every function. A new one is added here.
  static let all: [any PredicateFunction] =
    TextOperator.allCases.map { TextFunction($0) } + [
      ContainsElementFunction(),
      BetweenFunction(), MatchesFunction(), SearchFunction(isTyped: true), SearchFunction(isTyped: false),
    ]

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { (ByteString($0.name), $0) })

  private static let byKeyword = Dictionary(
    uniqueKeysWithValues: all.compactMap { function in function.keyword.map { (ByteString($0), function) } })

  /// The longest word of a function in predicate strings.
  private static let longestKeyword = byKeyword.keys.map(\.string.utf8.count).max() ?? 0

  /// The function with a name; nil where there is none.
  static func named(_ name: String) -> (any PredicateFunction)? { byName[ByteString(name)] }

  /// The function that a word between an operand and the rest spells, in capital or small letters.
  static func spelled(_ word: String) -> (any PredicateFunction)? {
    guard word.utf8.count <= longestKeyword else { return nil }
    let capitals = word.utf8.map { byte in byte &- 97 < 26 ? byte & 0xDF : byte }
    return byKeyword[ByteString(String(decoding: capitals, as: UTF8.self))]
  }

  /// The function of a call that it accepts.
  ///
  /// - Throws: `invalidQuery` with the nearest name there is, and for parts that the function does not take.
  static func function(of call: FunctionCall) throws(StorageError) -> any PredicateFunction {
    guard let function = named(call.name) else {
      let hint = NearestName.suggestion(for: call.name, among: all.map(\.name))
      throw StorageError(.invalidQuery, "predicates have no function \(call.name.shortened)\(hint)")
    }
    guard !call.operands.isEmpty else {
      throw StorageError(.invalidQuery, "\(function.name) needs an operand")
    }
    try function.check(call)
    return function
  }
}

extension FunctionCall {
  /// The condition that the call stands for, where its function is an abbreviation.
  package var expansion: PredicateTree? { PredicateFunctions.named(name)?.expansion(self) }

  /// The condition on an element that the call stands for, where its function tests the elements of its operand.
  package var elementCondition: PredicateTree? { PredicateFunctions.named(name)?.elementCondition(self) }

  /// The text of the call. A call that no function accepts has a text that no parser reads.
  var text: String {
    if let function = PredicateFunctions.named(name), !operands.isEmpty, (try? function.check(self)) != nil {
      return function.text(self)
    }
    let parts = operands.map(PredicateText.operand) + arguments.map(ValueText.literal)
    return "\(PredicateText.name(name))\(options.symbol)(\(parts.joined(separator: ", ")))"
  }
}

extension PredicateFunction {
  /// Refuses a call with other numbers of parts.
  ///
  /// - Throws: `invalidQuery`.
  func check(_ call: FunctionCall, operands: Int, arguments: Int) throws(StorageError) {
    guard call.operands.count == operands else {
      throw StorageError(.invalidQuery, "\(name) takes \(operands) operands, not \(call.operands.count)")
    }
    guard call.arguments.count == arguments else {
      throw StorageError(.invalidQuery, "\(name) takes \(arguments) constants, not \(call.arguments.count)")
    }
  }

  /// Refuses a call with a foldable text where nothing is folded.
  ///
  /// - Throws: `invalidQuery`.
  func checkHasNoOptions(_ call: FunctionCall) throws(StorageError) {
    guard call.options.isEmpty else { throw StorageError(.invalidQuery, "\(name) does not take [c] and [d]") }
  }

  /// Whether a call is true of a constant.
  ///
  /// - Throws: `invalidQuery` for a constant that the function is not defined for.
  func holds(_ call: FunctionCall, of value: Value) throws(StorageError) -> Bool {
    guard !value.isNull else { return false }
    guard case .call(let bound) = try bind(call, to: FunctionOperand(value)) else {
      throw StorageError(.invalidQuery, "\(name) cannot be evaluated for \(value.kind)")
    }
    return try matcher(bound).matches(value)
  }
}
