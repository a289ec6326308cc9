import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelParser {
  /// Reads a property that is a list of linked objects, and reports a property that cannot be one.
  mutating func parseLinks(
    to target: TypeSyntax, _ written: TypeSyntax, _ isOptional: Bool, _ binding: PatternBindingSyntax,
    _ token: TokenSyntax,
    _ attributes: ParsedAttributes, of variable: VariableDeclSyntax
  ) {
    let name = token.identifier?.name ?? token.text
    unstored[name] = "is a list of linked objects"
    guard checkForm(of: binding, name, written, isOptional, attributes, of: variable) else { return }
    let relationship = attributes.relationship
    if let inverse = relationship?.inverse {
      diagnostics.error(
        .relationInverse,
        "the inverse is declared on the other side: a property of the type 'Many<\(model)>' with 'inverse: \\\(model).\(name)'",
        at: inverse, fixIts: relationship.map { [.removeArgument(inverse, from: $0.node)] } ?? [])
      return
    }
    if relationship?.deleteRule == "cascade", let node = relationship?.deleteRuleNode {
      diagnostics.error(
        .deleteRule,
        "links have no delete rule 'cascade', because other objects may be linked with the same ones: '.deny' keeps an "
          + "object that has links, and without a rule the links go with it",
        at: node)
      return
    }
    relations.append(
      RelationDescription(
        token: token.text, name: name, object: target.trimmedDescription == "Self" ? model : target.trimmedDescription,
        columnAccess: columnAccess(variable, target.trimmedDescription), inverse: nil,
        allowsDuplicates: relationship?.allowsDuplicates == true,
        deleteRule: relationship?.deleteRule))
  }
}
