import QuarryBackend

/// Whether a value lies between two others, both included: `year BETWEEN {1970, 1979}`.
///
/// It stands for two comparisons, and so has their meaning for every ordered type, their indexes and their SQL.
struct BetweenFunction: PredicateFunction {
  var name: String { "between" }
  var keyword: String? { "BETWEEN" }

  func isDefined(for type: PropertyType) -> Bool { false }

  func matcher(_ call: BoundFunction) throws(StorageError) -> any FunctionMatcher {
    throw StorageError(.invalidQuery, "\(name) is bound as two comparisons")
  }

  func read(_ operand: Operand, _ reader: inout PredicateReader) throws(StorageError) -> PredicateTree {
    let (low, high) = try reader.bounds()
    return .between(operand, low, high)
  }

  func text(_ call: FunctionCall) -> String {
    let parts = call.operands.map(PredicateText.operand)
    return "\(parts[0]) BETWEEN {\(parts[1]), \(parts[2])}"
  }

  func check(_ call: FunctionCall) throws(StorageError) {
    try check(call, operands: 3, arguments: 0)
    try checkHasNoOptions(call)
  }

  func expansion(_ call: FunctionCall) -> PredicateTree? {
    guard call.operands.count == 3 else { return nil }
    return .and([
      .compare(call.operands[0], .greaterOrEqual, call.operands[1]),
      .compare(call.operands[0], .lessOrEqual, call.operands[2]),
    ])
  }

  func bind(_ call: FunctionCall, to operand: FunctionOperand) throws(StorageError) -> FunctionBinding {
    .tree(expansion(call) ?? .constant(false))
  }
}

extension PredicateTree {
  /// Whether a value lies between two others, both included. It is false where one of the three is nil.
  ///
  /// - Parameters:
  ///   - operand: The value in question.
  ///   - low: The least value that fulfils the condition.
  ///   - high: The greatest value that fulfils the condition.
  public static func between(_ operand: Operand, _ low: Operand, _ high: Operand) -> PredicateTree {
    .function(FunctionCall(BetweenFunction().name, [operand, low, high]))
  }
}
