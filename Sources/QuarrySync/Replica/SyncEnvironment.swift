/// What a replica asks of the world: the time, random numbers, and a new identity.
package struct SyncEnvironment: Sendable {
  package var scale: ClockScale
  /// The wall clock, in units of the scale.
  package var now: @Sendable () -> UInt64
  package var random: @Sendable () -> UInt64
  /// The identity of a replica that was put back or copied: SYNC-4.
  package var renewed: @Sendable (ReplicaID) -> ReplicaID

  package init(
    scale: ClockScale = .milliseconds, now: @escaping @Sendable () -> UInt64,
    random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) },
    renewed: (@Sendable (ReplicaID) -> ReplicaID)? = nil
  ) {
    self.scale = scale
    self.now = now
    self.random = random
    self.renewed = renewed ?? { $0.renewed(random()) }
  }

  /// The last HLC that is accepted now.
  var limit: UInt64 { scale.limit(at: now()) }
}
