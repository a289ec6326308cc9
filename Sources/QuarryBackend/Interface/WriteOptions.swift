/// How a write transaction is begun.
public struct WriteOptions: Sendable {
  /// What a commit tells observers.
  public enum Capture: Sendable { case none, keys, rows }

  /// What a commit tells observers.
  public var capture: Capture = .none
  /// Seconds to wait for another writer; nil for the store's own timeout.
  public var timeout: Double?

  public init(capture: Capture = .none, timeout: Double? = nil) {
    self.capture = capture
    self.timeout = timeout
  }
}
