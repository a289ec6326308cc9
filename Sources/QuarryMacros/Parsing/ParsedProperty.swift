import SwiftSyntax

/// A stored property with its attributes and its place.
struct ParsedProperty {
  var description: PropertyDescription
  var options: [ParsedOption]
  var originalNameNode: Syntax?
  var syncName: ParsedSyncName?
  var merge: ParsedMerge?
  /// The place of messages about the property.
  var node: Syntax
  /// The place of messages about its type.
  var typeNode: Syntax
}

/// An option of `@Attribute` and its place.
struct ParsedOption {
  enum Kind: String {
    case primaryKey, generated, unique, indexed, searchable
  }

  var kind: Kind
  var node: Syntax
  /// The weight of a search.
  var weight = 1
  /// The language of a search, as it is written.
  var language: String?
}
