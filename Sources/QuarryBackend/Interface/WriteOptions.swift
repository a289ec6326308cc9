/// How a write transaction is begun.
public struct WriteOptions: Sendable {
  /// What the commit tells of its changes.
  public var capture: Capture
  /// Seconds to wait for another writer; nil for the store's own timeout.
  public var timeout: Double?

  public init(capture: Capture = .none, timeout: Double? = nil) {
    self.capture = capture
    self.timeout = timeout
  }
}
