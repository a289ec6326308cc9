import QuarryBackend

/// Rows that came and are of no vector, because the end of their answer did not come: SYNC-28.
package struct NamelessRows: Sendable, Hashable {
  /// The newest HLC of each replica in them, and those of the vector that their end would have brought.
  package var reach: Floors
  /// Whether some came by tier 3, which says what is deleted.
  package var isWhole: Bool
  /// When they get a name, by the wall clock.
  package var due: UInt64

  package init(reach: Floors, isWhole: Bool, due: UInt64) {
    (self.reach, self.isWhole, self.due) = (reach, isWhole, due)
  }
}

extension SyncReplica {
  mutating func note(_ rows: NamelessRows) {
    var rows = rows
    if let known = nameless, !knowledge.covers(known.reach) {
      rows.reach.raise(to: known.reach)
      rows.isWhole = rows.isWhole || known.isWhole
    }
    nameless = rows
  }

  /// Whether there are rows that no vector covers, and a replica with this knowledge may lack some of them.
  package func hasRows(beyond theirs: Knowledge) -> Bool {
    guard let nameless else { return false }
    return !knowledge.covers(nameless.reach) && !theirs.covers(nameless.reach)
  }

  /// Whether such rows still wait for the rest of their answer.
  package var awaitsRows: Bool {
    guard let nameless else { return false }
    let now = environment.now()
    return now < nameless.due && nameless.due <= now &+ environment.scale.patience
  }

  /// Gives rows that no vector covers a name, as if a replica of this name had written them in one entry that was trimmed.
  /// Whoever does not know the name gets them as rows.
  package mutating func nameRows() {
    guard let rows = nameless else { return }
    nameless = nil
    let name = environment.renewed(id)
    knowledge.vector[name] = EntryMark(1, environment.random() & ~EntryMark.voidBit)
    trimmed.raise(to: [name: 1])
    if rows.isWhole { collected.raise(to: [name: 1]) }
  }
}

extension ObjectChange {
  /// The newest HLC of each replica in it.
  var reach: Floors {
    var result: Floors = [:]
    func add(_ stamp: Stamp) { result[stamp.replica] = max(result[stamp.replica] ?? 0, stamp.hlc) }
    for (birth, record) in births { record.stamps(birth).forEach(add) }
    for (birth, death) in deaths { [birth, death.stamp].forEach(add) }
    return result
  }
}
