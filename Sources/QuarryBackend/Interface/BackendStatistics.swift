/// Sizes and counts of a store.
public struct BackendStatistics: Sendable, Hashable, Codable {
  /// Sizes and counts of one model.
  public struct ModelStatistics: Sendable, Hashable, Codable {
    /// The name of the model.
    public var name: String
    /// How many objects there are.
    public var rows: Int
    /// Bytes of the pages or nodes that hold the rows; nil where it is not known.
    public var bytes: Int?
    /// Its indexes, in the order of the schema.
    public var indexes: [IndexStatistics]

    /// Creates the statistics of a model.
    ///
    /// - Parameters:
    ///   - name: The name of the model.
    ///   - rows: The number of objects.
    ///   - bytes: Bytes of the pages or nodes that hold the rows; nil where the engine does not know.
    ///   - indexes: The statistics of its indexes, in the order of the schema.
    public init(name: String, rows: Int, bytes: Int? = nil, indexes: [IndexStatistics]) {
      self.name = name
      self.rows = rows
      self.bytes = bytes
      self.indexes = indexes
    }
  }

  /// Sizes and counts of one index.
  public struct IndexStatistics: Sendable, Hashable, Codable {
    /// The name of the index.
    public var name: String
    /// Entries of the index; nil where it is not known.
    public var entries: Int?
    /// Bytes of the pages or nodes that hold the entries; nil where it is not known.
    public var bytes: Int?

    /// Creates the statistics of an index.
    ///
    /// - Parameters:
    ///   - name: The name of the index.
    ///   - entries: The number of entries; nil where the engine does not know.
    ///   - bytes: Bytes of the pages or nodes that hold the entries; nil where the engine does not know.
    public init(name: String, entries: Int? = nil, bytes: Int? = nil) {
      self.name = name
      self.entries = entries
      self.bytes = bytes
    }
  }

  /// The models, in the order of the schema.
  public var models: [ModelStatistics]
  /// Bytes of all files of the store, or of memory for a store without files; nil where it is not known.
  public var bytes: Int?
  /// Bytes inside the files that hold nothing; nil where it is not known.
  public var freeBytes: Int?
  /// Figures of the engine's own, by name.
  public var details: [String: String]

  /// Creates the statistics of a store.
  ///
  /// - Parameters:
  ///   - models: The statistics of the models, in the order of the schema.
  ///   - bytes: Bytes of all files of the store, or of memory for a store without files; nil where the engine does not know.
  ///   - freeBytes: Bytes inside the files that hold nothing; nil where the engine does not know.
  ///   - details: Figures of the engine's own, by name.
  public init(models: [ModelStatistics], bytes: Int? = nil, freeBytes: Int? = nil, details: [String: String] = [:]) {
    self.models = models
    self.bytes = bytes
    self.freeBytes = freeBytes
    self.details = details
  }
}

extension BackendStatistics: CustomStringConvertible {
  /// The models with their objects and bytes, one line each, then the store's own figures.
  public var description: String {
    func size(_ bytes: Int?) -> String { bytes.map { ", \($0) bytes" } ?? "" }
    var lines: [String] = []
    for model in models {
      lines.append("\(model.name): \(model.rows) objects" + size(model.bytes))
      for index in model.indexes {
        lines.append("  \(index.name): " + (index.entries.map { "\($0) entries" } ?? "an index") + size(index.bytes))
      }
    }
    if let bytes { lines.append("\(bytes) bytes" + (freeBytes.map { ", \($0) of them free" } ?? "")) }
    lines += details.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return lines.joined(separator: "\n")
  }
}
