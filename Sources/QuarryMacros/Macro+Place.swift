import SwiftSyntax
import SwiftSyntaxMacros

extension DeclarationMacro {
  /// Reports a place where the macro would have no effect.
  static func checkPlace(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) {
    guard !context.isInModel else { return }
    var diagnostics = Diagnostics()
    diagnostics.error(.misplaced, "#\(node.macroName.text) must be inside a struct with @Model", at: node)
    for diagnostic in diagnostics.all { context.diagnose(diagnostic) }
  }
}

extension PeerMacro {
  /// Reports a place where the attribute would have no effect.
  static func checkPlace(
    of node: AttributeSyntax, on declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) {
    var diagnostics = Diagnostics()
    let name = "@\(node.shortName)"
    let variable = declaration.as(VariableDeclSyntax.self)
    let isTransient = node.shortName == "Transient"
    // The nested type's own macro reports that it has no relations.
    let isInNested = context.isInNested && (isTransient || node.shortName == "Relationship")
    if !context.isInModel, !isInNested {
      let types = isTransient ? "@Model or @Nested" : "@Model"
      diagnostics.error(.misplaced, "\(name) is for properties of a struct with \(types)", at: node)
    } else if let variable, !variable.modifiers.contains(.static), variable.bindings.contains(where: \.isStored) {
      return
    } else {
      diagnostics.error(.misplaced, "\(name) is for stored properties, and this is not one", at: node)
    }
    for diagnostic in diagnostics.all { context.diagnose(diagnostic) }
  }
}

extension MacroExpansionContext {
  /// Whether the innermost type around has `@Model`.
  var isInModel: Bool { isInType(with: "Model") }

  /// Whether the innermost type around has `@Nested`.
  var isInNested: Bool { isInType(with: "Nested") }

  private func isInType(with attribute: String) -> Bool {
    let type = lexicalContext.first { $0.isProtocol((any DeclGroupSyntax).self) }
    guard let attributes = type?.asProtocol((any WithAttributesSyntax).self)?.attributes else { return false }
    return attributes.contains { $0.as(AttributeSyntax.self)?.shortName == attribute }
  }
}
