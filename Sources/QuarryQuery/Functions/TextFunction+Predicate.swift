import QuarryBackend

extension TextFunction: PredicateFunction {
  var keyword: String? {
    switch operation {
    case .equal: nil
    case .contains: "CONTAINS"
    case .hasPrefix: "BEGINSWITH"
    case .hasSuffix: "ENDSWITH"
    case .like: "LIKE"
    }
  }

  func read(_ operand: Operand, _ reader: inout PredicateReader) throws(StorageError) -> PredicateTree {
    let (value, options, start) = try reader.textArgument()
    if case .string(let needle) = value { return .text(operand, operation, needle, options) }
    // An array contains; a text contains only texts.
    guard operation == .contains, options.isEmpty, case .property(let path) = operand else {
      throw reader.lexer.error("expected a string", at: start)
    }
    return .containsElement(path, value)
  }

  /// Equality of texts without options is written with empty brackets, because without them it is a comparison.
  func text(_ call: FunctionCall) -> String {
    let symbol = operation == .equal && call.options.symbol.isEmpty ? "[]" : call.options.symbol
    let (operand, needle) = (PredicateText.operand(call.operands[0]), ValueText.literal(call.arguments[0]))
    return "\(operand) \(keyword ?? "==")\(symbol) \(needle)"
  }

  func check(_ call: FunctionCall) throws(StorageError) {
    try check(call, operands: 1, arguments: 1)
    _ = try BoundFunction(self, call.arguments).text(at: 0)
  }

  func bind(_ call: FunctionCall, to operand: FunctionOperand) throws(StorageError) -> FunctionBinding {
    switch operand.form {
    case .array:
      guard operation == .contains, call.options.isEmpty else {
        throw operand.invalid("\(operand.words) is an array: \(name) needs ANY or ALL before it")
      }
      return .tree(.function(FunctionCall(ContainsElementFunction().name, call.operands, call.arguments)))
    case .unknown, .plain(.string), .plain(.url): break
    case .plain, .nested, .foreign: throw operand.invalid(self, needs: "a text")
    }
    let bound = BoundFunction(self, call.arguments, call.options)
    guard operand.isColumn else { return .call(bound) }
    switch range(bound) {
    case .every: return .tree(.compare(call.operands[0], .notEqual, .value(.null)))
    case .equal(let text) where operand.form == .plain(.string):
      return .tree(.compare(call.operands[0], .equal, .value(.string(text))))
    case .equal, .prefix, nil: return .call(bound)
    }
  }
}
