import SwiftSyntax

/// A stored property with what is asked of it and where it stands.
struct ParsedProperty {
  var description: PropertyDescription
  var options: [ParsedOption]
  var originalNameNode: Syntax?
  /// Where messages about the property point.
  var node: Syntax
  /// Where messages about its type point.
  var typeNode: Syntax
}

/// An option of `@Attribute` and where it stands.
struct ParsedOption {
  enum Kind: String {
    case primaryKey, unique, indexed
  }

  var kind: Kind
  var node: Syntax
}
