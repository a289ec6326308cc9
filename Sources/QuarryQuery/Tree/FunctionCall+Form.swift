package import QuarryBackend

extension FunctionCall {
  /// The form in which a call is written as JSON, and in which it counts for the identity of a page.
  ///
  /// Searches for texts and elements had forms of their own before there were calls. Trees and positions that programs keep have
  /// these forms.
  package enum Form {
    case text(Operand, TextOperator, String, TextOptions)
    case containsElement(PropertyPath, Value)
    case call
  }

  /// The form of this call.
  package var form: Form {
    guard operands.count == 1, arguments.count == 1 else { return .call }
    if let operation = TextOperator(rawValue: name), case .string(let needle) = arguments[0] {
      return .text(operands[0], operation, needle, options)
    }
    if name.utf8.elementsEqual(ContainsElementFunction().name.utf8), options.isEmpty,
      case .property(let path) = operands[0]
    {
      return .containsElement(path, arguments[0])
    }
    return .call
  }
}
