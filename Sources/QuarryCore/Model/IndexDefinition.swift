/// An index of a model's definition.
public struct IndexDefinition: Sendable, Hashable {
  /// A column of an index.
  public struct Column: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The name of the property.
    public var property: String
    /// Its direction in the index.
    public var order: SortDirection

    /// A column by the name of its property.
    ///
    /// - Parameters:
    ///   - property: The name of the property in the store.
    ///   - order: Its direction in the index.
    public init(_ property: String, order: SortDirection = .forward) {
      self.property = property
      self.order = order
    }

    public init(stringLiteral value: String) {
      self.init(value)
    }
  }

  /// The index's name in the store; made of the names of its columns when nil.
  public var name: String?
  /// The columns, the first of which decides the order most.
  public var columns: [Column]
  /// Whether no two objects may have the same values in these columns; objects in which one is nil are not compared.
  public var isUnique: Bool

  /// Creates an index over properties.
  ///
  /// - Parameters:
  ///   - columns: The columns, the first of which decides the order most.
  ///   - isUnique: Whether no two objects may have the same values in these columns.
  ///   - name: The index's name in the store; made of the names of its columns when nil.
  public init(_ columns: [Column], isUnique: Bool = false, name: String? = nil) {
    self.columns = columns
    self.isUnique = isUnique
    self.name = name
  }

  var storedName: String { name ?? columns.map(\.property).joined(separator: "_") }
}
