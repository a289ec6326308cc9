import SwiftSyntax
import SwiftSyntaxMacros

/// `#Unique`: read by `@Model`, and nothing by itself.
struct UniqueMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    checkPlace(of: node, in: context)
    return []
  }
}
