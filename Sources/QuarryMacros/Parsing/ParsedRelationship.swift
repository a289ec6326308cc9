import SwiftDiagnostics
import SwiftSyntax

/// The arguments of `@Relationship`.
struct ParsedRelationship {
  /// The attribute.
  let node: AttributeSyntax
  /// The name of the delete rule's case.
  private(set) var deleteRule: String?
  /// The node of the delete rule.
  private(set) var deleteRuleNode: Syntax?
  /// The argument that names the property which refers.
  private(set) var inverse: LabeledExprSyntax?
  /// Whether an object may be linked more than once.
  private(set) var allowsDuplicates = false

  init(_ attribute: AttributeSyntax, _ diagnostics: inout Diagnostics) {
    node = attribute
    for argument in attribute.labeledArguments {
      switch argument.label?.text {
      case "deleteRule": readRule(argument.expression, &diagnostics)
      case "inverse": inverse = argument
      case nil:
        let member = argument.expression.as(MemberAccessExprSyntax.self)
        if member?.declName.baseName.text == "allowsDuplicates" { allowsDuplicates = true }
      default: break
      }
    }
  }

  private mutating func readRule(_ expression: ExprSyntax, _ diagnostics: inout Diagnostics) {
    if expression.is(NilLiteralExprSyntax.self) { return }
    guard let member = expression.as(MemberAccessExprSyntax.self) else {
      diagnostics.error(
        .notLiteral, "write a delete rule as '.cascade', '.nullify' or '.deny', because the macro sees only the source",
        at: expression)
      return
    }
    let name = member.declName.baseName
    guard ["cascade", "nullify", "deny"].contains(name.text) else {
      diagnostics.error(
        .deleteRule,
        "there is no delete rule '\(name.text)', because a reference always leads to an object that is stored: '.deny' "
          + "keeps the object, '.nullify' makes the reference nil, '.cascade' removes the referring objects",
        at: expression,
        fixIts: ["deny", "nullify"].map { rule in
          FixIt(
            .deleteRule, "write '.\(rule)'", replacing: name, with: name.with(\.tokenKind, .identifier(rule)))
        })
      return
    }
    deleteRule = name.text
    deleteRuleNode = Syntax(expression)
  }
}
