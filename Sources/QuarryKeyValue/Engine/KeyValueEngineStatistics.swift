/// The size of a store.
public struct KeyValueEngineStatistics: Sendable, Hashable {
  /// Bytes of files or memory; nil where they are not known.
  public var bytes: Int?
  /// Bytes inside that are free for what comes; nil where they are not known.
  public var freeBytes: Int?
  /// Figures of the engine's own, by their names.
  public var details: [String: String]

  /// Creates the statistics of an engine.
  ///
  /// - Parameters:
  ///   - bytes: Bytes of files or memory; nil where the engine does not know.
  ///   - freeBytes: Bytes inside that hold nothing; nil where the engine does not know.
  ///   - details: Figures of the engine's own, by their names.
  public init(bytes: Int? = nil, freeBytes: Int? = nil, details: [String: String] = [:]) {
    self.bytes = bytes
    self.freeBytes = freeBytes
    self.details = details
  }
}
