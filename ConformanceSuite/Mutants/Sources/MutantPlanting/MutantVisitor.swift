import SwiftSyntax

final class MutantVisitor: SyntaxVisitor {
  private(set) var mutants: [Mutant] = []
  private let file: String
  private let source: [UInt8]
  private let lines: SourceLines

  init(_ source: String, _ file: String) {
    self.file = file
    self.source = Array(source.utf8)
    lines = SourceLines(self.source)
    super.init(viewMode: .sourceAccurate)
  }

  // MARK: - What is left alone

  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: GenericArgumentClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: GenericParameterClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: DeinitializerDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
    let condition = node.condition?.trimmedDescription ?? ""
    // Code for another system is not compiled here.
    let isApple = condition.hasPrefix("canImport(Darwin)") || condition.hasPrefix("os(")
    if let elements = node.elements, !isApple { walk(elements) }
    return .skipChildren
  }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    let names = node.bindings.map { $0.pattern.trimmedDescription }
    return names == ["description"] || names == ["debugDescription"] ? .skipChildren : .visitChildren
  }

  // MARK: - Operators

  private static let replacements: [String: [String]] = [
    "<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"], "==": ["!="], "!=": ["=="], "===": ["!=="], "!==": ["==="],
    "&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"], "&+": ["&-"], "&-": ["&+"], "*": ["+"], "/": ["*"],
    "<<": [">>"], ">>": ["<<"], "&<<": ["&>>"], "&>>": ["&<<"], "&": ["|"], "|": ["&"], "%": ["/"],
  ]

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    guard let token = node.operator.as(BinaryOperatorExprSyntax.self)?.operator else { return .visitChildren }
    let name = token.text
    // Joined texts cannot be taken apart by another operator, and lists neither.
    let operands = [node.leftOperand, node.rightOperand]
    let isText = operands.contains { $0.is(StringLiteralExprSyntax.self) || $0.is(ArrayExprSyntax.self) }
    if !isText || !name.contains("+") {
      for other in Self.replacements[name] ?? [] { change(node, token, other) }
    }
    switch name {
    case "&&", "||":
      add(node, .either(changed: node.leftOperand.trimmedDescription), to: node.leftOperand.trimmedDescription)
      add(node, .either(changed: node.rightOperand.trimmedDescription), to: node.rightOperand.trimmedDescription)
    case "??":
      add(node, .either(changed: node.rightOperand.trimmedDescription), to: node.rightOperand.trimmedDescription)
    case "..<", "...":
      shift(node.leftOperand, "+")
      shift(node.rightOperand, "-")
    default: break
    }
    return .visitChildren
  }

  private func shift(_ bound: ExprSyntax, _ sign: String) {
    // A literal has a mutant of its own.
    guard !bound.is(IntegerLiteralExprSyntax.self), !bound.is(MissingExprSyntax.self) else { return }
    let changed = "\(bound.trimmedDescription) \(sign) 1"
    add(bound, .either(changed: "(\(bound.trimmedDescription)) \(sign) 1"), to: changed)
  }

  override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    if ["!", "-", "~"].contains(node.operator.text), !node.expression.is(IntegerLiteralExprSyntax.self) {
      add(node, .either(changed: node.expression.trimmedDescription), to: node.expression.trimmedDescription)
    }
    return .visitChildren
  }

  override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
    add(node.condition, .negated, to: "not (\(node.condition.trimmedDescription))")
    return .visitChildren
  }

  // MARK: - Conditions

  override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
    guard case .expression(let condition) = node.condition else { return .visitChildren }
    let isLoop = node.parent?.parent?.is(WhileStmtSyntax.self) == true
    add(condition, .negated, to: "not (\(condition.trimmedDescription))")
    // In a guard the check is left out; in an if the branch is always taken. A loop would only never end.
    if !isLoop { add(condition, .either(changed: "true"), to: "true") }
    return .visitChildren
  }

  override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
    add(node.condition, .either(changed: "true"), to: "true")
    return .visitChildren
  }

  // MARK: - Constants

  override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    let text = node.literal.text
    guard let value = UInt64(text.filter { $0 != "_" }) else {
      // Tags and masks: one more, in the digits that stand there.
      add(node, .either(changed: "\(text) + 1"), to: "\(text) + 1")
      return .skipChildren
    }
    switch value {
    case 0: add(node, .either(changed: "1"), to: "1")
    case .max: break
    default:
      add(node, .either(changed: "\(value - 1)"), to: "\(value - 1)")
      if value > 1 { add(node, .either(changed: "\(value + 1)"), to: "\(value + 1)") }
    }
    return .skipChildren
  }

  override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    let other = node.literal.text == "true" ? "false" : "true"
    add(node, .either(changed: other), to: other)
    return .skipChildren
  }

  // MARK: - Names

  private static let opposites: [String: String] = {
    let pairs = [
      ("min", "max"), ("first", "last"), ("lowerBound", "upperBound"), ("hasPrefix", "hasSuffix"),
      ("ascending", "descending"), ("prefix", "suffix"), ("dropFirst", "dropLast"), ("removeFirst", "removeLast"),
      ("startIndex", "endIndex"), ("union", "intersection"), ("lowercased", "uppercased"), ("less", "greater"),
      ("minimum", "maximum"), ("leadingZeroBitCount", "trailingZeroBitCount"), ("contains", "isDisjoint"),
    ]
    return Dictionary(pairs + pairs.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }()

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.declName.baseName
    // Of a call all is written twice, so that both have a type of their own.
    let whole = node.parent?.as(FunctionCallExprSyntax.self).map { ExprSyntax($0) } ?? ExprSyntax(node)
    if let other = Self.opposites[name.text], Self.isValue(whole) { change(whole, name, other) }
    if name.text == "isEmpty" { add(node, .negated, to: "not (\(node.trimmedDescription))") }
    return .visitChildren
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    guard ["min", "max"].contains(node.baseName.text), let call = node.parent?.as(FunctionCallExprSyntax.self),
      call.calledExpression.id == node.id, let other = Self.opposites[node.baseName.text]
    else { return .visitChildren }
    change(ExprSyntax(call), node.baseName, other)
    return .visitChildren
  }

  /// Whether an expression is read, and not a place that is written to.
  private static func isValue(_ node: ExprSyntax) -> Bool {
    if node.parent?.is(InOutExprSyntax.self) == true { return false }
    guard let infix = node.parent?.as(InfixOperatorExprSyntax.self), infix.leftOperand.id == node.id else {
      return true
    }
    return !infix.operator.is(AssignmentExprSyntax.self)
  }

  // MARK: - Calls and statements

  private static let silent: Set = ["precondition", "preconditionFailure", "assert", "assertionFailure", "fatalError"]
  private static let unseen: Set = ["reserveCapacity", "deallocate", "deinitialize", "free"]

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    Self.silent.contains(node.calledExpression.trimmedDescription) ? .skipChildren : .visitChildren
  }

  override func visit(_ node: CodeBlockItemListSyntax) -> SyntaxVisitorContinueKind {
    // A body of one expression may be its result.
    let isResult = node.count == 1 && Self.returnsImplicitly(node)
    // The last statement of a guard leaves the scope, or it does not compile.
    let isGuard = node.parent?.parent?.is(GuardStmtSyntax.self) == true
    for item in isGuard ? node.dropLast() : node[...] where !isResult { leaveOut(item) }
    return .visitChildren
  }

  private static func returnsImplicitly(_ list: CodeBlockItemListSyntax) -> Bool {
    guard let parent = list.parent else { return false }
    if parent.is(ClosureExprSyntax.self) || parent.is(AccessorBlockSyntax.self) || parent.is(SwitchCaseSyntax.self) {
      return true
    }
    guard let owner = parent.parent else { return false }
    if let function = owner.as(FunctionDeclSyntax.self) { return function.signature.returnClause != nil }
    // Without an else it has no result.
    if let condition = owner.as(IfExprSyntax.self) { return condition.elseBody != nil }
    return owner.is(AccessorDeclSyntax.self)
  }

  private func leaveOut(_ item: CodeBlockItemSyntax) {
    switch item.item {
    case .stmt(let statement):
      let isReturn = statement.as(ReturnStmtSyntax.self).map { $0.expression == nil } == true
      let isWhole = isReturn || statement.is(ContinueStmtSyntax.self)
      if isWhole { add(statement, .skipped, to: "nothing") }
    case .expr(let expression):
      var inner = expression
      while let next = inner.as(TryExprSyntax.self)?.expression ?? inner.as(AwaitExprSyntax.self)?.expression {
        inner = next
      }
      if let infix = inner.as(InfixOperatorExprSyntax.self) {
        let name = infix.operator.trimmedDescription
        let isChange = infix.operator.is(AssignmentExprSyntax.self) || (name.hasSuffix("=") && name.count > 1)
        let isComparison = ["==", "!=", "<=", ">=", "===", "!=="].contains(name)
        let left = infix.leftOperand.trimmedDescription
        // An initializer that leaves a property out does not compile, and what has no name is only evaluated.
        let isFirst = left.hasPrefix("self.") && Self.isInInitializer(item)
        if isChange, !isComparison, !isFirst, left != "_" {
          add(expression, .skipped, to: "nothing")
        }
      } else if let call = inner.as(FunctionCallExprSyntax.self) {
        let called = call.calledExpression
        let name = called.as(MemberAccessExprSyntax.self)?.declName.baseName.text ?? called.trimmedDescription
        let isInitializer = called.trimmedDescription.hasSuffix(".init")
        if !Self.silent.contains(name), !Self.unseen.contains(name), !isInitializer {
          add(expression, .skipped, to: "nothing")
        }
      }
    case .decl: break
    }
  }

  private static func isInInitializer(_ node: CodeBlockItemSyntax) -> Bool {
    node.parent?.parent?.parent?.is(InitializerDeclSyntax.self) == true
  }

  override func visit(_ node: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
    guard let expression = node.expression, !expression.is(NilLiteralExprSyntax.self), isInOptionalFunction(node) else {
      return .visitChildren
    }
    add(expression, .either(changed: "nil"), to: "nil")
    return .visitChildren
  }

  private func isInOptionalFunction(_ node: ReturnStmtSyntax) -> Bool {
    var next = node.parent
    while let parent = next {
      if let function = parent.as(FunctionDeclSyntax.self) {
        return function.signature.returnClause?.type.is(OptionalTypeSyntax.self) == true
      }
      if parent.is(ClosureExprSyntax.self) || parent.is(AccessorDeclSyntax.self) { return false }
      next = parent.parent
    }
    return false
  }

  // MARK: -

  private func add(_ node: some SyntaxProtocol, _ planting: Mutant.Planting, to changed: String) {
    let range = node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
    guard !range.isEmpty else { return }
    let line = lines.line(at: range.lowerBound)
    mutants.append(
      Mutant(
        file: file, line: line, lineText: lines.text(line),
        change: "\(Self.oneLine(node.trimmedDescription)) => \(Self.oneLine(changed))", range: range,
        planting: planting))
  }

  /// Replaces one token of a node.
  private func change(_ node: some ExprSyntaxProtocol, _ token: TokenSyntax, _ other: String) {
    let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
    let end = node.endPositionBeforeTrailingTrivia.utf8Offset
    let from = token.positionAfterSkippingLeadingTrivia.utf8Offset
    let to = token.endPositionBeforeTrailingTrivia.utf8Offset
    let changed = source[start..<from] + Array(other.utf8) + source[to..<end]
    let text = String(decoding: changed, as: UTF8.self)
    add(node, .either(changed: text), to: text)
  }

  /// Code of several lines on one, without its comments.
  private static func oneLine(_ text: String) -> String {
    let lines = text.split(separator: "\n").map { line in
      line.drop { $0 == " " }
    }
    return lines.filter { !$0.hasPrefix("//") }.joined(separator: " ")
  }
}
