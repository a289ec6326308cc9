import SwiftSyntax
import SwiftSyntaxMacros

/// `#PrimaryKey`: read by `@Model`; it expands to nothing.
struct PrimaryKeyMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    checkPlace(of: node, in: context)
    return []
  }
}
