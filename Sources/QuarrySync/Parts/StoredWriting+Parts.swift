import QuarryBackend

extension StoredWriting {
  /// Of a client with a part: what the hub has said of objects, and those that may be there for nothing from now on.
  func partRows() throws(StorageError) -> [AreaRow] {
    guard new.place != nil else { return [] }
    var rows: [AreaRow] = []
    var loose: Set<ObjectID> = []
    for object in Set(new.records.keys).union(work.loaded) {
      let (was, now) = (work.members[object], new.member(object))
      if was != now { rows.append((AreaKey.partMember(object), now?.encoded(object))) }
      let (before, after) = (old.records[object], new.records[object])
      if now?.isWanted == false, was != now || before != after { loose.insert(object) }
      guard before != after, let before else { continue }
      let model = work.schema.sync.models[object.model]
      for target in before.targets(model).subtracting(after?.targets(model) ?? []) {
        var member = work.members[target]
        if member == nil { member = try work.member(target) }
        if member?.isWanted == false { loose.insert(target) }
      }
    }
    return rows
      + loose.map { object in
        var name = SyncWriter()
        name.object(object)
        return (AreaKey.partLoose(object), name.bytes)
      }
  }

  /// Of a hub with parts: the objects that the commit touches.
  func touchedRows() throws(StorageError) -> [AreaRow] {
    guard work.state.hasParts else { return [] }
    var touches: Set<TouchedObjects.Touch> = []
    var authored: Set<ObjectID> = []
    func add(_ object: ObjectID, _ author: ReplicaID) {
      touches.insert(TouchedObjects.Touch(object: object, author: author))
      authored.insert(object)
    }
    let known = Set(old.log.map(\.stamp))
    for entry in new.log where !known.contains(entry.stamp) {
      for change in entry.changes { add(change.object, entry.origin) }
    }
    for (origin, refusals) in new.refusals {
      for refusal in Set(refusals).subtracting(old.refusals[origin] ?? []) {
        for object in refusal.objects { add(object, origin) }
      }
    }
    for object in Set(new.records.keys).union(new.tombstones.keys).union(work.loaded)
    where !authored.contains(object) && isTouched(object) {
      touches.insert(TouchedObjects.Touch(object: object))
    }
    return try TouchedObjects.rows(touches.sorted { $0.object < $1.object }, work.schema.area, in: work.transaction)
  }

  private func isTouched(_ object: ObjectID) -> Bool {
    new.records[object] != old.records[object] || new.tombstones[object] != old.tombstones[object]
      || new.tables[object] != old.tables[object]
  }
}
