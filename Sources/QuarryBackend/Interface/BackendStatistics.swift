/// Sizes and counts of a store.
public struct BackendStatistics: Sendable, Hashable, Codable {
  public struct ModelStatistics: Sendable, Hashable, Codable {
    public var name: String
    public var rows: Int
    /// Bytes of the pages or nodes that hold the rows; nil where it is not known.
    public var bytes: Int?
    public var indexes: [IndexStatistics]

    public init(name: String, rows: Int, bytes: Int? = nil, indexes: [IndexStatistics]) {
      self.name = name
      self.rows = rows
      self.bytes = bytes
      self.indexes = indexes
    }
  }

  public struct IndexStatistics: Sendable, Hashable, Codable {
    public var name: String
    /// Entries of the index; nil where it is not known.
    public var entries: Int?
    /// Bytes of the pages or nodes that hold the entries; nil where it is not known.
    public var bytes: Int?

    public init(name: String, entries: Int? = nil, bytes: Int? = nil) {
      self.name = name
      self.entries = entries
      self.bytes = bytes
    }
  }

  public var models: [ModelStatistics]
  /// Bytes of all files of the store, or of memory for a store without files; nil where it is not known.
  public var bytes: Int?
  /// Bytes inside the files that hold nothing; nil where it is not known.
  public var freeBytes: Int?
  /// Figures of the engine's own, by name.
  public var details: [String: String]

  public init(models: [ModelStatistics], bytes: Int? = nil, freeBytes: Int? = nil, details: [String: String] = [:]) {
    self.models = models
    self.bytes = bytes
    self.freeBytes = freeBytes
    self.details = details
  }
}
