import SwiftSyntax

/// The description of a struct that `@Model` has read.
struct ModelDescription {
  /// The struct's name as it is written, with backticks if it has them.
  var typeName: String
  var storedName: String
  /// The name that the model had in the store before.
  var originalName: String?
  /// The name by which the model travels, where one is declared.
  var syncName: String?
  /// The access level of the generated members with a space after it, or nothing.
  var access: String
  /// The access level of a memberwise init that is to be written, with a space after it; nil for none.
  var initAccess: String?
  var properties: [PropertyDescription]
  /// The place of the primary key in `properties`; those of its members, if it has several.
  var keyMembers: [Int]
  /// Whether an object without a key gets one when it is stored.
  var generatesKey: Bool
  /// Whether the objects travel between synced stores.
  var isSynced: Bool
  var indexes: [IndexDescription]
  var relations: [RelationDescription]
}

/// A property that is stored.
struct PropertyDescription {
  /// The name as it is written, with backticks if it has them.
  var token: String
  var name: String
  var type: StorableType
  /// The access level of its column with a space after it, or nothing.
  var columnAccess: String
  /// The access level for assignments to its column; nil where it cannot be assigned to.
  var columnSetter: ColumnSetter?
  /// The value in its declaration, if that is a constant.
  var defaultValue: String?
  /// The value in its declaration, or nil for a variable that begins as nil, as it is written.
  var initialValue: String?
  var originalName: String?
  /// The name by which the property travels, where one is declared.
  var syncName: String?
  /// For a reference, the name of the delete rule's case where the property says one.
  var deleteRule: String?
  /// The weight of the search over the property; nil where it is not searched.
  var searchWeight: Int?
  /// The language of the search, as it is written.
  var searchLanguage: String?
  /// How writes in synced stores are joined, as it is written: `.row("price")`.
  var merge: String?
  /// The place of the property; nil where it is not known.
  var location: SourcePlace?
}

/// A line of the source, as `#sourceLocation` has it.
struct SourcePlace {
  /// The file, as a literal.
  var file: String
  var line: String
}

/// A property that is the other side of a reference or of links, or a list of linked objects.
struct RelationDescription {
  /// The name as it is written, with backticks if it has them.
  var token: String
  var name: String
  /// The type of the objects.
  var object: String
  /// The access level of its column with a space after it, or nothing.
  var columnAccess: String
  /// The key path of the property that refers, as it is written; nil for a list of linked objects.
  var inverse: String?
  /// For a list of linked objects, whether an object may be in it more than once.
  var allowsDuplicates = false
  /// The name of the delete rule's case, if one is given.
  var deleteRule: String?
}

/// The access level for assignments to a property's column: empty for the property's own, or a stricter modifier and a space.
struct ColumnSetter {
  var modifier = ""
}

/// An index in addition to the primary key.
struct IndexDescription {
  struct Column: Equatable {
    var property: String
    var isReverse = false
  }

  var columns: [Column]
  var isUnique: Bool
  /// Set where the name formed from the columns' names does not work.
  var name: String?
}
