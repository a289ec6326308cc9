import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model`: the conformance of a struct to `Model`.
///
/// Whatever names the types of properties is generated among the struct's members, where those names mean what they
/// mean in the struct; in an extension of `Library.Book` the types of `Library` are not in scope. The init alone is in
/// the extension, because an init among the members takes away the memberwise one, unless another is asked for.
struct ModelMacro {}

extension ModelMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    var parser = ModelParser(.model)
    let model = parser.parse(declaration, node, in: context)
    for diagnostic in parser.diagnostics.all { context.diagnose(diagnostic) }
    return model?.members ?? []
  }
}

extension ModelMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let variable = member.as(VariableDeclSyntax.self) else { return [] }
    if variable.inverseOfMany != nil { return ["@_QuarryMany"] }
    return variable.nameOfLinks == nil ? [] : ["@_QuarryLinks"]
  }
}

extension ModelMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    // The members' expansion reports the errors.
    var parser = ModelParser(.model)
    guard let model = parser.parse(declaration, node, in: context) else { return [] }
    guard !protocols.isEmpty else {
      let message = "@Model writes the conformance to Model itself; '\(model.typeName)' already has another one"
      context.diagnose(Diagnostic(node: node, message: ModelMessage(kind: .conformanceWritten, message: message)))
      return []
    }
    return [model.conformance(of: type.trimmedDescription)]
  }
}
