import QuarryBackend

/// Limits of what a replica takes: SYNC-39.
package enum SyncLimits {
  /// Bytes of a frame.
  package static let frame = 4 << 20
  /// Bytes of an entry.
  package static let entry = 64 << 20
  /// Replicas that a store knows.
  package static let replicas = 10_000
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
        intake.refused += 1
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
      case .rows(let change, let after, let header): take(change, after: after, header)
      case .end(let header, let after): end(header, after: after)
      case .part(let part):
        take(part)
        hasParts = true
      case .partEnd(let cursor, let vector):
        endPart(cursor, vector)
        refresh()
      case .log: break
      }
    }
    flush(&intake)
    if hasParts { refresh() }
    return intake.refused
  }

  /// - Returns: Whether this replica keeps its name. Under a new one it asks again.
  private mutating func hear(_ introduction: Introduction) -> Bool {
    meet(introduction.replica)
    rules.learn(introduction.rules)
    var isRenewed = false
    for known in introduction.known where renew(known) { isRenewed = true }
    guard !isRenewed else { return false }
    for doubt in introduction.doubts where (knowledge.vector[doubt.origin] ?? doubt.mark).hlc == doubt.mark.hlc {
      self.doubt(doubt.origin, doubt.mark)
    }
    return true
  }

  /// Asks for the hub's entry at the last place of an origin: the hub was put back and has taken what it had refused.
  private mutating func doubt(_ origin: ReplicaID, _ last: EntryMark) {
    guard hasHub, last.hlc > 0 else { return }
    knowledge.vector[origin] = last
    knowledge.holes.insert(Stamp(last.hlc, origin))
  }

  private mutating func take(_ entry: SyncEntry, _ intake: inout Intake) {
    let isFilling = intake.known.holes.contains(entry.stamp)
    if intake.known.covers(entry.stamp) || isFilling && entry.isHollow { return }
    let last = intake.known.mark(entry.origin)
    if hasHub, entry.previous.hlc == last.hlc, entry.previous != last {
      doubt(entry.origin, entry.previous)
      intake.known.vector[entry.origin] = entry.previous
      intake.known.holes.insert(Stamp(entry.previous.hlc, entry.origin))
    }
    let isAhead = entry.mark.hlc > environment.limit
    let isBehindGap = !isFilling && entry.previous != intake.known.mark(entry.origin)
    let isTooMany = intake.known.vector[entry.origin] == nil && intake.known.vector.count >= SyncLimits.replicas
    // No honest entry contains a stamp that is later than its own.
    if isAhead || isBehindGap || isTooMany || entry.newest > entry.mark.hlc || entry.mark.hlc >= intake.bar {
      intake.bar = min(intake.bar, entry.mark.hlc)
      intake.refused += 1
      return
    }
    if isFilling {
      intake.known.holes.remove(entry.stamp)
    } else {
      intake.known.vector[entry.origin] = entry.mark
      if entry.isHollow { intake.known.holes.insert(entry.stamp) }
    }
    if isHub, !entry.isHollow {
      if !judge(entry) { intake.known.vector = knowledge.vector }
      return
    }
    intake.batch.append(entry)
    if intake.batch.count >= intake.size { flush(&intake) }
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
  var refused = 0

  init(size: Int, knowledge: Knowledge) {
    self.size = size
    known = knowledge
  }
}
