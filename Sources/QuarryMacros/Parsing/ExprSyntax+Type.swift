import SwiftSyntax
import SwiftSyntaxBuilder

extension ExprSyntax {
  /// The type of a property that has this value and no type annotation, where it can be seen in the source.
  var visibleType: TypeSyntax? {
    switch self.as(ExprSyntaxEnum.self) {
    case .integerLiteralExpr: "Int"
    case .floatLiteralExpr: "Double"
    case .booleanLiteralExpr: "Bool"
    case .stringLiteralExpr, .simpleStringLiteralExpr: "String"
    case .prefixOperatorExpr(let prefix):
      prefix.expression.visibleType.flatMap {
        Self.prefixOperators[prefix.operator.text]?.contains($0.name) == true ? $0 : nil
      }
    case .tupleExpr(let tuple): tuple.onlyExpression?.visibleType
    case .arrayExpr(let array): Self.common(array.elements.map(\.expression)).map { "[\($0)]" }
    case .functionCallExpr(let call): call.createdType
    case .forceUnwrapExpr(let unwrap):
      // A failable init, so that its arguments say nothing more.
      unwrap.expression.as(FunctionCallExprSyntax.self)?.calledExpression.asType
    case .memberAccessExpr(let member) where member.declName.baseName.tokenKind != .keyword(.self):
      // By custom a static member that is read like a value is one: an enum case, `Date.now`, `Int.max`.
      member.declName.baseName.text.isTypeName ? nil : member.base?.asType
    case .asExpr(let cast): cast.questionOrExclamationMark.castType(cast.type)
    case .infixOperatorExpr(let infix):
      infix.operator.isArithmetic ? Self.common([infix.leftOperand, infix.rightOperand]) : nil
    case .sequenceExpr(let sequence): sequence.visibleType
    default: nil
    }
  }

  private static let prefixOperators: [String: Set<String>] = [
    "-": ["Int", "Double"], "+": ["Int", "Double"], "~": ["Int"], "!": ["Bool"],
  ]

  /// The common type of several expressions: integers among floating point numbers count as floating point.
  static func common(_ expressions: [ExprSyntax]) -> TypeSyntax? {
    let types = expressions.map { $0.visibleType }
    guard let first = types.first ?? nil else { return nil }
    var names: Set<String> = []
    for type in types {
      guard let type else { return nil }
      names.insert(type.name)
    }
    if names.count == 1 { return first }
    return names == ["Int", "Double"] ? "Double" : nil
  }

  /// The type that the expression names, if it can only be a type by the custom that types begin with a capital letter.
  var asType: TypeSyntax? {
    switch self.as(ExprSyntaxEnum.self) {
    case .declReferenceExpr(let reference):
      guard reference.argumentNames == nil, reference.baseName.text.isTypeName else { return nil }
    case .memberAccessExpr(let member):
      guard member.declName.baseName.text.isTypeName, let base = member.base, base.asType != nil else { return nil }
    case .genericSpecializationExpr(let generic):
      guard generic.expression.asType != nil else { return nil }
    case .optionalChainingExpr(let optional):
      guard optional.expression.asType != nil else { return nil }
    case .arrayExpr(let array):
      guard array.elements.count == 1, let element = array.elements.first, element.expression.asType != nil else {
        return nil
      }
    case .dictionaryExpr(let dictionary):
      guard case .elements(let elements) = dictionary.content, elements.count == 1, let element = elements.first,
        element.key.asType != nil, element.value.asType != nil
      else { return nil }
    default:
      return nil
    }
    return "\(raw: trimmedDescription)"
  }
}

extension TypeSyntax {
  fileprivate var name: String { trimmedDescription }
}

extension TokenSyntax? {
  /// The type that `as`, `as!` or `as?` gives.
  fileprivate func castType(_ type: TypeSyntax) -> TypeSyntax {
    self?.tokenKind == .postfixQuestionMark ? "\(raw: type.trimmedDescription)?" : type.trimmed
  }
}

extension TupleExprSyntax {
  /// The expression in a pair of parentheses.
  var onlyExpression: ExprSyntax? {
    elements.count == 1 && elements.first?.label == nil ? elements.first?.expression : nil
  }
}

extension SequenceExprSyntax {
  fileprivate var visibleType: TypeSyntax? {
    let parts = Array(elements)
    if parts.count >= 3, let cast = parts[parts.count - 2].as(UnresolvedAsExprSyntax.self),
      let type = parts[parts.count - 1].as(TypeExprSyntax.self)
    {
      return cast.questionOrExclamationMark.castType(type.type)
    }
    return arithmeticOperands.flatMap { ExprSyntax.common($0) }
  }

  /// The operands, if all operators are arithmetic.
  var arithmeticOperands: [ExprSyntax]? {
    var operands: [ExprSyntax] = []
    for (place, part) in elements.enumerated() {
      if place % 2 == 0 {
        operands.append(part)
      } else if !part.isArithmetic {
        return nil
      }
    }
    return operands
  }
}

extension ExprSyntax {
  /// Whether it is an operator that gives the type of its operands.
  var isArithmetic: Bool {
    guard let text = self.as(BinaryOperatorExprSyntax.self)?.operator.text else { return false }
    return ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"].contains(text)
  }
}

extension FunctionCallExprSyntax {
  /// The type whose value the call creates, if it is an initializer that does not appear to be failable.
  fileprivate var createdType: TypeSyntax? {
    var callee = calledExpression
    if let member = callee.as(MemberAccessExprSyntax.self), member.declName.baseName.tokenKind == .keyword(.`init`),
      let base = member.base
    {
      callee = base
    }
    guard let type = callee.asType else { return nil }
    guard let first = arguments.first else { return type }
    switch first.label?.text {
    case "rawValue", "string", "uuidString", "base64Encoded", "exactly", "validating", "validatingUTF8":
      return nil
    case "data", "bytes":
      return type.trimmedDescription == "String" ? nil : type
    case nil where type.isNumberOrBool:
      // `Int("1")` is optional, `Int(1)` is not.
      guard let argument = first.expression.visibleType?.trimmedDescription else { return nil }
      return argument == "String" ? nil : type
    default:
      return type
    }
  }
}

extension TypeSyntax {
  /// Whether it is a built-in type whose init from text can fail.
  fileprivate var isNumberOrBool: Bool {
    let name = trimmedDescription
    return ["Bool", "Double", "Float"].contains(name) || name.wholeMatch(of: /U?Int(8|16|32|64)?/) != nil
  }
}

extension String {
  /// Whether a name begins like the name of a type.
  var isTypeName: Bool {
    drop { $0 == "`" || $0 == "_" }.first?.isUppercase == true
  }
}
