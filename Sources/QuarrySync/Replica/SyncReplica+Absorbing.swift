import QuarryBackend

extension SyncReplica {
  /// Whether a birth that is not here is known to be deleted: it was seen, or rows that were cut have passed its key.
  package func knows(_ object: ObjectID, _ birth: Stamp) -> Bool {
    if knowledge.covers(birth) { return true }
    guard let progress, progress.header.isWhole, object <= progress.object else { return false }
    return progress.header.knowledge.covers(birth)
  }

  /// Joins records. A birth that was seen here and is not here is dead, although nothing says so any more.
  mutating func absorb(_ changes: [ObjectChange], own: Bool = false) {
    for change in changes {
      let object = change.object
      var births = records[object] ?? [:]
      var graves = tombstones[object] ?? [:]
      for (birth, death) in change.deaths {
        if let known = births.removeValue(forKey: birth), !own { hold(object, birth, known, death) }
        graves[birth] = graves[birth]?.joined(death) ?? death
        clock.raise(to: death.stamp.hlc)
      }
      for (birth, new) in change.births {
        if let known = births[birth] {
          births[birth] = known.joined(new, object.model, rules)
        } else if let death = graves[birth] {
          if isHub { hold(object, birth, new, death) }
        } else if part == nil, !(own && new.isWhole), knows(object, birth) {
          if isHub, !new.isWhole { hold(object, birth, new, .blind) }
          // Others may show it: what rows that were cut have decided goes on at once.
          if !knowledge.covers(birth), let header = progress?.header {
            note(NamelessRows(reach: header.knowledge.vector.floors, isWhole: true, due: 0))
          }
        } else {
          births[birth] = new
        }
        for stamp in new.stamps(birth) { clock.raise(to: stamp.hlc) }
      }
      put(object, births, graves)
    }
  }

  mutating func put(_ object: ObjectID, _ births: Births, _ graves: Deaths) {
    records[object] = births.isEmpty ? nil : births
    tombstones[object] = graves.isEmpty ? nil : graves
  }

  /// Holds edits that a delete did not know of: where they were made, and at the hub. SYNC-9.
  mutating func hold(_ object: ObjectID, _ birth: Stamp, _ known: BirthRecord, _ death: Death) {
    for (column, register) in known.columns where column != .claim {
      guard register.stamp > death.columns[column] ?? .zero, register.stamp.replica == id || isHub else { continue }
      hold(object, birth, column, register.stamp, .value(register.value))
    }
    for (column, counts) in known.counts {
      for (replica, count) in counts where replica == id || isHub {
        guard count.hlc > death.counts[column]?[replica]?.hlc ?? 0 else { continue }
        hold(object, birth, column, Stamp(count.hlc, replica), .counted(plus: count.plus, minus: count.minus))
      }
    }
    for (column, elements) in known.sets {
      for (element, state) in elements where state.length > death.sets[column]?[element]?.length ?? 0 {
        hold(object, birth, column, state.stamp, .element(element))
      }
    }
  }

  private mutating func hold(
    _ object: ObjectID, _ birth: Stamp, _ column: SyncName, _ stamp: Stamp, _ content: LostEdit.Content
  ) {
    let edit = LostEdit(object: object, birth: birth, column: column, stamp: stamp, content: content)
    if !lostEdits.contains(edit) { lostEdits.append(edit) }
  }

  /// Joins entries in one transaction: SYNC-26.
  mutating func integrate(_ entries: [SyncEntry]) {
    guard !entries.isEmpty else { return }
    let before = (tables, records)
    for entry in entries { take(entry) }
    settle(before, Set(entries.flatMap { $0.changes.map(\.object) }))
  }

  private mutating func take(_ entry: SyncEntry) {
    if !entry.isHollow {
      absorb(entry.changes)
      if knowledge.holes.contains(entry.stamp) { fill([entry.stamp]) }
    } else {
      knowledge.holes.insert(entry.stamp)
    }
    if entry.mark.hlc > knowledge.mark(entry.origin).hlc { knowledge.vector[entry.origin] = entry.mark }
    log.append(entry)
  }

  /// Closes holes. Edits of births that turn out not to be in them are edits of nothing: SYNC-22.
  mutating func fill(_ holes: Set<Stamp>) {
    knowledge.holes.subtract(holes)
    guard !holes.isEmpty else { return }
    for (object, births) in records {
      let kept = births.filter { $0.value.isWhole || !holes.contains($0.key) }
      if kept.count != births.count { put(object, kept, tombstones[object] ?? [:]) }
    }
  }
}
