import QuarryBackend
import QuarryCore

// The two sides of a session. By the log, a store loads what an entry concerns, and no more. Rows, new names and holes are
// rare, and load everything.

extension StoreSync {
  /// The most entries, and objects in them, that one transaction stores.
  private static let batch = (entries: 64, objects: 2_000)

  /// The messages and entries of an answer that were refused, and why the first was.
  typealias Refused = (refused: Int, reason: RefusedChanges?)

  /// What the store asks a peer with. Entries that were stamped ahead of the clock get new stamps before.
  package func hello() throws -> SyncHello {
    let hello: SyncHello? = try reading { work in
      let replica = work.replica
      // Peers are read only where the clock is ahead at all.
      return try replica.isAhead(taken: 0) && replica.isAhead(taken: work.taken()) ? nil : replica.hello()
    }
    if let hello { return hello }
    try changing { work in
      try work.loadAll()
      let taken = try work.taken()
      try work.run { replica throws(StorageError) in replica.heal(taken: taken) }
    }
    return try reading { work in work.replica.hello() }
  }

  /// All that a peer lacks.
  package func serve(_ hello: SyncHello) throws -> [NumberedMessage] { try answer(hello, SyncTerms()).messages }

  /// The objects of a part that one answer has, in one process.
  private static let partObjects = 2_000

  /// What a peer lacks. Of a part of a hub, an answer has some objects.
  ///
  /// - Returns: The messages, and whether the peer lacks nothing more.
  package func answer(_ hello: SyncHello, _ terms: SyncTerms) throws -> (messages: [NumberedMessage], isEnd: Bool) {
    var objects: [SyncMessage] = []
    let given = try givePart(hello, terms.principal) { message throws(StorageError) in
      objects.append(message)
    } isFull: {
      objects.count >= Self.partObjects
    }
    if let given { return (NumberedMessage.numbered([given.introduction] + objects), given.isEnd) }
    return (try entries(for: hello), true)
  }

  private func entries(for hello: SyncHello) throws -> [NumberedMessage] {
    try answering(hello) { work in
      guard work.answersByLog(hello) else {
        try work.loadAll()
        var replica = work.replica
        return replica.serve(hello)
      }
      return NumberedMessage.numbered(try work.entries(for: hello))
    }
  }

  /// Reads what a peer is answered. Rows that were cut get a name before that, where the store does not wait for their rest any
  /// more and the peer lacks some of them.
  func answering<R>(_ hello: SyncHello, _ body: (StoredWork) throws -> R) throws -> R {
    let answer: R? = try reading { work in
      try work.requireOwnEntries(hello)
      guard work.state.nameless != nil else { return try body(work) }
      let replica = work.replica
      return replica.hasRows(beyond: hello.knowledge) && !replica.awaitsRows ? nil : try body(work)
    }
    if let answer { return answer }
    try changing { work in
      try work.run { replica throws(StorageError) in
        if !replica.awaitsRows { replica.nameRows() }
      }
    }
    return try reading(body)
  }

  /// Takes a peer's answer.
  ///
  /// - Parameters:
  ///   - terms: The terms on which it is taken.
  ///   - isOver: Whether the time for it is over. It is asked between two transactions; the rest is not taken then.
  /// - Returns: The number of refused messages and entries.
  /// - Throws: `limitExceeded` for deletes that are not allowed: SYNC-38.
  @discardableResult
  package func receive(
    _ session: UInt64, _ messages: [NumberedMessage], _ terms: SyncTerms = SyncTerms(),
    until isOver: () -> Bool = { false }
  ) throws -> Int {
    try intake(session, messages, terms, until: isOver).refused
  }

  /// Takes a peer's answer: ``receive(_:_:_:until:)``.
  ///
  /// - Returns: The number of refused messages and entries, and why the first was refused.
  func intake(
    _ session: UInt64, _ messages: [NumberedMessage], _ terms: SyncTerms, until isOver: () -> Bool = { false }
  ) throws -> Refused {
    do {
      return try taken(session, messages, terms, until: isOver)
    } catch let error as StorageError {
      guard case .yours(let introduction)? = messages.first?.message else { throw error }
      throw error.ofChanges(from: introduction.replica)
    }
  }

  private func taken(
    _ session: UInt64, _ messages: [NumberedMessage], _ terms: SyncTerms, until isOver: () -> Bool
  ) throws -> Refused {
    guard try isExpected(session, messages) else { return (0, nil) }
    let messages = try withoutKnownRefusals(messages)
    let hasPart = messages.contains { $0.message.isOfPart }
    let isByLog = try reading { work in
      for numbered in messages { try work.schema.check(numbered.message.changes) }
      return try !hasPart && Self.isByLog(messages, work)
    }
    if hasPart { return try takePart(session, messages, terms) }
    guard isByLog else { return try receiveWhole(session, messages, terms) }
    var peer: ReplicaID?
    if case .yours(let introduction)? = messages.first?.message {
      peer = introduction.replica
      try learn(introduction.rules)
    }
    var refused: Refused = (0, nil)
    var removals = keeper.removals(by: peer, allowed: terms.deletes)
    let batches = Self.batches(messages)
    try reading { [removals] work in try removals.check(batches.flatMap { $0 }, work) }
    for entries in batches {
      let taken = try changing { [removals] work in
        let numbered = NumberedMessage.numbered(entries.map { .log($0) })
        decide(work, for: terms.principal)
        try work.load(Set(entries.flatMap { $0.changes.map(\.object) }))
        let refused = try work.run { replica throws(StorageError) -> Refused in
          (replica.receive(session, numbered, batch: entries.count), replica.refusal)
        }
        var after = removals
        try after.add(work)
        return (refused, after)
      }
      refused = (refused.refused + taken.0.refused, refused.reason ?? taken.0.reason)
      removals = taken.1
      keeper.note(removals, by: peer)
      // What follows a refused entry is refused too.
      if refused.refused > 0 || isOver() { break }
    }
    return refused
  }

  /// Whether an answer is one that this store takes: of its session, and a client takes those of its hub alone.
  private func isExpected(_ session: UInt64, _ messages: [NumberedMessage]) throws -> Bool {
    try reading { work in
      guard work.session == session else { return false }
      guard case .yours(let introduction)? = messages.first?.message else { return true }
      return work.state.role != .client || work.state.hubs.first == introduction.replica
    }
  }

  /// An answer without the refusals of entries that this store does not have, or has taken back before.
  private func withoutKnownRefusals(_ messages: [NumberedMessage]) throws -> [NumberedMessage] {
    guard messages.contains(where: { if case .refused = $0.message { true } else { false } }) else { return messages }
    let isNew = try reading { work in
      try messages.map { numbered in
        guard case .refused(let refusal, _, _) = numbered.message else { return true }
        guard work.state.role == .client else { return false }
        return try work.mark(Stamp(refusal.mark.hlc, refusal.origin)) == refusal.mark
      }
    }
    // They are the last messages of an answer. Its numbers begin at 0.
    var result: [NumberedMessage] = []
    for (place, numbered) in messages.enumerated() where isNew[place] {
      var numbered = numbered
      if case .refused = numbered.message, Int(numbered.number) == place { numbered.number = UInt32(result.count) }
      result.append(numbered)
    }
    return result
  }

  /// Whether an answer has entries alone, and this store keeps its name.
  private static func isByLog(_ messages: [NumberedMessage], _ work: StoredWork) throws -> Bool {
    for (place, numbered) in messages.enumerated() {
      guard Int(numbered.number) == place else { return false }
      switch numbered.message {
      case .yours: if place > 0 { return false }
      case .log(let entry): if entry.isHollow { return false }
      default: return false
      }
    }
    guard let first = messages.first, case .yours = first.message else { return false }
    guard work.state.knowledge.holes.isEmpty, work.state.progress == nil else { return false }
    try work.loadPlaces(of: work.state.names)
    var replica = work.replica
    let name = replica.id
    replica.receive(replica.session, [first])
    return replica.id == name && replica.knowledge == work.state.knowledge
  }

  func receiveWhole(
    _ session: UInt64, _ messages: [NumberedMessage], _ terms: SyncTerms
  ) throws -> Refused {
    let (refused, next) = try changing { work in
      decide(work, for: terms.principal)
      try work.loadAll()
      let result = try work.run { replica throws(StorageError) -> (Refused, UInt64) in
        let refused = replica.receive(session, messages, batch: Self.batch.entries)
        return ((refused, replica.refusal), replica.session)
      }
      var removals = Removals(allowed: terms.deletes, [:])
      try removals.add(work)
      return result
    }
    keeper.note(session: next)
    return refused
  }

  func learn(_ rules: MergeRules) throws {
    let isNew = try reading { work in
      var known = work.state.rules
      known.learn(rules)
      if work.state.role == .client { known.resolved = rules.resolved.filter { work.schema.tables[$0] != nil } }
      return known != work.state.rules && !rules.rules.isEmpty
    }
    guard isNew else { return }
    try changing { work in
      try work.run { replica throws(StorageError) in replica.learn(rules) }
    }
  }

  private static func batches(_ messages: [NumberedMessage]) -> [[SyncEntry]] {
    var result: [[SyncEntry]] = []
    var part: [SyncEntry] = []
    var objects = 0
    for numbered in messages {
      guard case .log(let entry) = numbered.message else { continue }
      if !part.isEmpty, part.count >= batch.entries || objects + entry.changes.count > batch.objects {
        result.append(part)
        (part, objects) = ([], 0)
      }
      part.append(entry)
      objects += entry.changes.count
    }
    return part.isEmpty ? result : result + [part]
  }
}

extension StoredWork {
  /// The last own entry that a peer has, as far as is known.
  fileprivate func taken() throws(StorageError) -> UInt64 {
    try peers().map { $0.knowledge.mark(state.names[0]).hlc }.max() ?? 0
  }

  /// Of a store with a part: refuses a hub that was put back behind entries of this store that the log does not have.
  func requireOwnEntries(_ hello: SyncHello) throws(StorageError) {
    guard state.place != nil else { return }
    for name in state.names where state.trimmed[name] ?? 0 > hello.knowledge.mark(name).hlc {
      throw SyncDenial.lostPart.error
    }
  }

  /// Whether a peer is answered by the log. A store with a part has own entries alone to send.
  func answersByLog(_ hello: SyncHello) -> Bool { state.place != nil || hello.knowledge.covers(state.trimmed) }

  /// The answer by the log: what is known of the asker's names, and the entries that it lacks, by HLC.
  func entries(for hello: SyncHello) throws(StorageError) -> [SyncMessage] {
    var places: [SyncEntry] = []
    var missing: [SyncMessage] = []
    try loadRefusals(of: hello.names)
    try schema.area.forEach(AreaKey.Kind.log.prefix, in: transaction) { key, value throws(StorageError) in
      let place = try StoredEntry.place(key, value)
      if hello.names.contains(place.origin) || state.judgesAfter > 0 { places.append(place) }
      if !hello.knowledge.covers(place.stamp) {
        missing.append(.log(try StoredEntry.entry(key, value).told(to: hello)))
      }
      return true
    }
    var replica = emptyReplica
    replica.log = places
    replica.refusals = refusals
    return try [.yours(replica.introduction(hello))] + missing + notices(for: hello, places)
  }

  /// Of a hub: the refusals that the asker may not know, with the state of their objects: SYNC-19.
  ///
  /// - Parameters:
  ///   - places: The entries of the asker's names in the log.
  ///   - isInside: Whether the asker may see an object.
  func notices(
    for hello: SyncHello, _ places: [SyncEntry],
    isInside: (ObjectID) throws(StorageError) -> Bool = { _ throws(StorageError) in true }
  ) throws(StorageError) -> [SyncMessage] {
    var result: [SyncMessage] = []
    for name in hello.names {
      let last = hello.knowledge.mark(name)
      // Where the asker's last entry is one of the hub's, it knows all that is before it, and the voids among that.
      let isShared =
        last == state.knowledge.mark(name) || places.contains { $0.origin == name && $0.mark == last }
      for refusal in refusals[name] ?? [] where !isShared || refusal.mark.hlc > last.hlc {
        try load(refusal.objects)
        let objects = try refusal.objects.map { object throws(StorageError) in
          guard try isInside(object) else { return ObjectChange(object) }
          return ObjectChange(object, births: records[object] ?? [:], deaths: tombstones[object] ?? [:])
        }
        result.append(.refused(refusal, objects, state.knowledge.vector))
      }
    }
    return result
  }

  /// The place of an entry in the log; nil where it is not there.
  func mark(_ stamp: Stamp) throws(StorageError) -> EntryMark? {
    let key = AreaKey.log(stamp)
    guard let value = try schema.area.value(key, in: transaction) else { return nil }
    return try value.withBytes { bytes throws(StorageError) in try StoredEntry.place(key, bytes).mark }
  }
}
