/// The counter of a birth: what an entry counted before it is noted by this.
package struct CounterKey: Sendable, Hashable {
  package var object: ObjectID
  package var root: Stamp
  package var column: SyncName

  package init(_ object: ObjectID, _ root: Stamp, _ column: SyncName) {
    self.object = object
    self.root = root
    self.column = column
  }
}

/// What the author of an edit had seen of the columns that it wrote: the winning register of each, with its value.
package typealias SeenRegisters = [ObjectID: [SyncName: Register]]

/// What an entry or a message says of one object.
package struct ObjectChange: Sendable, Hashable {
  package var object: ObjectID
  package var births: Births
  package var deaths: Deaths

  package init(_ object: ObjectID, births: Births = [:], deaths: Deaths = [:]) {
    self.object = object
    self.births = births
    self.deaths = deaths
  }

  /// The HLC of the newest stamp.
  var newest: UInt64 {
    let born = births.lazy.flatMap { $0.value.stamps($0.key) }.map(\.hlc).max() ?? 0
    return deaths.reduce(born) { max($0, $1.key.hlc, $1.value.stamp.hlc) }
  }
}

/// One transaction in the log. All that it wrote carries the stamp (HLC, origin): SYNC-2.
package struct SyncEntry: Sendable, Hashable {
  package var origin: ReplicaID
  package var mark: EntryMark
  /// The entry of this origin before.
  package var previous: EntryMark
  /// Each object once, in their order.
  package var changes: [ObjectChange]
  /// Whether the merge wrote it, and not a program.
  package var isRepair: Bool
  /// Whether its content could not be read, or was refused by the hub.
  package var isHollow: Bool
  /// What the origin had counted before, so that the entry can be taken back.
  package var countedBefore: [CounterKey: Count]
  /// The registers that edits wrote over, for the resolver of a hub. Nobody else gets them.
  package var seen: SeenRegisters

  package init(
    origin: ReplicaID, mark: EntryMark, previous: EntryMark, changes: [ObjectChange], isRepair: Bool = false,
    isHollow: Bool = false, countedBefore: [CounterKey: Count] = [:], seen: SeenRegisters = [:]
  ) {
    self.origin = origin
    self.mark = mark
    self.previous = previous
    self.changes = changes
    self.isRepair = isRepair
    self.isHollow = isHollow
    self.countedBefore = countedBefore
    self.seen = seen
  }

  package var stamp: Stamp { Stamp(mark.hlc, origin) }

  /// The HLC of the newest stamp in the content.
  var newest: UInt64 { changes.reduce(0) { max($0, $1.newest) } }

  /// The entry that stands where this one was refused.
  func voided(_ tag: UInt64) -> SyncEntry {
    var void = self
    void.changes = []
    void.seen = [:]
    void.mark.tag = tag
    return void
  }

  /// The entry as a replica gets it that asked with this hello: what was seen goes to a hub that resolves the model.
  func told(to hello: SyncHello) -> SyncEntry {
    guard !seen.isEmpty else { return self }
    var told = self
    told.seen = hello.role == .hub ? seen.filter { hello.rules.resolved.contains($0.key.model) } : [:]
    return told
  }
}
