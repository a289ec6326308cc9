import QuarryBackend

extension SyncReplica {
  /// Takes an entry, or refuses all of it: SYNC-17.
  ///
  /// - Returns: Whether it was taken.
  mutating func judge(_ entry: SyncEntry) -> Bool {
    var trial = self
    trial.absorb(entry.changes)
    clock.raise(to: trial.clock.last)
    let view = SyncView(trial.records, schema)
    let objects = entry.changes.map(\.object)
    var isAccepted = entry.mark.hlc <= judgesAfter
    if !isAccepted {
      isAccepted =
        !objects.contains { takesValue($0, view) } && !objects.contains { isDenied($0, view) }
        && (policy?(entry, tables, view.tables()) ?? true)
    }
    if isAccepted {
      integrate([entry])
      return true
    }
    let tag = environment.random() | EntryMark.voidBit
    let refusal = Refusal(origin: entry.origin, mark: entry.mark, void: tag, objects: objects)
    refusals[entry.origin, default: []].append(refusal)
    let void = entry.voided(tag)
    knowledge.vector[entry.origin] = void.mark
    log.append(void)
    return false
  }

  /// Whether a visible object would take a unique value that another visible one has.
  private func takesValue(_ object: ObjectID, _ view: SyncView) -> Bool {
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
