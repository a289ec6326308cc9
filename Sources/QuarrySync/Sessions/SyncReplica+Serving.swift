import QuarryBackend

extension SyncReplica {
  /// What this replica asks another one with.
  package func hello() -> SyncHello {
    SyncHello(
      replica: id, names: names, session: session, knowledge: knowledge, collected: collected, time: environment.now(),
      infersDeletes: infersDeletes, progress: progress, cursor: cursor, rules: spokenRules,
      role: isHub ? .hub : hasHub ? .client : .peer, place: place)
  }

  /// The rules that others hear. What is resolved is said by the hub that does it.
  private var spokenRules: MergeRules { isHub ? rules : MergeRules(rules.rules) }

  /// A hub believes no births that are missing; one that was put back does: SYNC-5.
  var infersDeletes: Bool { !isHub || judgesAfter > 0 }

  /// Notes the hub's identity. Answers of what a hub was before it was put back are not taken any more: SYNC-23.
  mutating func meet(_ other: ReplicaID) {
    guard hasHub else { return }
    if let epoch, epoch != other { session = environment.random() }
    epoch = other
  }

  /// All that another replica lacks: by the log, else by rows, else by all records. SYNC-27.
  package mutating func serve(_ hello: SyncHello) -> [NumberedMessage] {
    meet(hello.replica)
    let yours = SyncMessage.yours(introduction(hello))
    let notices = notices(hello, inside: nil)
    if hasRows(beyond: hello.knowledge) {
      if !awaitsRows {
        nameRows()
      } else if !hello.knowledge.covers(trimmed) {
        return NumberedMessage.numbered([yours] + notices)
      }
    }
    if hello.knowledge.covers(trimmed) {
      let missing = log.filter { entry in
        !hello.knowledge.covers(entry.stamp) && !(entry.isHollow && hello.knowledge.holes.contains(entry.stamp))
      }
      return NumberedMessage.numbered([yours] + missing.map { .log($0.told(to: hello)) } + notices)
    }
    let isWhole = hello.infersDeletes && !hello.knowledge.covers(collected)
    var header = RowsHeader(knowledge: knowledge, collected: collected, isWhole: isWhole)
    var last: ObjectID?
    if let progress = hello.progress, progress.header.isWhole == isWhole,
      knowledge.covers(progress.header.knowledge.vector.floors),
      // What was collected meanwhile would be taken for what the beginning knew.
      !isWhole || collected.allSatisfy({ $0.value <= progress.header.collected[$0.key] ?? 0 })
    {
      // Rows that were cut go on behind the last key. Their end has the vector of their beginning.
      last = progress.object
      header = progress.header
    }
    let rows = rows(hello, after: &last, header)
    return NumberedMessage.numbered([yours] + rows + [.end(header, after: last)] + notices)
  }

  private func rows(_ hello: SyncHello, after last: inout ObjectID?, _ header: RowsHeader) -> [SyncMessage] {
    var rows: [SyncMessage] = []
    for object in Set(records.keys).union(tombstones.keys).sorted() {
      if let last, object <= last { continue }
      var births = records[object] ?? [:]
      if !header.isWhole, births.allSatisfy({ $1.stamps($0).allSatisfy(hello.knowledge.covers) }) { births = [:] }
      let deaths = (tombstones[object] ?? [:]).filter { header.isWhole || !hello.knowledge.covers($0.value.stamp) }
      guard !births.isEmpty || !deaths.isEmpty else { continue }
      rows.append(.rows(ObjectChange(object, births: births, deaths: deaths), after: last, header))
      last = object
    }
    return rows
  }

  /// What a replica must hear before all else: what is known of its names.
  func introduction(_ hello: SyncHello) -> Introduction {
    let known = hello.names.compactMap { name -> KnownOrigin? in
      guard let last = knowledge.vector[name] else { return nil }
      let tags = log.lazy.filter { $0.origin == name }.map { ($0.mark.hlc, $0.mark.tag) }
      return KnownOrigin(
        name: name, last: last, tags: Dictionary(tags) { _, later in later }, trimmed: trimmed[name] ?? 0,
        voids: (refusals[name] ?? []).map { KnownOrigin.Void(mark: $0.mark, void: $0.void) })
    }
    let doubts = hello.knowledge.vector.sorted { $0.key < $1.key }.compactMap { origin, last -> Introduction.Doubt? in
      guard !hello.names.contains(origin), let mark = other(origin, last) else { return nil }
      return Introduction.Doubt(origin: origin, mark: mark)
    }
    return Introduction(replica: id, session: hello.session, known: known, doubts: doubts, rules: spokenRules)
  }

  /// The refusals of a replica's entries, with the state of their objects.
  ///
  /// - Parameter inside: The objects of the asker's part; nil where it has all.
  func notices(_ hello: SyncHello, inside: Set<ObjectID>?) -> [SyncMessage] {
    hello.names.flatMap { refusals[$0] ?? [] }.map { refusal in
      let objects = refusal.objects.map { object in
        let isInside = inside?.contains(object) ?? true
        return ObjectChange(
          object, births: isInside ? records[object] ?? [:] : [:], deaths: tombstones[object] ?? [:])
      }
      return .refused(refusal, objects, knowledge.vector)
    }
  }

  /// What a hub that was put back has where a client's knowledge of an origin ends with a void, if that is another entry:
  /// it may have taken what it had refused. SYNC-5.
  func other(_ origin: ReplicaID, _ last: EntryMark) -> EntryMark? {
    let mine = knowledge.mark(origin)
    guard judgesAfter > 0, last.isVoid, mine.hlc >= last.hlc, mine != last else { return nil }
    let logged = log.first { $0.origin == origin && $0.mark.hlc == last.hlc }?.mark.tag
    return EntryMark(last.hlc, logged ?? (mine.hlc == last.hlc ? mine.tag : 0))
  }
}
