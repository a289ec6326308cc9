import QuarryBackend

extension SyncReplica {
  /// The hub has refused an entry of this replica: SYNC-19. Its objects become what they are at the hub, and what this
  /// replica wrote after it is written again on that.
  ///
  /// - Returns: False where this replica does not know exactly what the hub had seen. It asks again.
  mutating func rebase(_ refusal: Refusal, _ objects: [ObjectChange], _ vector: VersionVector) -> Bool {
    guard names.contains(refusal.origin),
      let place = log.firstIndex(where: { $0.origin == refusal.origin && $0.mark == refusal.mark })
    else { return true }
    let bad = log[place]
    for origin in Set(vector.keys).union(knowledge.vector.keys) where !names.contains(origin) {
      guard (vector[origin]?.hlc ?? 0) == knowledge.mark(origin).hlc else { return false }
    }
    let withdrawal = Withdrawal(of: bad)
    let void = bad.voided(refusal.void)
    let later = followers(of: bad, after: place)
    let others = log.filter {
      names.contains($0.origin) && $0.origin != refusal.origin && $0.mark.hlc > vector[$0.origin]?.hlc ?? 0
    }
    var renewed: [SyncEntry] = []
    var previous = void.mark
    for entry in later {
      renewed.append(withdrawal.applied(to: entry, after: previous))
      previous = renewed[renewed.count - 1].mark
    }
    var replaced = Dictionary(zip(later.map(\.mark), renewed)) { first, _ in first }
    replaced[bad.mark] = void
    log = log.map { $0.origin == refusal.origin ? replaced[$0.mark] ?? $0 : $0 }
    refusedEntries.append(RefusedEntry(entry: withdrawal.whole(bad, later, rules), reason: refusal.reason))
    let touched = Set(objects.map(\.object)).union(bad.changes.map(\.object))
    replaceRecords(of: touched, with: objects, bad, withdrawal.born, Knowledge(vector))
    if previous.hlc >= knowledge.mark(refusal.origin).hlc { knowledge.vector[refusal.origin] = previous }
    for entry in (renewed + others).sorted(by: { $0.mark.hlc < $1.mark.hlc }) {
      absorb(entry.changes.filter { touched.contains($0.object) }, own: true)
    }
    refresh(touched)
    // Of a part: what the hub said while the refused entry was in the way is said again.
    cursor = 0
    return true
  }

  /// The entries that follow one by their tags. What a copy of this replica has written again follows the void.
  private func followers(of bad: SyncEntry, after place: Int) -> [SyncEntry] {
    var result: [SyncEntry] = []
    var last = bad.mark
    for entry in log[(place + 1)...] where entry.origin == bad.origin && entry.previous == last {
      result.append(entry)
      last = entry.mark
    }
    return result
  }

  /// Takes the hub's records of objects, and holds edits of what was deleted there meanwhile.
  private mutating func replaceRecords(
    of touched: Set<ObjectID>, with objects: [ObjectChange], _ bad: SyncEntry, _ born: Set<Stamp>, _ hub: Knowledge
  ) {
    let theirs = Dictionary(objects.map { ($0.object, $0) }) { _, last in last }
    for object in touched.sorted() {
      let change = theirs[object] ?? ObjectChange(object)
      for (birth, known) in records[object] ?? [:]
      where change.births[birth] == nil && !born.contains(birth) && hub.covers(birth) {
        var edits = known
        edits.columns = edits.columns.filter { $0.value.stamp.hlc != bad.mark.hlc }
        hold(object, birth, edits, change.deaths[birth] ?? Death(of: edits, seenBy: hub))
      }
      put(object, change.births, change.deaths)
    }
  }
}

/// An entry that is taken back, and how those behind it are without it.
private struct Withdrawal {
  /// The births of its inserts.
  let born: Set<Stamp>
  /// What it counted.
  private var counted: [CounterKey: Count] = [:]
  private let origin: ReplicaID

  init(of bad: SyncEntry) {
    origin = bad.origin
    born = Set(bad.changes.flatMap { $0.births.filter { $0.value.isWhole }.keys })
    for change in bad.changes {
      for birth in change.births.values {
        for (column, counts) in birth.counts {
          let key = CounterKey(change.object, birth.root, column)
          guard let count = counts[origin] else { continue }
          counted[key] = count.without(bad.countedBefore[key] ?? Count())
        }
      }
    }
  }

  /// The entry with later edits of objects that were born in it, and without those that were deleted later. These edits and
  /// deletes do not follow the void.
  func whole(_ bad: SyncEntry, _ later: [SyncEntry], _ rules: MergeRules) -> SyncEntry {
    var births = Dictionary(bad.changes.map { ($0.object, $0.births) }) { first, _ in first }
    for change in later.flatMap(\.changes) {
      for (birth, edit) in change.births where born.contains(birth) && !edit.isWhole {
        guard let known = births[change.object]?[birth] else { continue }
        births[change.object]?[birth] = known.joined(edit, change.object.model, rules)
      }
      for birth in change.deaths.keys where born.contains(birth) { births[change.object]?[birth] = nil }
    }
    var result = bad
    result.seen = [:]
    result.changes = bad.changes.compactMap { change in
      let change = ObjectChange(change.object, births: births[change.object] ?? [:], deaths: change.deaths)
      return change.births.isEmpty && change.deaths.isEmpty ? nil : change
    }
    return result
  }

  func applied(to entry: SyncEntry, after previous: EntryMark) -> SyncEntry {
    var result = entry
    result.previous = previous
    result.mark.tag = SyncReplica.tag(of: entry.mark.tag, after: previous)
    result.changes = entry.changes.map { change in
      var births: Births = [:]
      for (birth, record) in change.births where record.isWhole || !born.contains(birth) {
        var record = record
        for (column, counts) in record.counts {
          let key = CounterKey(change.object, record.root, column)
          record.counts[column] = counts[origin].map { [origin: $0.without(counted[key] ?? Count())] } ?? [:]
        }
        births[birth] = record
      }
      return ObjectChange(change.object, births: births, deaths: change.deaths.filter { !born.contains($0.key) })
    }
    for (key, count) in entry.countedBefore { result.countedBefore[key] = count.without(counted[key] ?? Count()) }
    return result
  }
}
