import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_QuarryLinks`: the getter of a property that is a list of linked objects. `@Model` attaches it, as `@_QuarryMany`.
struct LinksMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let name = declaration.as(VariableDeclSyntax.self)?.nameOfLinks else { return [] }
    return ["get { QuarryCore.Links(of: self, \(raw: name.sourceLiteral)) }"]
  }
}

extension VariableDeclSyntax {
  /// The name of a property that is a list of linked objects as `ModelParser` accepts it, else nil.
  var nameOfLinks: String? {
    guard bindingSpecifier.tokenKind == .keyword(.var), !modifiers.contains(.static), bindings.count == 1,
      let binding = bindings.first, binding.initializer == nil, binding.accessorBlock == nil,
      let type = binding.typeAnnotation?.type.wrapped, !type.isOptional, case .links = RelationType(type.type),
      let token = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
    else { return nil }
    return token.identifier?.name ?? token.text
  }
}
