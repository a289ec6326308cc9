import SwiftSyntax

/// The name by which a model or a property travels between stores: `syncName:` of an attribute.
struct ParsedSyncName {
  let text: String
  let node: Syntax

  /// Nil where the attribute gives none, or none that can be read.
  init?(_ attribute: AttributeSyntax, _ diagnostics: inout Diagnostics) {
    let argument = attribute.labeledArguments.first { $0.label?.text == "syncName" }
    guard let expression = argument?.expression, !expression.is(NilLiteralExprSyntax.self) else { return nil }
    guard let text = expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue, !text.isEmpty else {
      diagnostics.error(
        .notLiteral, "the sync name must be a string literal and not empty, because the macro sees only the source",
        at: expression)
      return nil
    }
    self.text = text
    node = Syntax(expression)
  }
}

extension ModelParser {
  /// The name by which the model travels, where the attribute declares one.
  mutating func syncName(_ attribute: AttributeSyntax) -> String? {
    guard let name = ParsedSyncName(attribute, &diagnostics) else { return nil }
    check(name, of: "model")
    return name.text
  }

  private mutating func check(_ name: ParsedSyncName, of kind: String) {
    check(name: name.text, of: kind, at: name.node)
    if name.text == "!" { diagnostics.error(.reservedName, "the sync name '!' is reserved", at: name.node) }
  }

  /// Checks the names by which properties travel: each is declared once.
  mutating func checkSyncNames() {
    var seen: [[UInt8]: String] = [:]
    for property in properties {
      guard let name = property.syncName else { continue }
      check(name, of: "property")
      if let other = seen.updateValue(property.description.name, forKey: Array(name.text.utf8)) {
        diagnostics.error(.syncName, "'\(other)' travels by the name '\(name.text)', too", at: name.node)
      }
    }
  }
}
