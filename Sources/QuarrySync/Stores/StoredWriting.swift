import QuarryBackend

/// What a change of a part of the records writes: records, entries, held objects, rows, and the state.
struct StoredWriting {
  let work: StoredWork
  let old: SyncReplica
  let new: SyncReplica

  func write() throws(StorageError) {
    guard let writer = work.transaction as? any BackendWriteTransaction else {
      throw StorageError(.readOnly, "a synced store can change only inside a write")
    }
    var state = work.state
    state.note(new)
    var rows = recordRows(&state)
    rows += try logRows(&state)
    rows += lostEditRows()
    rows += refusalRows()
    rows += irregularRows(&state)
    rows += try partRows()
    rows += try touchedRows()
    rows += state.rows()
    try writeTables(writer)
    try work.schema.area.put(rows, in: writer)
    work.state = state
  }

  typealias AreaRow = (key: [UInt8], value: [UInt8]?)

  /// A record is written with its row, which has its values.
  private func recordRows(_ state: inout StoredState) -> [AreaRow] {
    var rows: [AreaRow] = work.moved.values.map { ($0, nil) }
    let objects = Set(new.records.keys).union(new.tombstones.keys).union(work.loaded)
    for object in objects.sorted() {
      let (births, deaths) = (new.records[object], new.tombstones[object])
      let row = new.tables[object]
      let isSame =
        births == old.records[object] && deaths == old.tombstones[object] && row == old.tables[object]
        && work.moved[object] == nil
      guard !isSame else { continue }
      let key = state.numbers.key(object)
      guard births != nil || deaths != nil else {
        rows.append((key, nil))
        continue
      }
      rows.append((key, state.numbers.encode(object, births ?? [:], deaths ?? [:], row: row)))
    }
    return rows
  }

  private func logRows(_ state: inout StoredState) throws(StorageError) -> [AreaRow] {
    var rows: [AreaRow] = []
    let known = Dictionary(old.log.map { ($0.stamp, $0) }) { $1 }
    let kept = Dictionary(new.log.map { ($0.stamp, $0) }) { $1 }
    for stamp in known.keys where kept[stamp] == nil { rows.append((AreaKey.log(stamp), nil)) }
    for (stamp, entry) in kept where known[stamp] != entry {
      rows.append((AreaKey.log(stamp), try StoredEntry.encode(entry)))
    }
    state.entries += kept.count - known.count
    return rows
  }

  private func lostEditRows() -> [AreaRow] {
    let (before, after) = (Set(old.lostEdits), Set(new.lostEdits))
    let gone = before.subtracting(after).map { AreaRow(AreaKey.lostEdit($0.encoded()), nil) }
    return gone
      + after.subtracting(before).map { edit in
        let bytes = edit.encoded()
        return AreaRow(AreaKey.lostEdit(bytes), bytes)
      }
  }

  /// What a hub has refused, and what was refused of this store.
  private func refusalRows() -> [AreaRow] {
    var rows: [AreaRow] = []
    for (origin, refusals) in new.refusals {
      for refusal in Set(refusals).subtracting(old.refusals[origin] ?? []) {
        var writer = SyncWriter()
        writer.refusal(refusal)
        rows.append((AreaKey.refusal(refusal), writer.bytes))
      }
    }
    let known = Set(old.refusedEntries)
    for refused in new.refusedEntries where !known.contains(refused) && !refused.entry.changes.isEmpty {
      rows.append((AreaKey.refused(refused.entry), refused.encoded()))
    }
    return rows
  }

  private func irregularRows(_ state: inout StoredState) -> [AreaRow] {
    var rows: [AreaRow] = []
    for object in Set(new.records.keys).union(work.loaded).sorted() {
      let (was, now) = (work.irregulars[object], Irregular(object, new.view))
      guard was != now else { continue }
      rows.append((AreaKey.irregular(object), now?.encoded()))
      for hash in Set(was?.hashes ?? []).subtracting(now?.hashes ?? []) {
        rows.append((AreaKey.wait(hash, object), nil))
      }
      var name = SyncWriter()
      name.object(object)
      for hash in Set(now?.hashes ?? []).subtracting(was?.hashes ?? []) {
        rows.append((AreaKey.wait(hash, object), name.bytes))
      }
      state.irregulars += (now == nil ? 0 : 1) - (was == nil ? 0 : 1)
    }
    return rows
  }

  /// Makes the tables those of the view. Unique values may change places: each model is written at once, behind the deletes.
  private func writeTables(_ writer: any BackendWriteTransaction) throws(StorageError) {
    var removed: [SyncName: [ObjectID]] = [:]
    var written: [SyncName: [ObjectID]] = [:]
    for object in Set(new.tables.keys).union(work.loaded) where new.tables[object] != work.current[object] {
      if new.tables[object] == nil {
        removed[object.model, default: []].append(object)
      } else {
        written[object.model, default: []].append(object)
      }
    }
    for name in work.schema.ordered {
      guard let table = work.schema.tables[name], let objects = removed[name] else { continue }
      var keys: [Key] = []
      for object in objects { keys.append(try table.key(object)) }
      _ = try writer.delete(table.schema.id, keys.sorted())
      work.removed[name, default: 0] += keys.count
    }
    for name in work.schema.ordered {
      guard let table = work.schema.tables[name], let objects = written[name] else { continue }
      var batch = RowBatch()
      for object in objects.sorted() { try table.append(object, new.tables[object] ?? [:], to: &batch) }
      _ = try writer.upsert(table.schema.id, batch, .replace)
    }
  }
}
