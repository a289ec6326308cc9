import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_QuarryMany`: the getter of a property that is the other side of a reference. `@Model` attaches it, because an attribute
/// that is written before stored properties too cannot make some of them computed.
struct ManyMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let inverse = declaration.as(VariableDeclSyntax.self)?.inverseOfMany else { return [] }
    return ["get { QuarryCore.Many(of: self, inverse: \(inverse)) }"]
  }
}

extension VariableDeclSyntax {
  /// The inverse of a property that is the other side of a reference as `ModelParser` accepts it, else nil.
  var inverseOfMany: ExprSyntax? {
    guard bindingSpecifier.tokenKind == .keyword(.var), !modifiers.contains(.static), bindings.count == 1,
      let binding = bindings.first, binding.initializer == nil, binding.accessorBlock == nil,
      let type = binding.typeAnnotation?.type.wrapped, !type.isOptional, case .many = RelationType(type.type)
    else { return nil }
    let relationship = attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }
      .first { $0.shortName == "Relationship" }
    let inverse = relationship?.labeledArguments.first { $0.label?.text == "inverse" }?.expression
    return inverse?.as(KeyPathExprSyntax.self)?.root == nil ? nil : inverse?.trimmed
  }
}
