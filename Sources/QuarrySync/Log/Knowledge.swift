/// The place of an entry in its origin's log: the HLC and the tag, which tells two entries of one stamp apart.
package struct EntryMark: Sendable, Hashable {
  package var hlc: UInt64
  package var tag: UInt64

  package init(_ hlc: UInt64 = 0, _ tag: UInt64 = 0) {
    self.hlc = hlc
    self.tag = tag
  }

  /// The highest bit of a tag marks a void, which takes the place of a refused entry: SYNC-2.
  static let voidBit: UInt64 = 1 << 63

  var isVoid: Bool { tag & Self.voidBit != 0 }
}

/// The last entry that is known of each replica.
package typealias VersionVector = [ReplicaID: EntryMark]
/// An HLC for each replica.
package typealias Floors = [ReplicaID: UInt64]

/// What a replica knows: a vector, and the entries below it whose content could not be read: SYNC-22.
package struct Knowledge: Sendable, Hashable {
  package var vector: VersionVector
  package var holes: Set<Stamp>

  package init(_ vector: VersionVector = [:], holes: Set<Stamp> = []) {
    self.vector = vector
    self.holes = holes
  }

  /// A replica of which no entry is known may be in the vector or not: a renamed one is.
  package static func == (left: Knowledge, right: Knowledge) -> Bool {
    guard left.holes == right.holes else { return false }
    return left.vector == right.vector
      || left.vector.filter { $0.value != EntryMark() } == right.vector.filter { $0.value != EntryMark() }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(holes)
    hasher.combine(vector.filter { $0.value != EntryMark() })
  }

  /// The last entry of a replica that is known.
  package func mark(_ replica: ReplicaID) -> EntryMark { vector[replica] ?? EntryMark() }

  /// Whether everything with this stamp is known.
  package func covers(_ stamp: Stamp) -> Bool {
    stamp.hlc <= mark(stamp.replica).hlc && !holes.contains(stamp)
  }

  /// Whether everything at and below these HLCs is known.
  func covers(_ floors: Floors) -> Bool {
    floors.allSatisfy { $0.value <= mark($0.key).hlc } && !holes.contains { $0.hlc <= floors[$0.replica] ?? 0 }
  }
}

extension Floors {
  mutating func raise(to other: Floors) {
    merge(other) { Swift.max($0, $1) }
  }
}

extension VersionVector {
  /// The HLCs without their tags.
  var floors: Floors { mapValues(\.hlc) }
}
