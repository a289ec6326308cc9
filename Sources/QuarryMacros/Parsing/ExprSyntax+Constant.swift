import SwiftSyntax

extension ExprSyntax {
  /// The expression as generated code repeats it, if it is a constant; nil for `nil` too, which needs no default.
  ///
  /// - Parameter type: The property's type.
  func constant(of type: StorableType) -> String? {
    guard type.isStorable else { return emptyCollection }
    if let member = self.as(MemberAccessExprSyntax.self), member.base == nil {
      // With its type, because `.none` alone would be read as the nil of the optional parameter.
      return constantText(type).map { "\($0) as \(type.text)" }
    }
    return constantText(type)
  }

  /// The literal of a dictionary or a set that is empty.
  private var emptyCollection: String? {
    if let dictionary = self.as(DictionaryExprSyntax.self), case .colon = dictionary.content { return "[:]" }
    if let array = self.as(ArrayExprSyntax.self), array.elements.isEmpty { return "[]" }
    return nil
  }

  private func constantText(_ type: StorableType) -> String? {
    switch self.as(ExprSyntaxEnum.self) {
    case .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr:
      return trimmedDescription
    case .stringLiteralExpr(let literal):
      return literal.representedLiteralValue.map(\.sourceLiteral)
    case .prefixOperatorExpr(let prefix):
      guard prefix.expression.is(IntegerLiteralExprSyntax.self) || prefix.expression.is(FloatLiteralExprSyntax.self)
      else { return nil }
      return trimmedDescription
    case .tupleExpr(let tuple):
      return tuple.onlyExpression?.constantText(type).map { "(\($0))" }
    case .arrayExpr(let array):
      var elements: [String] = []
      for element in array.elements {
        guard let text = element.expression.constantText(type) else { return nil }
        elements.append(text)
      }
      return "[\(elements.joined(separator: ", "))]"
    case .memberAccessExpr(let member):
      return member.isConstant(of: type) ? trimmedDescription : nil
    case .functionCallExpr(let call):
      return call.emptyValue
    case .asExpr(let cast) where cast.questionOrExclamationMark == nil:
      return cast.expression.constantText(type).map { "(\($0) as \(cast.type.trimmedDescription))" }
    case .infixOperatorExpr(let infix):
      guard infix.operator.isArithmetic, let left = infix.leftOperand.numberText,
        let right = infix.rightOperand.numberText
      else { return nil }
      return "\(left) \(infix.operator.trimmedDescription) \(right)"
    case .sequenceExpr(let sequence):
      return sequence.constantText
    default:
      return nil
    }
  }

  /// A number, or arithmetic on numbers.
  fileprivate var numberText: String? {
    switch self.as(ExprSyntaxEnum.self) {
    case .integerLiteralExpr, .floatLiteralExpr: trimmedDescription
    case .prefixOperatorExpr(let prefix): prefix.expression.numberText.map { _ in trimmedDescription }
    case .tupleExpr(let tuple): tuple.onlyExpression?.numberText.map { "(\($0))" }
    case .sequenceExpr(let sequence): sequence.constantText
    case .infixOperatorExpr(let infix):
      infix.operator.isArithmetic && infix.leftOperand.numberText != nil && infix.rightOperand.numberText != nil
        ? trimmedDescription : nil
    default: nil
    }
  }
}

extension SequenceExprSyntax {
  fileprivate var constantText: String? {
    let parts = Array(elements)
    if parts.count == 3, let cast = parts[1].as(UnresolvedAsExprSyntax.self), cast.questionOrExclamationMark == nil,
      let type = parts[2].as(TypeExprSyntax.self)
    {
      return parts[0].numberText.map { "(\($0) as \(type.trimmedDescription))" }
    }
    guard let operands = arithmeticOperands, operands.allSatisfy({ $0.numberText != nil }) else { return nil }
    return parts.map(\.trimmedDescription).joined(separator: " ")
  }
}

extension MemberAccessExprSyntax {
  /// Whether a static member is the same in every run: it looks like an enum case. `Date.now` is the built-in exception, so only
  /// two dates are known to be constant.
  fileprivate func isConstant(of type: StorableType) -> Bool {
    guard declName.argumentNames == nil, !declName.baseName.text.isTypeName,
      declName.baseName.tokenKind != .keyword(.self)
    else { return false }
    if let base {
      // The static member of another type is no case.
      guard let written = base.asType, let owner = try? StorableType(written, model: "Self"),
        owner.baseName == type.baseName
      else { return false }
    }
    return type.baseName != "Date" || ["distantPast", "distantFuture"].contains(declName.baseName.text)
  }
}

extension FunctionCallExprSyntax {
  /// The empty value of a built-in type that a call without arguments creates.
  fileprivate var emptyValue: String? {
    guard arguments.isEmpty, trailingClosure == nil, let type = calledExpression.asType,
      let storable = try? StorableType(type, model: "Self"), !storable.isOptional
    else { return nil }
    if storable.isArray { return "[]" }
    let known = ["String", "Data", "Bool", "Int", "Double", "Float", "Decimal"]
    return storable.baseName.flatMap { known.contains($0) ? trimmedDescription : nil }
  }
}

extension String {
  /// The text as a literal on one line.
  var sourceLiteral: String {
    var result = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F || scalar.properties.generalCategory == .format:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
