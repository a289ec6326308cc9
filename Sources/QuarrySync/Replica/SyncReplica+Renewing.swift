import QuarryBackend

extension SyncReplica {
  /// Compares what another replica knows of a name of this one with the log. Where that is more, or something else, this
  /// replica was put back or copied: it takes a new name, and so do its entries that the other does not know. SYNC-4.
  mutating func renew(_ known: KnownOrigin) {
    let own = expectedTags(known)
    let name = known.name
    let last = known.last
    let floor = trimmed[name] ?? 0
    // Whether it went on from another entry.
    let isForked = own.contains { known.trimmed < $0.key && $0.key <= last.hlc && known.tags[$0.key] != $0.value }
    if !isForked {
      if last.hlc <= floor || own[last.hlc] == last.tag { return }
      if last.hlc > knowledge.mark(name).hlc, name != id { return }
    }
    // What was trimmed there was taken, but for the last where its tag differs: a refusal that a restored hub forgot.
    let shared = own.filter { hlc, tag in
      known.tags[hlc] == tag || hlc <= known.trimmed && !(hlc == last.hlc && tag != last.tag)
    }
    let common = max(floor, shared.keys.max() ?? 0)
    takeName(environment.renewed(id))
    session = environment.random()
    progress = nil
    let fresh = id
    rename(name, after: common) { $0.replica == name && $0.hlc > common ? Stamp($0.hlc, fresh) : $0 }
  }

  /// The tags of a name's entries, as they will be after the refusals that the other replica knows of.
  private func expectedTags(_ known: KnownOrigin) -> [UInt64: UInt64] {
    let voids = Dictionary(known.voids.map { ($0.mark, $0.void) }) { _, last in last }
    var result: [UInt64: UInt64] = [:]
    var previous: EntryMark?
    for entry in log where entry.origin == known.name {
      var mark = entry.mark
      if let previous { mark.tag = Self.tag(of: mark.tag, after: previous) }
      if let void = voids[mark] {
        mark.tag = void
        previous = mark
      } else if previous != nil {
        previous = mark
      }
      result[mark.hlc] = mark.tag
    }
    return result
  }

  private mutating func takeName(_ name: ReplicaID) {
    id = name
    names.insert(name, at: 0)
  }

  /// Takes a new name: the store was put back, or is a copy, and that was noticed before anything was written.
  package mutating func restored() {
    takeName(environment.renewed(id))
    progress = nil
    session = environment.random()
    if isHub { judgesAfter = environment.limit }
  }

  /// Begins a new session, as an opening of the store does. Answers to an earlier one change nothing.
  package mutating func reopened() {
    session = environment.random()
    epoch = nil
  }

  /// Gives new stamps, in the same order, to entries that no peer took because the clock was far ahead: SYNC-3.
  ///
  /// The clock does not go back behind `taken`, nor behind what other replicas have stamped: SYNC-1.
  ///
  /// - Parameter taken: The last own entry that a peer has. It and those before it keep their stamps, also where this store's
  ///   wall clock has gone back.
  package mutating func heal(taken: UInt64 = 0) {
    guard isAhead(taken: taken) else { return }
    let limit = environment.limit
    var sound = knowledge.vector.values.map(\.hlc) + log.map(\.mark.hlc)
    for births in records.values { sound += births.flatMap { $1.stamps($0).map(\.hlc) } }
    for deaths in tombstones.values { sound += deaths.values.map(\.stamp.hlc) }
    clock.putBack(to: max(sound.filter { $0 <= limit }.max() ?? 0, taken, received))
    let own = log.filter { $0.origin == id }.map(\.mark.hlc)
    let common = max(own.filter { $0 <= limit }.max() ?? trimmed[id] ?? 0, taken)
    var fresh: [UInt64: UInt64] = [:]
    for hlc in own where hlc > common { fresh[hlc] = clock.tick(environment.scale, at: environment.now()) }
    let name = id
    rename(name, after: common) { stamp in
      guard stamp.replica == name, let hlc = fresh[stamp.hlc] else { return stamp }
      return Stamp(hlc, name)
    }
  }

  /// Whether the clock is further ahead than peers accept, by an entry that no peer has.
  func isAhead(taken: UInt64) -> Bool { clock.last > max(environment.limit, taken, received) }

  /// The last stamp of other replicas that this one has.
  private var received: UInt64 { knowledge.vector.filter { $0.key != id }.map(\.value.hlc).max() ?? 0 }
}
