import SwiftSyntax
import SwiftSyntaxMacros

/// `@Merge`: read by `@Model`; it expands to nothing.
struct MergeMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    checkPlace(of: node, on: declaration, in: context)
    return []
  }
}
