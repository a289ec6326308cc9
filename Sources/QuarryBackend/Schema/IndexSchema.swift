/// An index as it is stored.
public struct IndexSchema: Sendable, Hashable, Codable {
  /// A column of an index.
  public struct Column: Sendable, Hashable, Codable {
    /// The slot of the property.
    public var slot: Int
    /// Whether the index begins with the greatest value.
    public var isDescending: Bool

    /// Creates a column of an index.
    ///
    /// - Parameters:
    ///   - slot: The slot of the property, whose type has an order.
    ///   - isDescending: Whether its values descend in the index.
    public init(slot: Int, isDescending: Bool = false) {
      self.slot = slot
      self.isDescending = isDescending
    }
  }

  /// The number of the index in its store.
  public var id: UInt32
  /// The name of the index.
  public var name: String
  /// The columns, the first of which decides the order most.
  public var columns: [Column]
  /// Whether no two rows may have the same values in these columns, none of them nil.
  public var isUnique: Bool

  /// Creates an index schema.
  ///
  /// - Parameters:
  ///   - id: The number of the index in its store; 0 for a new one, because the store allots its own.
  ///   - name: The name of the index.
  ///   - columns: The columns, the first decides first.
  ///   - isUnique: Whether no two rows may have the same values, none of them nil.
  public init(id: UInt32 = 0, name: String, columns: [Column], isUnique: Bool = false) {
    self.id = id
    self.name = name
    self.columns = columns
    self.isUnique = isUnique
  }
}
