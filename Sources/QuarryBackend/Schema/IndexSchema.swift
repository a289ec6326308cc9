/// An index as it is stored.
public struct IndexSchema: Sendable, Hashable, Codable {
  /// A column of an index.
  public struct Column: Sendable, Hashable, Codable {
    public var slot: Int
    public var isDescending: Bool

    public init(slot: Int, isDescending: Bool = false) {
      self.slot = slot
      self.isDescending = isDescending
    }
  }

  public var id: UInt32
  public var name: String
  public var columns: [Column]
  public var isUnique: Bool

  public init(id: UInt32 = 0, name: String, columns: [Column], isUnique: Bool = false) {
    self.id = id
    self.name = name
    self.columns = columns
    self.isUnique = isUnique
  }
}
