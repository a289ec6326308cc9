import SwiftSyntax
import SwiftSyntaxMacros

/// `#Index`: read by `@Model`; it expands to nothing.
struct IndexMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    checkPlace(of: node, in: context)
    return []
  }
}
