public import QuarryBackend

/// A store that an earlier version of a backend wrote, which every later version has to open.
public struct GoldenStore: Sendable {
  /// Of the backend that wrote it, such as `0.3`.
  public let version: String
  /// The bytes of the key with which it is encrypted, or nil.
  public let key: [UInt8]?
  /// What a dump of it is: `docs/formats/dump.md`.
  public let dump: String
  /// Makes it at a place of the backend where there is nothing yet.
  public let make: @Sendable (any BackendProvider) throws -> Void

  /// Creates a golden store.
  public init(
    version: String, key: [UInt8]? = nil, dump: String, make: @escaping @Sendable (any BackendProvider) throws -> Void
  ) {
    self.version = version
    self.key = key
    self.dump = dump
    self.make = make
  }
}

extension GoldenStore: CustomStringConvertible {
  public var description: String { key == nil ? version : "\(version), encrypted" }
}
