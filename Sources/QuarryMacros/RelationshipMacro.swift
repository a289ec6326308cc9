import SwiftSyntax
import SwiftSyntaxMacros

/// `@Relationship`: what does not exist yet, with words about it in place of those about an unknown attribute.
struct RelationshipMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    // Of stored properties the macro of the struct says it.
    let variable = declaration.as(VariableDeclSyntax.self)
    let isStored = variable.map { !$0.modifiers.contains(.static) && $0.bindings.contains(where: \.isStored) } ?? false
    guard !isStored || !(context.isInModel || context.isInNested) else { return [] }
    var diagnostics = Diagnostics()
    diagnostics.error(.relationship, ParsedAttributes.relationshipMessage, at: node)
    for diagnostic in diagnostics.all { context.diagnose(diagnostic) }
    return []
  }
}
