/// The time and place of a transaction: SYNC-1.
///
/// Each transaction takes a new HLC. A stamp therefore also names the entry of the log that wrote it.
package struct Stamp: Sendable, Hashable, Comparable {
  /// Milliseconds in the upper 48 bits, a counter in the lower 16.
  package var hlc: UInt64
  package var replica: ReplicaID

  package init(_ hlc: UInt64, _ replica: ReplicaID) {
    self.hlc = hlc
    self.replica = replica
  }

  /// The oldest stamp, which values of seeds and defaults have.
  package static let zero = Stamp(0, .none)

  package static func < (left: Stamp, right: Stamp) -> Bool {
    left.hlc != right.hlc ? left.hlc < right.hlc : left.replica < right.replica
  }
}
