import Histogram

/// Durations of any number of operations in a few hundred kilobytes: an HDR histogram of three digits, up to a minute and
/// beyond.
package struct LatencyHistogram: Sendable {
  private var histogram: Histogram<UInt64>
  package private(set) var count = 0

  package init() {
    // In nanoseconds.
    histogram = Histogram(highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)
    histogram.autoResize = true
  }

  package mutating func record(_ duration: UInt64) {
    histogram.record(duration)
    count += 1
  }

  package mutating func add(_ other: LatencyHistogram) {
    for value in other.histogram.recordedValues() { histogram.record(value.value, count: value.count) }
    count += other.count
  }

  /// The distribution; nil when nothing was recorded.
  package func summary() -> LatencySummary? {
    guard count > 0 else { return nil }
    return LatencySummary(
      count: count, p50: Double(histogram.valueAtPercentile(50)), p95: Double(histogram.valueAtPercentile(95)),
      p99: Double(histogram.valueAtPercentile(99)), p999: Double(histogram.valueAtPercentile(99.9)),
      max: Double(histogram.max), curve: LatencySummary.places.map { Double(histogram.valueAtPercentile($0)) })
  }
}
