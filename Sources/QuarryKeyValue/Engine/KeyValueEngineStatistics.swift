public struct KeyValueEngineStatistics: Sendable, Hashable {
  public var bytes: Int?
  public var freeBytes: Int?
  public var details: [String: String]

  public init(bytes: Int? = nil, freeBytes: Int? = nil, details: [String: String] = [:]) {
    self.bytes = bytes
    self.freeBytes = freeBytes
    self.details = details
  }
}
