import SwiftSyntax

extension AttributeSyntax {
  /// The name without its module.
  var shortName: String {
    attributeName.as(MemberTypeSyntax.self)?.name.text ?? attributeName.as(IdentifierTypeSyntax.self)?.name.text
      ?? attributeName.trimmedDescription
  }

  var labeledArguments: [LabeledExprSyntax] {
    guard case .argumentList(let list) = arguments else { return [] }
    return Array(list)
  }
}
