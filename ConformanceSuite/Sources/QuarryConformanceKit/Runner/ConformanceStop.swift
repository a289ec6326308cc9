import Synchronization

/// Asks a run to end early, from any thread: no further case begins, and the report has what was run until then.
public final class ConformanceStop: Sendable {
  private let asked = Mutex<String?>(nil)

  /// Creates a stop that nothing has asked for yet.
  public init() {}

  /// Asks for the end. Of several reasons the first one stands in the report.
  public func request(_ reason: String) {
    asked.withLock { $0 = $0 ?? reason }
  }

  /// Why the run is to end; nil where it is not.
  public var reason: String? { asked.withLock { $0 } }
}
