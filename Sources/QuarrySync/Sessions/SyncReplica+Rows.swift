import QuarryBackend

extension SyncReplica {
  /// Whether rows begin here, or go on where those that came before were cut.
  func follows(_ last: ObjectID?, _ header: RowsHeader) -> Bool {
    guard let last else { return true }
    return progress == RowsProgress(object: last, header: header)
  }

  /// Joins the records of one object of tiers 2 and 3. The vector is raised by the end alone: SYNC-28.
  mutating func take(_ change: ObjectChange, after last: ObjectID?, _ header: RowsHeader) {
    let before = (tables, records)
    absorb([change])
    let inferred = infer(after: last, to: change.object, change.births, header)
    progress = RowsProgress(object: change.object, header: header)
    var reach = header.knowledge.vector.floors
    reach.raise(to: change.reach)
    note(
      NamelessRows(reach: reach, isWhole: header.isWhole, due: environment.now() &+ environment.scale.patience))
    settle(before, inferred.union([change.object]))
  }

  /// Of the keys after one and up to another, only those births exist that came: what the sender knows of others is deleted.
  private mutating func infer(
    after last: ObjectID?, to end: ObjectID?, _ births: Births, _ header: RowsHeader
  ) -> Set<ObjectID> {
    guard header.isWhole, infersDeletes else { return [] }
    var known = header.knowledge
    for (origin, mark) in known.vector where other(origin, mark) != nil { known.holes.insert(Stamp(mark.hlc, origin)) }
    var touched: Set<ObjectID> = []
    for (object, mine) in records {
      if let last, object <= last { continue }
      if let end, object > end { continue }
      for (birth, record) in mine where known.covers(birth) && !(object == end && births[birth] != nil) {
        hold(object, birth, record, Death(of: record, seenBy: known))
        put(object, (records[object] ?? [:]).filter { $0.key != birth }, tombstones[object] ?? [:])
        touched.insert(object)
      }
    }
    return touched
  }

  /// The last message of rows: the vector rises.
  mutating func end(_ header: RowsHeader, after last: ObjectID?) {
    let before = (tables, records)
    let touched = infer(after: last, to: nil, [:], header)
    progress = nil
    if header.isWhole, infersDeletes { collected.raise(to: header.collected) }
    let raised = header.knowledge.vector.filter { $0.value.hlc > knowledge.mark($0.key).hlc }
    let mine = knowledge
    let open = mine.holes.union(header.knowledge.holes).filter { !mine.covers($0) && !header.knowledge.covers($0) }
    let filled = mine.holes.subtracting(open)
    fill(filled)
    knowledge.vector.merge(raised) { _, new in new }
    knowledge.holes = open
    if let nameless, knowledge.covers(nameless.reach) { self.nameless = nil }
    trimmed.raise(to: raised.floors)
    trimmed.raise(to: Floors(filled.map { ($0.replica, $0.hlc) }) { max($0, $1) })
    for mark in header.knowledge.vector.values { clock.raise(to: mark.hlc) }
    settle(before, touched)
  }
}
