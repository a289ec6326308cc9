/// How a write transaction is begun.
public struct WriteOptions: Sendable {
  /// The detail in which the commit reports its changes.
  public var capture: Capture
  /// Seconds to wait for another writer; nil for the store's own timeout.
  public var timeout: Double?

  public init(capture: Capture = .none, timeout: Double? = nil) {
    self.capture = capture
    self.timeout = timeout
  }
}
