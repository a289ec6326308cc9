/// How concurrent writes of one column are joined: SYNC-7 and SYNC-8.
package enum MergeRule: UInt8, Sendable, Hashable, CaseIterable {
  /// The later stamp wins.
  case latest = 0
  /// The greatest value wins.
  case maximum = 1
  /// The least value wins.
  case minimum = 2
  /// Sums of each replica are added up.
  case counter = 3
  /// Each element is joined by itself.
  case set = 4
}

/// The effect of a delete on the objects that refer to the deleted one.
package enum SyncDeleteRule: Sendable, Hashable {
  case cascade, nullify, deny
}
