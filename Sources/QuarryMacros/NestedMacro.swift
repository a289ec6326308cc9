import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Nested`: the conformance of a struct to `NestedModel`.
struct NestedMacro {}

extension NestedMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    var parser = ModelParser(.nested)
    let nested = parser.parseNested(declaration, in: context)
    for diagnostic in parser.diagnostics.all { context.diagnose(diagnostic) }
    return nested?.members ?? []
  }
}

extension NestedMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    // The members' expansion reports the errors.
    var parser = ModelParser(.nested)
    guard let nested = parser.parseNested(declaration, in: context) else { return [] }
    guard !protocols.isEmpty else {
      let message =
        "@Nested writes the conformance to NestedModel itself; '\(nested.typeName)' already has another one"
      context.diagnose(Diagnostic(node: node, message: ModelMessage(kind: .conformanceWritten, message: message)))
      return []
    }
    return [
      DeclSyntax("extension \(raw: type.trimmedDescription): nonisolated QuarryCore.NestedModel {}").cast(
        ExtensionDeclSyntax.self)
    ]
  }
}
