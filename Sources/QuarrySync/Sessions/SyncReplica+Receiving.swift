import QuarryBackend

/// Limits of what a replica takes: SYNC-39.
package enum SyncLimits {
  /// Bytes of a frame.
  package static let frame = 4 << 20
  /// Bytes of an entry.
  package static let entry = 64 << 20
  /// Replicas that a store knows.
  package static let replicas = 10_000
  /// Replicas that a message mentions: a store that knows the most of them still asks and answers.
  package static let mentionedReplicas = 4 * replicas
  /// Entries that a store knows to exist and cannot read.
  package static let holes = 10_000
  /// Identities of one store, which peers may make it change.
  package static let names = 1_000
  /// Bytes of the names in merge rules of others.
  package static let ruleBytes = 256 << 10
  /// Bytes of a key in rows.
  package static let key = 1 << 20
}

extension SyncReplica {
  /// Takes the messages of an answer, in their order and without a gap: SYNC-23.
  ///
  /// - Parameters:
  ///   - session: The session of the hello that they answer.
  ///   - batch: How many entries are joined in one transaction.
  /// - Returns: The number of refused messages and entries.
  @discardableResult
  package mutating func receive(_ session: UInt64, _ messages: [NumberedMessage], batch size: Int = 1) -> Int {
    refusal = nil
    guard session == self.session else { return 0 }
    var intake = Intake(size: max(1, size), knowledge: knowledge)
    var hasParts = false
    answer: for (place, numbered) in messages.enumerated() {
      guard Int(numbered.number) == place else { break }
      let message = numbered.message
      if case .log(let entry) = message {
        take(entry, &intake)
        continue
      }
      guard message.newest <= environment.limit else {
        intake.refuse(.clock)
        break
      }
      switch message {
      case .yours(let introduction):
        guard hear(introduction) else { return 0 }
        intake.known = knowledge
      case .refused(let refusal, let objects, let vector):
        flush(&intake)
        guard rebase(refusal, objects, vector) else { break answer }
        intake.known.vector = knowledge.vector
      case .rows(let change, let after, let header):
        let isLong = change.object.key.syncBytes.count > SyncLimits.key
        if let reason = misfit(of: header) ?? (isLong ? .key : nil) {
          intake.refuse(reason)
          break answer
        }
        guard follows(after, header) else { break answer }
        if after == nil { intake.earlier = .some(nameless) }
        take(change, after: after, header)
      case .end(let header, let after):
        if let reason = misfit(of: header) {
          intake.refuse(reason)
          break answer
        }
        guard follows(after, header) else { break answer }
        // All that came in this answer is of the vector of its end.
        if let earlier = intake.earlier { nameless = earlier }
        end(header, after: after)
      case .part(let part):
        take(part, Knowledge(part.vector))
        hasParts = true
      case .partEnd(let cursor, let vector):
        endPart(cursor, vector)
        refresh()
      // Stores take these by themselves.
      case .log, .partBegin, .partAt: break
      }
    }
    flush(&intake)
    if hasParts { refresh() }
    refusal = intake.reason
    return intake.refused
  }

  /// - Returns: Whether this replica keeps its name. Under a new one it asks again.
  private mutating func hear(_ introduction: Introduction) -> Bool {
    meet(introduction.replica)
    learn(introduction.rules)
    let before = names
    var heard: Set<ReplicaID> = []
    for known in introduction.known where before.contains(known.name) && heard.insert(known.name).inserted {
      // A peer that makes it change again and again is not listened to.
      guard names.count < SyncLimits.names else { return false }
      renew(known)
    }
    guard names == before else { return false }
    for doubt in introduction.doubts where (knowledge.vector[doubt.origin] ?? doubt.mark).hlc == doubt.mark.hlc {
      self.doubt(doubt.origin, doubt.mark)
    }
    return true
  }

  /// Asks for the hub's entry at the last place of an origin: the hub was put back and has taken what it had refused.
  private mutating func doubt(_ origin: ReplicaID, _ last: EntryMark) {
    guard hasHub, last.hlc > 0, hasRoom(for: origin), knowledge.holes.count < SyncLimits.holes else { return }
    knowledge.vector[origin] = last
    knowledge.holes.insert(Stamp(last.hlc, origin))
  }

  private func hasRoom(for origin: ReplicaID) -> Bool {
    knowledge.vector[origin] != nil || knowledge.vector.count < SyncLimits.replicas
  }

  /// Why what the sender of rows knows cannot be known here too; nil where it can. No honest sender has a hole that its vector
  /// does not cover.
  private func misfit(of header: RowsHeader) -> RefusedChanges? {
    let (vector, holes) = (header.knowledge.vector, header.knowledge.holes)
    func isSmall(_ new: some Sequence<ReplicaID>, _ known: some Sequence<ReplicaID>) -> Bool {
      Set(known).union(new).count <= SyncLimits.replicas
    }
    guard isSmall(vector.keys, knowledge.vector.keys), isSmall(header.collected.keys, collected.keys) else {
      return .replicas
    }
    guard holes.allSatisfy({ $0.hlc <= vector[$0.replica]?.hlc ?? 0 }) else { return .stamps }
    return holes.isEmpty || holes.union(knowledge.holes).count <= SyncLimits.holes ? nil : .holes
  }

  private mutating func take(_ told: SyncEntry, _ intake: inout Intake) {
    // What its author had seen is for the judgement alone.
    var entry = told
    entry.seen = [:]
    let isFilling = intake.known.holes.contains(entry.stamp)
    if intake.known.covers(entry.stamp) || isFilling && entry.isHollow { return }
    let last = intake.known.mark(entry.origin)
    if hasHub, entry.previous.hlc == last.hlc, entry.previous != last {
      doubt(entry.origin, entry.previous)
      intake.known.vector[entry.origin] = entry.previous
      intake.known.holes.insert(Stamp(entry.previous.hlc, entry.origin))
    }
    let reason = misfit(of: entry, intake.known, isFilling: isFilling)
    if reason != nil || entry.mark.hlc >= intake.bar {
      intake.bar = min(intake.bar, entry.mark.hlc)
      intake.refuse(reason ?? .gap)
      return
    }
    if isFilling {
      intake.known.holes.remove(entry.stamp)
    } else {
      intake.known.vector[entry.origin] = entry.mark
      if entry.isHollow { intake.known.holes.insert(entry.stamp) }
    }
    if isHub, !entry.isHollow {
      if !judge(entry, told.seen) { intake.known.vector = knowledge.vector }
      return
    }
    intake.batch.append(entry)
    if intake.batch.count >= intake.size { flush(&intake) }
  }

  /// Why an entry is not taken behind what is known; nil where it is.
  private func misfit(of entry: SyncEntry, _ known: Knowledge, isFilling: Bool) -> RefusedChanges? {
    if entry.mark.hlc > environment.limit { return .clock }
    // A replica alone writes entries under its name: SYNC-4.
    if !isFilling, entry.origin == id { return .name }
    if known.vector[entry.origin] == nil, known.vector.count >= SyncLimits.replicas { return .replicas }
    if !isFilling, entry.previous != known.mark(entry.origin) { return .gap }
    if entry.isHollow, known.holes.count >= SyncLimits.holes { return .holes }
    // No honest entry contains a stamp that is later than its own.
    return entry.newest > entry.mark.hlc ? .stamps : nil
  }

  private mutating func flush(_ intake: inout Intake) {
    integrate(intake.batch)
    intake.batch = []
  }
}

/// The entries of an answer that are being taken.
private struct Intake {
  let size: Int
  /// What is known when the batch is joined.
  var known: Knowledge
  /// Entries at and after this HLC are refused, because one before them was.
  var bar = UInt64.max
  var batch: [SyncEntry] = []
  private(set) var refused = 0
  /// Why the first of them was refused.
  private(set) var reason: RefusedChanges?
  /// The rows that no vector covered when the rows of this answer began; nil where they began in an earlier answer.
  var earlier: NamelessRows??

  init(size: Int, knowledge: Knowledge) {
    self.size = size
    known = knowledge
  }

  mutating func refuse(_ reason: RefusedChanges) {
    refused += 1
    self.reason = self.reason ?? reason
  }
}
