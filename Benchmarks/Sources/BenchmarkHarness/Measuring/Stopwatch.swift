public import Foundation

/// The monotonic clock.
public enum Stopwatch {
  /// Nanoseconds since some moment.
  @inlinable
  public static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  package static func seconds(since start: UInt64) -> Double {
    // A clock that did not move counts as its smallest step, so that a rate stays finite.
    Double(max(1, now() &- start)) / 1e9
  }
}
