/// The size of one tree.
public struct KeyValueTreeStatistics: Sendable, Hashable {
  /// How many entries the tree has.
  public var entries: Int
  /// Bytes of the pages or nodes that the tree takes; nil where it is not known.
  public var bytes: Int?

  /// Creates the statistics of a tree.
  ///
  /// - Parameters:
  ///   - entries: The number of entries.
  ///   - bytes: Bytes of the pages or nodes that the tree takes; nil where the engine does not know.
  public init(entries: Int, bytes: Int? = nil) {
    self.entries = entries
    self.bytes = bytes
  }
}
