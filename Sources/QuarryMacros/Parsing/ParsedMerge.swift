import SwiftSyntax

/// The rule of `@Merge` and its place.
struct ParsedMerge {
  enum Rule: Equatable {
    case lww, max, min, counter, set
    case row(String)
  }

  let rule: Rule
  /// The place of messages about the rule.
  let node: Syntax

  init?(_ attribute: AttributeSyntax, _ diagnostics: inout Diagnostics) {
    guard let argument = attribute.labeledArguments.first?.expression else { return nil }
    node = Syntax(argument)
    let call = argument.as(FunctionCallExprSyntax.self)
    let name = (call?.calledExpression ?? argument).as(MemberAccessExprSyntax.self)?.declName.baseName.text
    let literal = call?.arguments.first?.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    switch (name, call == nil) {
    case ("lww", true): rule = .lww
    case ("max", true): rule = .max
    case ("min", true): rule = .min
    case ("counter", true): rule = .counter
    case ("set", true): rule = .set
    case ("row", false):
      guard let literal, !literal.isEmpty else {
        diagnostics.error(
          .notLiteral, "the group must be a string literal and not empty, because the macro sees only the source",
          at: argument)
        return nil
      }
      rule = .row(literal)
    default:
      diagnostics.error(
        .unknownOption,
        "write the rule as '.lww', '.max', '.min', '.counter', '.set' or '.row(\"group\")', "
          + "because the macro sees only the source",
        at: argument)
      return nil
    }
  }

  /// The rule as generated code has it.
  var text: String {
    switch rule {
    case .lww: ".lww"
    case .max: ".max"
    case .min: ".min"
    case .counter: ".counter"
    case .set: ".set"
    case .row(let group): ".row(\(group.sourceLiteral))"
    }
  }

  /// Whether the later write wins, as a key of an index needs it.
  var isPlain: Bool {
    switch rule {
    case .lww, .row: true
    default: false
    }
  }
}
