import QuarryBackend

// What a merge writes itself, as entries of this replica.

extension SyncReplica {
  /// Finishes a merge: repairs, and the tables.
  ///
  /// - Parameters:
  ///   - before: The tables and the records before it.
  ///   - touched: The objects whose records it may have changed.
  mutating func settle(_ before: (tables: [ObjectID: SyncRow], records: [ObjectID: Births]), _ touched: Set<ObjectID>) {
    var touched = touched
    if isHub || !hasHub { touched.formUnion(revive(before.tables, before.records)) }
    if isHub { touched.formUnion(keepVisible(before.tables)) }
    refresh(touched)
  }

  /// Brings back what was deleted and is referred to by `deny`, with what it needs: SYNC-16.
  private mutating func revive(_ shown: [ObjectID: SyncRow], _ before: [ObjectID: Births]) -> Set<ObjectID> {
    let dead = Set(shown.keys.filter { records[$0] == nil && before[$0] != nil })
    let isDenied = dead.contains { object in
      (schema.referrers[object.model] ?? []).contains { model, column in
        schema.models[model]?.column(column)?.reference?.rule == .deny
      }
    }
    guard isDenied else { return [] }
    let trial = Stamp(clock.last &+ 1, id)
    var revived = records
    for object in dead { revived[object] = [trial: (before[object] ?? [:]).revived(object.model, rules)] }
    let view = SyncView(revived, schema)
    var needed: Set<ObjectID> = []
    for target in dead {
      for object in view.referrers[target] ?? [] where !dead.contains(object) && view.isShown(object) {
        guard denies(object, target, view) else { continue }
        needed.formUnion(Set(view.needs(target) + [target]).intersection(dead))
      }
    }
    guard !needed.isEmpty else { return [] }
    let stamp = newStamp()
    let changes = needed.sorted().map { object in
      ObjectChange(object, births: [stamp: (before[object] ?? [:]).revived(object.model, rules)])
    }
    author(changes, stamp, isRepair: true)
    return needed
  }

  /// Whether an object refers to the target by `deny`.
  func denies(_ object: ObjectID, _ target: ObjectID, _ view: SyncView) -> Bool {
    guard let model = schema.models[object.model], let row = view.rows[object] else { return false }
    return model.references.contains { column, reference in
      reference.rule == .deny && reference.model == target.model && row[column] == target.key
    }
  }

  /// Puts older claims that came in between behind those of objects that were shown: SYNC-15 and SYNC-18.
  ///
  /// - Returns: The objects that went behind.
  mutating func keepVisible(_ shown: [ObjectID: SyncRow]) -> Set<ObjectID> {
    var touched: Set<ObjectID> = []
    // Visible ones go behind once, as two could take turns. A hidden one goes behind each that went.
    var turned: Set<ObjectID> = []
    while true {
      let view = SyncView(records, schema)
      var late: Set<ObjectID> = []
      for (object, row) in shown where view.rows[object] != nil {
        guard let model = schema.models[object.model], view.hasLivingNeeds(object) else { continue }
        for (index, columns) in model.uniques.enumerated() {
          guard let winner = view.winner(over: object, index), !turned.contains(winner) else { continue }
          if view.claimed(object, index)?.values == columns.map({ row[$0] ?? .null }) { late.insert(winner) }
        }
      }
      guard !late.isEmpty else { return touched }
      let stamp = newStamp()
      let changes = late.sorted().map { object in
        let births = (records[object] ?? [:]).mapValues { known in
          BirthRecord(root: known.root, isWhole: false, columns: [.claim: Register(stamp, .null)])
        }
        return ObjectChange(object, births: births)
      }
      author(changes, stamp, isRepair: true)
      touched.formUnion(late)
      turned.formUnion(late.filter { shown[$0] != nil })
    }
  }

  /// Makes the tables follow the records.
  ///
  /// - Parameter touched: The objects whose records changed; nil for all.
  mutating func refresh(_ touched: Set<ObjectID>? = nil) {
    let new = SyncView(records, schema, blanks: blanks)
    let before = tables
    tables = touched.map { new.reconsidered($0, since: view, tables) } ?? new.tables()
    view = new
    guard isHub else { return }
    commits += 1
    for object in touched ?? [] { self.touched[object] = commits }
    for object in before.keys where before[object] != tables[object] { self.touched[object] = commits }
    for object in tables.keys where before[object] == nil { self.touched[object] = commits }
  }
}
