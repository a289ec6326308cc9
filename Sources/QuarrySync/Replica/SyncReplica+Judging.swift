import QuarryBackend

extension SyncReplica {
  /// Takes an entry, or refuses all of it: SYNC-17.
  ///
  /// - Parameter seen: What its author had seen of the columns that it writes.
  /// - Returns: Whether it was taken.
  mutating func judge(_ entry: SyncEntry, _ seen: SeenRegisters) -> Bool {
    var trial = self
    trial.absorb(entry.changes)
    clock.raise(to: trial.clock.last)
    let view = SyncView(trial.records, schema)
    var reason: String?
    var resolutions: [LocalChange] = []
    if entry.mark.hlc > judgesAfter {
      reason = self.reason(against: entry, view)
      if reason == nil, !seen.isEmpty {
        do throws(UnresolvedConflict) {
          resolutions = try resolve(entry, seen, trial, view)
        } catch {
          reason = error.description
        }
      }
    }
    guard let reason else {
      integrate([entry])
      write(resolutions)
      return true
    }
    let tag = environment.random() | EntryMark.voidBit
    let refusal = Refusal(
      origin: entry.origin, mark: entry.mark, void: tag, objects: entry.changes.map(\.object), reason: reason)
    refusals[entry.origin, default: []].append(refusal)
    let void = entry.voided(tag)
    knowledge.vector[entry.origin] = void.mark
    log.append(void)
    return false
  }

  /// Why an entry is refused; nil where it is taken.
  private func reason(against entry: SyncEntry, _ after: SyncView) -> String? {
    let objects = entry.changes.map(\.object)
    if objects.contains(where: { takesValue($0, after) }) { return "another object has a unique value that it takes" }
    if objects.contains(where: { isDenied($0, after) }) { return "another object refers to what it deletes" }
    if let policy, !policy(entry, tables, after.tables()) { return "the program of the hub refused it" }
    return program?(entry, { view.rows[$0] }, { after.rows[$0] })
  }

  /// Whether a visible object would take a unique value that another visible one has.
  func takesValue(_ object: ObjectID, _ view: SyncView) -> Bool {
    guard let row = tables[object], view.rows[object] != nil, let model = schema.models[object.model] else {
      return false
    }
    return model.uniques.enumerated().contains { index, columns in
      guard let claimed = view.claimed(object, index), claimed.values != columns.map({ row[$0] ?? .null }) else {
        return false
      }
      return (view.claimants[claimed] ?? []).contains { other in
        guard other != object, let shown = tables[other] else { return false }
        return columns.map { shown[$0] ?? .null } == claimed.values
      }
    }
  }

  /// Whether a visible object would be deleted to which another one refers by `deny`.
  private func isDenied(_ object: ObjectID, _ view: SyncView) -> Bool {
    guard tables[object] != nil, view.rows[object] == nil else { return false }
    return (view.referrers[object] ?? []).contains { tables[$0] != nil && denies($0, object, view) }
  }
}
