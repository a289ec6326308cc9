import SwiftSyntax
import SwiftSyntaxMacros

/// `#Unique`: read by `@Model`; it expands to nothing.
struct UniqueMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    checkPlace(of: node, in: context)
    return []
  }
}
