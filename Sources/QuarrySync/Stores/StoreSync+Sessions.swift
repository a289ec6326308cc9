import QuarryBackend
import QuarryCore

// The two sides of a session. By the log, a store loads what an entry concerns, and no more. Rows, new names and holes are
// rare, and load everything.

extension StoreSync {
  /// The most entries, and objects in them, that one transaction stores.
  private static let batch = (entries: 64, objects: 2_000)

  /// What the store asks a peer with. Entries that were stamped ahead of the clock get new stamps before.
  package func hello() throws -> SyncHello {
    let isAhead = try reading { work in work.replica.isAhead }
    if isAhead {
      try changing { work in
        try work.loadAll()
        try work.run { replica throws(StorageError) in replica.heal() }
      }
    }
    return try reading { work in work.replica.hello() }
  }

  /// All that a peer lacks.
  package func serve(_ hello: SyncHello) throws -> [NumberedMessage] {
    try reading { work in
      guard hello.knowledge.covers(work.state.trimmed) else {
        try work.loadAll()
        var replica = work.replica
        return replica.serve(hello)
      }
      return NumberedMessage.numbered(try work.entries(for: hello))
    }
  }

  /// Takes a peer's answer.
  ///
  /// - Parameter isOver: Whether the time for it is over. It is asked between two transactions; the rest is not taken then.
  /// - Returns: The number of refused messages and entries.
  @discardableResult
  package func receive(
    _ session: UInt64, _ messages: [NumberedMessage], until isOver: () -> Bool = { false }
  ) throws -> Int {
    guard session == keeper.currentSession else { return 0 }
    guard try isByLog(messages) else { return try receiveWhole(session, messages) }
    if case .yours(let introduction)? = messages.first?.message {
      try learn(introduction.rules)
    }
    var refused = 0
    for entries in Self.batches(messages) {
      refused += try changing { work in
        let numbered = NumberedMessage.numbered(entries.map { .log($0) })
        try work.load(Set(entries.flatMap { $0.changes.map(\.object) }))
        return try work.run { replica throws(StorageError) in
          replica.receive(session, numbered, batch: entries.count)
        }
      }
      // What follows a refused entry is refused too.
      if refused > 0 || isOver() { break }
    }
    return refused
  }

  /// Whether an answer has entries alone, and this store keeps its name.
  private func isByLog(_ messages: [NumberedMessage]) throws -> Bool {
    for (place, numbered) in messages.enumerated() {
      guard Int(numbered.number) == place else { return false }
      switch numbered.message {
      case .yours: if place > 0 { return false }
      case .log(let entry): if entry.isHollow { return false }
      default: return false
      }
    }
    guard let first = messages.first, case .yours = first.message else { return false }
    return try reading { work in
      guard work.state.knowledge.holes.isEmpty, work.state.progress == nil else { return false }
      try work.loadPlaces(of: work.state.names)
      var replica = work.replica
      let name = replica.id
      replica.receive(replica.session, [first])
      return replica.id == name && replica.knowledge == work.state.knowledge
    }
  }

  private func receiveWhole(_ session: UInt64, _ messages: [NumberedMessage]) throws -> Int {
    let (refused, next) = try changing { work in
      try work.loadAll()
      return try work.run { replica throws(StorageError) -> (Int, UInt64) in
        (replica.receive(session, messages, batch: Self.batch.entries), replica.session)
      }
    }
    keeper.note(session: next)
    return refused
  }

  private func learn(_ rules: MergeRules) throws {
    let isNew = try reading { work in
      var known = work.state.rules
      known.learn(rules)
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

extension SyncReplica {
  /// Whether the clock is further ahead than peers accept.
  var isAhead: Bool { clock.last > environment.limit }
}

extension StoredWork {
  /// The answer by the log: what is known of the asker's names, and the entries that it lacks, by HLC.
  func entries(for hello: SyncHello) throws(StorageError) -> [SyncMessage] {
    var places: [SyncEntry] = []
    var missing: [SyncMessage] = []
    try schema.area.forEach(AreaKey.Kind.log.prefix, in: transaction) { key, value throws(StorageError) in
      let place = try StoredEntry.place(key, value)
      if hello.names.contains(place.origin) { places.append(place) }
      if !hello.knowledge.covers(place.stamp) { missing.append(.log(try StoredEntry.entry(key, value))) }
      return true
    }
    var replica = state.replica(schema.sync, environment, session: session)
    replica.log = places
    return [.yours(replica.introduction(hello))] + missing
  }
}
