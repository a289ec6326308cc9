import QuarryBackend
import QuarryQuery

/// A column of a model, or a property that references lead to: `\.kind`, `\.author.country`.
public protocol NamedColumn: Sendable {
  /// The type of the property.
  associatedtype Value: Storable
  // A member of columns would hide a member of a nested value with the same name: see ``ColumnMembers``.
  /// The name of the property as it is stored; for a path the names on the way to it, with full stops between them.
  ///
  /// - Parameter column: The column, whose name is the result.
  static func storedName(of column: Self) -> String
}

extension Column: NamedColumn {
  /// The name of the property as it is stored.
  public static func storedName(of column: Column) -> String { column.name }
}

extension ElementColumn: NamedColumn {
  /// The names on the way to the property, with full stops between them.
  public static func storedName(of column: ElementColumn) -> String { column.path.description }
}
