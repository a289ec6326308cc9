/// An index of a model's definition.
public struct IndexDefinition: Sendable, Hashable {
  /// A column of an index.
  public struct Column: Sendable, Hashable, ExpressibleByStringLiteral {
    public var property: String
    public var order: SortDirection

    public init(_ property: String, order: SortDirection = .forward) {
      self.property = property
      self.order = order
    }

    public init(stringLiteral value: String) {
      self.init(value)
    }
  }

  public var name: String?
  public var columns: [Column]
  public var isUnique: Bool

  /// - Parameter name: The index's name in the store; made of the names of its columns when nil.
  public init(_ columns: [Column], isUnique: Bool = false, name: String? = nil) {
    self.columns = columns
    self.isUnique = isUnique
    self.name = name
  }

  var storedName: String { name ?? columns.map(\.property).joined(separator: "_") }
}
