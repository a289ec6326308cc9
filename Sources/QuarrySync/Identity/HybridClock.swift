/// The unit of a replica's clock, and how far ahead of it a stamp may be: SYNC-1 and SYNC-3.
package struct ClockScale: Sendable, Hashable {
  /// HLCs in one unit of time.
  package var ticks: UInt64
  /// Units that a stamp may be ahead of the receiver's clock.
  package var ahead: UInt64
  /// Units that rows which were cut wait for the rest before they get a name: SYNC-28.
  package var patience: UInt64

  package init(ticks: UInt64, ahead: UInt64, patience: UInt64) {
    self.ticks = ticks
    self.ahead = ahead
    self.patience = patience
  }

  /// Milliseconds with 16 bits of counter; 5 minutes ahead, and 5 minutes of patience.
  package static let milliseconds = ClockScale(ticks: 1 << 16, ahead: 300_000, patience: 300_000)

  /// The greatest time that a clock may say: no multiplication by ``ticks`` overflows below it.
  private static let latest: UInt64 = 1 << 47

  /// The first HLC of a unit of time. A clock that claims to be in the year 6429 or later counts as being there.
  package func hlc(at time: UInt64) -> UInt64 { min(time, Self.latest) &* ticks }

  /// The last HLC that a receiver with this time accepts.
  package func limit(at time: UInt64) -> UInt64 { (min(time, Self.latest) &+ ahead) &* ticks }
}

/// A hybrid logical clock: the greatest HLC that a replica has stored or received.
package struct HybridClock: Sendable, Hashable {
  package private(set) var last: UInt64 = 0

  package init() {}

  /// A new HLC, greater than all before it, at the wall clock's time or later.
  package mutating func tick(_ scale: ClockScale, at time: UInt64) -> UInt64 {
    last = max(last &+ 1, scale.hlc(at: time))
    return last
  }

  /// Raises the clock to an HLC that was received and found to be in its limit.
  package mutating func raise(to hlc: UInt64) {
    last = max(last, hlc)
  }

  /// Puts the clock back after it was far ahead. Only healing does that: SYNC-3.
  mutating func putBack(to hlc: UInt64) {
    last = hlc
  }
}
