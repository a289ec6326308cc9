import Foundation

/// Hybrid times: milliseconds since 1970, and 16 bits that count what happened in one of them.
///
/// A hybrid time is greater than all before it in the same store, also when the clock was put back.
enum HistoryTime {
  static func time(ofMilliseconds milliseconds: Int64) -> Int64 { milliseconds << 16 }

  static func milliseconds(_ time: Int64) -> Int64 { time >> 16 }

  static func date(_ time: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds(time)) / 1_000) }

  /// The last time that has a place in 47 bits, in the year 6429.
  private static let latest = 140_737_488_355_327.0

  /// The time of the clock.
  static var now: Int64 {
    let milliseconds = Date().timeIntervalSince1970 * 1_000
    return time(ofMilliseconds: Int64(min(max(milliseconds, 0), latest)))
  }

  /// The time of an event after one with the given time.
  static func next(after last: Int64) -> Int64 { max(now, last &+ 1) }
}
