import QuarryBackend

// A replica with a part of its hub: SYNC-35 to SYNC-37.

extension SyncReplica {
  /// The objects of a part: those that are wanted, and what they need.
  package func part(_ isWanted: (ObjectID, SyncRow) -> Bool) -> Set<ObjectID> {
    let wanted = tables.filter { isWanted($0.key, $0.value) }.keys
    return wanted.reduce(into: Set(wanted)) { $0.formUnion(view.needs($1)) }
  }

  /// What a replica with a part of this hub lacks: whole records of touched objects and of what they need. Of what is not in
  /// the part, only that it is not.
  package mutating func servePart(
    _ hello: SyncHello, _ isWanted: (ObjectID, SyncRow) -> Bool
  ) -> [NumberedMessage] {
    meet(hello.replica)
    let inside = part(isWanted)
    let changed = touched.filter { $0.value > hello.cursor }.sorted {
      $0.value != $1.value ? $0.value < $1.value : $0.key < $1.key
    }.map(\.key)
    var sent: Set<ObjectID> = []
    var messages = [SyncMessage.yours(introduction(hello))]
    for object in changed.filter(inside.contains).flatMap({ [$0] + view.needs($0) })
    where sent.insert(object).inserted {
      guard let row = tables[object] else { continue }
      messages.append(
        .part(
          PartObject(
            object: object, births: records[object] ?? [:], deaths: tombstones[object] ?? [:],
            blanks: hiddenValues(object, row), isWanted: isWanted(object, row), vector: knowledge.vector)))
    }
    for object in changed where !inside.contains(object) {
      messages.append(
        .part(
          PartObject(
            object: object, births: nil, deaths: tombstones[object] ?? [:], blanks: [:], isWanted: false,
            vector: knowledge.vector)))
    }
    messages.append(.partEnd(cursor: commits, knowledge.vector))
    return NumberedMessage.numbered(messages + notices(hello, inside: inside))
  }

  /// The columns that show nil because the object lost an index, with the stamps of their values.
  private func hiddenValues(_ object: ObjectID, _ row: SyncRow) -> [SyncName: Stamp] {
    guard let model = schema.models[object.model], let raw = view.rows[object] else { return [:] }
    var result: [SyncName: Stamp] = [:]
    for case let column? in model.blanks where row[column]?.isNull == true && raw[column]?.isNull == false {
      result[column] = view.stamps[object]?[column]
    }
    return result
  }

  /// Takes the hub's word for an object, and keeps what was written here and the hub does not have.
  ///
  /// - Parameter hub: What the hub knew.
  mutating func take(_ part: PartObject, _ hub: Knowledge) {
    let object = part.object
    let mine = records[object] ?? [:]
    let unsentDeaths = unsentDeaths(object, hub)
    let isUnsent: (Stamp) -> Bool = { [names] in names.contains($0.replica) && !hub.covers($0) }
    let hasUnsent = !unsentDeaths.isEmpty || mine.contains { $1.stamps($0).contains(where: isUnsent) }
    // Edits of what has left the part go to the hub first, which will say so again: SYNC-36.
    if part.births == nil, hasUnsent { return }
    var births = part.births ?? [:]
    for (birth, known) in mine {
      if let new = births[birth] {
        births[birth] = new.joined(known.keeping(isUnsent), object.model, rules)
      } else if isUnsent(birth) {
        births[birth] = known
      } else if part.births != nil || part.deaths[birth] != nil {
        hold(object, birth, known, part.deaths[birth] ?? Death(of: known, .zero))
      }
    }
    for (birth, new) in part.births ?? [:] {
      for stamp in new.stamps(birth) { clock.raise(to: stamp.hlc) }
    }
    put(object, births.filter { unsentDeaths[$0.key] == nil }, unsentDeaths)
    blanks[object] = part.births == nil || part.blanks.isEmpty ? nil : part.blanks
    wanted[object] = part.births == nil ? nil : part.isWanted
  }

  /// Deletes of this replica that the hub does not have.
  private func unsentDeaths(_ object: ObjectID, _ hub: Knowledge) -> Deaths {
    (tombstones[object] ?? [:]).filter { !hub.covers($0.value.stamp) }
  }

  /// Drops what is here only because something needed it that is not here any more.
  mutating func endPart(_ cursor: UInt64, _ vector: VersionVector) {
    self.cursor = cursor
    knowledge.vector.merge(vector) { $1.hlc > $0.hlc ? $1 : $0 }
    trimmed.raise(to: vector.floors.filter { !names.contains($0.key) })
    for mark in vector.values { clock.raise(to: mark.hlc) }
    let view = SyncView(records, schema, blanks: blanks)
    let needed = records.keys.filter { wanted[$0] != false }.reduce(into: Set<ObjectID>()) {
      $0.formUnion(view.needs($1))
    }
    for object in records.keys where wanted[object] == false && !needed.contains(object) {
      put(object, [:], unsentDeaths(object, Knowledge(vector)))
      wanted[object] = nil
      blanks[object] = nil
    }
  }
}

extension BirthRecord {
  /// What has stamps that fulfil a condition, as edits.
  fileprivate func keeping(_ isKept: (Stamp) -> Bool) -> BirthRecord {
    BirthRecord(
      root: root, isWhole: false, columns: columns.filter { isKept($0.value.stamp) },
      counts: counts.mapValues { $0.filter { isKept(Stamp($0.value.hlc, $0.key)) } }.filter { !$0.value.isEmpty },
      sets: sets.mapValues { $0.filter { isKept($0.value.stamp) } }.filter { !$0.value.isEmpty })
  }
}
