import QuarryBackend

extension ContainsElementFunction: PredicateFunction {
  /// It is written as `value IN array`, and read as `array CONTAINS value`, too.
  var keyword: String? { nil }

  func read(_ operand: Operand, _ reader: inout PredicateReader) throws(StorageError) -> PredicateTree {
    throw reader.expectedComparison()
  }

  func text(_ call: FunctionCall) -> String {
    "\(ValueText.literal(call.arguments[0])) IN \(PredicateText.operand(call.operands[0]))"
  }

  func check(_ call: FunctionCall) throws(StorageError) {
    try check(call, operands: 1, arguments: 1)
    try checkHasNoOptions(call)
    guard case .property = call.operands[0] else {
      throw StorageError(.invalidQuery, "\(name) needs a property or a part of one")
    }
  }

  func elementCondition(_ call: FunctionCall) -> PredicateTree? {
    call.arguments.first.map { .compare(.property(.element), .equal, .value($0)) }
  }

  func bind(_ call: FunctionCall, to operand: FunctionOperand) throws(StorageError) -> FunctionBinding {
    let value = call.arguments[0]
    switch operand.form {
    case .unknown:
      // Written as ANY, where a decimal of the query may stand for a Double.
      if case .property(let path) = call.operands[0], NestedBinder.standsForDouble(value) {
        return .tree(.any(path, .compare(.property(.element), .equal, .value(value))))
      }
      return .call(BoundFunction(self, [value]))
    case .array(let element): return .call(BoundFunction(self, [try operand.fitted(value, to: element)]))
    case .plain, .nested, .foreign: throw operand.invalid("\(operand.words) \(operand.form.words) and has no elements")
    }
  }
}
