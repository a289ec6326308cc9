package import QuarryBackend

/// A value with the stamp of the transaction that wrote it.
package struct Register: Sendable, Hashable {
  package var stamp: Stamp
  package var value: Value

  package init(_ stamp: Stamp, _ value: Value) {
    self.stamp = stamp
    self.value = value
  }
}

/// The sums that one replica has added to and taken from a counter, and the HLC of the last change.
///
/// Sums are taken modulo 2^64, so that no input can overflow them.
package struct Count: Sendable, Hashable {
  package var plus: UInt64
  package var minus: UInt64
  package var hlc: UInt64

  package init(plus: UInt64 = 0, minus: UInt64 = 0, hlc: UInt64 = 0) {
    self.plus = plus
    self.minus = minus
    self.hlc = hlc
  }

  /// The greater sum of each kind.
  func joined(_ other: Count) -> Count {
    Count(plus: max(plus, other.plus), minus: max(minus, other.minus), hlc: max(hlc, other.hlc))
  }

  /// The sums without those of another count, at this count's time.
  func without(_ other: Count) -> Count {
    Count(plus: plus &- other.plus, minus: minus &- other.minus, hlc: hlc)
  }
}

/// The history of one element of a set: the element is in where the number of its changes is odd.
package struct SetElement: Sendable, Hashable, Comparable {
  package var length: UInt64
  package var stamp: Stamp

  package init(_ length: UInt64, _ stamp: Stamp) {
    self.length = length
    self.stamp = stamp
  }

  var isIn: Bool { length % 2 == 1 }

  package static func < (left: SetElement, right: SetElement) -> Bool {
    left.length != right.length ? left.length < right.length : left.stamp < right.stamp
  }
}

/// Counts of each column and replica.
package typealias Counts = [SyncName: [ReplicaID: Count]]
/// Elements of each column.
package typealias SetElements = [SyncName: [Value: SetElement]]

/// What is known of one birth of an object. Births are named by the stamp of their insert.
package struct BirthRecord: Sendable, Hashable {
  /// The birth whose counts these are. Only a revival has another one than itself.
  package var root: Stamp
  /// Whether the insert itself is known, and not only edits.
  package var isWhole: Bool
  package var columns: [SyncName: Register]
  package var counts: Counts
  package var sets: SetElements

  package init(
    root: Stamp, isWhole: Bool, columns: [SyncName: Register] = [:], counts: Counts = [:], sets: SetElements = [:]
  ) {
    self.root = root
    self.isWhole = isWhole
    self.columns = columns
    self.counts = counts
    self.sets = sets
  }
}

extension BirthRecord {
  /// The elements of a set. Those from before the column was a set count as put in once.
  func elements(_ column: SyncName) -> [Value: SetElement] {
    let known = sets[column] ?? [:]
    guard let register = columns[column], case .array(let first) = register.value else { return known }
    return Dictionary(first.map { ($0, SetElement(1, register.stamp)) }) { one, _ in one }.merging(known) { $1 }
  }
}

/// A delete of one birth, with what the deleting replica had seen of it.
package struct Death: Sendable, Hashable {
  package var stamp: Stamp
  package var columns: [SyncName: Stamp]
  package var counts: Counts
  package var sets: SetElements

  package init(stamp: Stamp, columns: [SyncName: Stamp] = [:], counts: Counts = [:], sets: SetElements = [:]) {
    self.stamp = stamp
    self.columns = columns
    self.counts = counts
    self.sets = sets
  }

  /// A delete that had seen nothing.
  static let blind = Death(stamp: .zero)

  /// A delete by a replica that has this record.
  init(of birth: BirthRecord, _ stamp: Stamp) {
    self.init(stamp: stamp, columns: birth.columns.mapValues(\.stamp), counts: birth.counts, sets: birth.sets)
  }

  /// A delete by a replica that knows this much. It stands for one that was collected: SYNC-30.
  init(of birth: BirthRecord, seenBy known: Knowledge) {
    self.init(
      stamp: .zero, columns: birth.columns.mapValues(\.stamp).filter { known.covers($0.value) },
      counts: birth.counts.mapValues { $0.filter { known.covers(Stamp($0.value.hlc, $0.key)) } },
      sets: birth.sets.mapValues { $0.filter { known.covers($0.value.stamp) } })
  }
}

/// The births of an object.
package typealias Births = [Stamp: BirthRecord]
/// The deletes of an object's births.
package typealias Deaths = [Stamp: Death]
