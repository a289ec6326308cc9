import Foundation

/// Durations of single operations.
///
/// It is off while throughput is measured, and costs one predictable branch then; a separate pass records latencies,
/// whose figures contain the two readings of the clock (about 50 ns).
public final class LatencyRecorder {
  public let isOn: Bool
  @usableFromInline var durations: [UInt64] = []

  public init(isOn: Bool, capacity: Int = 0) {
    self.isOn = isOn
    durations.reserveCapacity(isOn ? capacity : 0)
  }

  public static var off: LatencyRecorder { LatencyRecorder(isOn: false) }

  /// The time at which an operation begins; 0 when off.
  @inlinable
  public func start() -> UInt64 {
    isOn ? Stopwatch.now() : 0
  }

  @inlinable
  public func stop(_ start: UInt64) {
    if isOn { durations.append(Stopwatch.now() &- start) }
  }

  /// Takes over what another one recorded.
  package func add(_ other: [UInt64]) {
    durations += other
  }

  /// The distribution; nil when nothing was recorded.
  package func summary() -> LatencySummary? {
    var histogram = LatencyHistogram()
    for duration in durations { histogram.record(duration) }
    return histogram.summary()
  }
}

/// A distribution of latencies, in nanoseconds.
public struct LatencySummary: Sendable, Codable, Equatable {
  public var count: Int
  public var p50: Double
  public var p95: Double
  public var p99: Double
  public var p999: Double
  public var max: Double
  /// The latencies at `places`.
  public var curve: [Double]

  /// The percentiles that the curve is drawn of.
  public static let places: [Double] = [
    0, 10, 25, 50, 75, 90, 95, 97.5, 99, 99.5, 99.75, 99.9, 99.95, 99.99,
  ]
}
