import QuarryBackend

/// The age of an object's claim on its unique values: SYNC-13. Older claims are decided first.
struct ClaimAge: Sendable, Hashable, Comparable {
  /// The newest stamp among the object's unique columns.
  var stamp: Stamp
  var rank: Int
  var object: ObjectID

  static func < (left: ClaimAge, right: ClaimAge) -> Bool {
    if left.stamp != right.stamp { return left.stamp < right.stamp }
    return left.rank != right.rank ? left.rank < right.rank : left.object < right.object
  }
}

/// Values in a unique index.
struct ClaimedValues: Sendable, Hashable {
  var model: SyncName
  var index: Int
  var values: [Value]
}

/// A unique index of one object.
struct ObjectIndex: Sendable, Hashable {
  var object: ObjectID
  var index: Int
}
