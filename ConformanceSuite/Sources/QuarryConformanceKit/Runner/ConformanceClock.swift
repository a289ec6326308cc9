/// The time that a run's report tells.
///
/// Only that: a case that hangs, and a second process that does not answer, are found by the system's own clock, so that no
/// other can keep them waiting.
public struct ConformanceClock: Sendable {
  /// The time since any fixed moment. It never goes back.
  public let now: @Sendable () -> Duration

  /// Creates a clock that reads the time by the closure.
  public init(_ now: @escaping @Sendable () -> Duration) {
    self.now = now
  }

  /// The system's clock that nobody sets.
  public static let system: ConformanceClock = {
    let start = ContinuousClock.now
    return ConformanceClock { ContinuousClock.now - start }
  }()

  /// Milliseconds since then.
  func milliseconds(since start: Duration) -> Double { max(0, (now() - start) / .milliseconds(1)) }
}
