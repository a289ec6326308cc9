import QuarryBackend

extension SyncReplica {
  /// Gives the entries of a name that no peer has other stamps. Counts go on from what is common under that name.
  ///
  /// - Parameters:
  ///   - name: Their name until now.
  ///   - common: The HLC of the last entry that keeps its stamp.
  ///   - change: The new stamp of an old one.
  mutating func rename(_ name: ReplicaID, after common: UInt64, _ change: @escaping (Stamp) -> Stamp) {
    let isMoved: (SyncEntry) -> Bool = { $0.origin == name && $0.mark.hlc > common }
    var base: [CounterKey: Count] = [:]
    for entry in log where id != name && isMoved(entry) { base.merge(entry.countedBefore) { first, _ in first } }
    let renaming = Renaming(base: base, hasNewName: id != name, name: name, common: common, change: change)

    records = Dictionary(
      uniqueKeysWithValues: records.map { object, births in (object, renaming.births(births, object, isRecord: true)) })
    tombstones = Dictionary(
      uniqueKeysWithValues: tombstones.map { object, deaths in (object, renaming.deaths(deaths, object)) })
    lostEdits = lostEdits.map { edit in
      var edit = edit
      edit.birth = change(edit.birth)
      edit.stamp = change(edit.stamp)
      return edit
    }
    let last = log.first(where: isMoved)?.previous ?? knowledge.mark(name)
    knowledge.vector[name] = last
    var previous = id != name ? knowledge.mark(id) : last
    log = log.map { entry in
      guard isMoved(entry) else { return entry }
      let stamp = change(entry.stamp)
      var fresh = entry
      fresh.changes = entry.changes.map { change in
        ObjectChange(
          change.object, births: renaming.births(change.births, change.object, isRecord: false),
          deaths: renaming.deaths(change.deaths, change.object))
      }
      fresh.countedBefore = renaming.countedBefore(entry.countedBefore)
      // It may have seen an entry that moves with it.
      fresh.seen = entry.seen.mapValues { $0.mapValues { Register(change($0.stamp), $0.value) } }
      fresh.origin = stamp.replica
      fresh.previous = previous
      fresh.mark = EntryMark(stamp.hlc, newTag(after: previous, fresh.changes))
      previous = fresh.mark
      return fresh
    }
    if previous.hlc > 0 { knowledge.vector[id] = previous }
    if collected[name] ?? 0 > common {
      collected[name] = common
      collected[id] = previous.hlc
    }
    refresh()
  }
}

/// New stamps for old ones, in records and entries.
private struct Renaming {
  /// What was counted under the old name before the first entry that moves.
  let base: [CounterKey: Count]
  let hasNewName: Bool
  let name: ReplicaID
  let common: UInt64
  let change: (Stamp) -> Stamp

  func births(_ births: Births, _ object: ObjectID, isRecord: Bool) -> Births {
    Births(
      births.map { birth, record in
        var fresh = record
        fresh.root = change(record.root)
        fresh.columns = record.columns.mapValues { Register(change($0.stamp), $0.value) }
        fresh.counts = counts(record.counts, object, record.root, isRecord: isRecord)
        fresh.sets = record.sets.mapValues { $0.mapValues { SetElement($0.length, change($0.stamp)) } }
        return (change(birth), fresh)
      }, uniquingKeysWith: { first, _ in first })
  }

  func deaths(_ deaths: Deaths, _ object: ObjectID) -> Deaths {
    Deaths(
      deaths.map { birth, death in
        var fresh = death
        fresh.stamp = change(death.stamp)
        fresh.columns = death.columns.mapValues(change)
        fresh.counts = counts(death.counts, object, birth, isRecord: true)
        return (change(birth), fresh)
      }, uniquingKeysWith: { first, _ in first })
  }

  private func counts(_ counts: Counts, _ object: ObjectID, _ root: Stamp, isRecord: Bool) -> Counts {
    var result = counts
    for (column, entries) in counts {
      var fresh: [ReplicaID: Count] = [:]
      let start = base[CounterKey(object, root, column)] ?? Count()
      for (replica, count) in entries {
        let stamp = change(Stamp(count.hlc, replica))
        guard stamp.replica != replica else {
          fresh[replica] = Count(plus: count.plus, minus: count.minus, hlc: stamp.hlc)
          continue
        }
        var moved = count.without(start)
        moved.hlc = stamp.hlc
        fresh[stamp.replica] = moved
        if start.hlc > 0, isRecord { fresh[replica] = start }
      }
      result[column] = fresh
    }
    return result
  }

  func countedBefore(_ counted: [CounterKey: Count]) -> [CounterKey: Count] {
    let moved = counted.map { key, count -> (CounterKey, Count) in
      let fresh = CounterKey(key.object, change(key.root), key.column)
      guard hasNewName else { return (fresh, count) }
      guard count.hlc > common else { return (fresh, Count()) }
      var less = count.without(base[key] ?? Count())
      less.hlc = change(Stamp(count.hlc, name)).hlc
      return (fresh, less)
    }
    return Dictionary(moved) { first, _ in first }
  }
}
