package import QuarryBackend
import QuarryCore

// What a transport over a network asks a store. Bodies are bounded, and each request is answered by itself: what was lost or
// came twice is asked for again, or changes nothing.

/// A part of what a peer lacks, as frames.
package struct SyncPart: Sendable {
  /// The introduction and the messages.
  package var bytes: [UInt8]
  /// The messages behind the introduction: entries, or rows and their end.
  package var count: Int
  /// Whether the peer lacks more than this.
  package var hasMore: Bool
}

/// The result of taking an answer.
package struct SyncIntake: Sendable {
  /// The entries and rows that came and were not refused.
  package var taken: Int
  /// The messages and entries that were refused.
  package var refused: Int
  /// Why the first of them was refused.
  package var reason: RefusedChanges?
}

/// A store at one moment, for a comparison with another.
package struct SyncSummary: Sendable {
  package var hello: SyncHello
  package var digest: SyncDigest
  package var held: Int
}

extension StoreSync {
  /// The next part of what a peer lacks.
  ///
  /// By the log, a part is read in bounded memory. Where the log was trimmed, all records are loaded for each part: SYNC-27.
  ///
  /// - Parameters:
  ///   - bytes: The part ends where it would become larger, but has one message at least. The objects of a part of the hub end behind
  ///     that.
  ///   - terms: The terms of the peer, whose principal may have a part.
  package func part(for hello: SyncHello, bytes: Int, _ terms: SyncTerms = SyncTerms()) throws -> SyncPart {
    var part = PartWriter(limit: bytes)
    let given = try givePart(hello, terms.principal) { message throws(StorageError) in
      try part.add(message)
    } isFull: {
      part.isFull
    }
    if let given {
      var answer = try part.finish(given.introduction)
      answer.hasMore = !given.isEnd
      return answer
    }
    return try answering(hello) { work in
      guard work.answersByLog(hello) else {
        try work.loadAll()
        var replica = work.replica
        var part = PartWriter(limit: bytes)
        let messages = replica.serve(hello)
        for numbered in messages.dropFirst() {
          guard try part.append(numbered.message) else { break }
        }
        return try part.finish(messages[0].message)
      }
      return try work.part(for: hello, bytes: bytes)
    }
  }

  /// Whether there is something that a peer does not know.
  ///
  /// - Parameter names: Replicas whose entries do not count: a peer that waits may have sent its own meanwhile.
  package func hasNews(for theirs: Knowledge, but names: [ReplicaID] = []) throws -> Bool {
    let mine = try knowledge()
    return mine.vector.contains { $1.hlc > theirs.mark($0).hlc && !names.contains($0) }
      || !theirs.holes.isSubset(of: mine.holes)
  }

  /// What the sender of an answer knows for certain.
  package static func vector(in messages: [NumberedMessage]) -> VersionVector {
    var vector: VersionVector = [:]
    for numbered in messages {
      switch numbered.message {
      case .log(let entry): vector[entry.origin] = entry.mark
      case .end(let header, _): vector.merge(header.knowledge.vector) { $1 }
      case .partBegin(let header): vector.merge(header.knowledge.vector) { $1 }
      default: break
      }
    }
    return vector
  }

  /// Reads the messages of an answer.
  ///
  /// - Parameter isAnswer: Whether a peer sent them as its answer. A hub's has refusals at its end.
  /// - Throws: `corrupt`, `schemaTooNew` or `limitExceeded`, before any effect. Messages of parts are `corrupt` where no hub sends
  ///   them.
  package static func messages(
    of body: [UInt8], isAnswer: Bool = false
  ) throws(StorageError) -> [NumberedMessage] {
    let messages = try SyncReplica.messages(try SyncFrame.decode(body))
    guard case .yours? = messages.first?.message else { throw SyncReader.damaged }
    var hasRefusals = false
    for (place, numbered) in messages.enumerated() {
      switch numbered.message {
      case .yours where place == 0: break
      case .log, .rows, .end:
        guard !hasRefusals else { throw SyncReader.damaged }
      case .partBegin, .part, .partAt:
        guard isAnswer, !hasRefusals else { throw SyncReader.damaged }
      case .refused where isAnswer: hasRefusals = true
      default: throw SyncReader.damaged
      }
      guard Int(numbered.number) == place else { throw SyncReader.damaged }
    }
    return messages
  }

  /// Reads the one hello of a body.
  ///
  /// - Throws: As ``messages(of:)``.
  package static func hello(of body: [UInt8]) throws(StorageError) -> SyncHello {
    try SyncReplica.onlyHello(try SyncFrame.decode(body))
  }

  /// Takes an answer that ``messages(of:)`` has read.
  ///
  /// - Parameters:
  ///   - session: The session of the hello that was answered; nil for the one that the answer names.
  ///   - terms: The terms on which it is taken.
  ///   - isOver: Whether the time is over. What was not taken then is asked for again.
  package func take(
    _ messages: [NumberedMessage], session: UInt64? = nil, _ terms: SyncTerms = SyncTerms(),
    until isOver: () -> Bool = { false }
  ) throws -> SyncIntake {
    guard case .yours(let introduction)? = messages.first?.message else { throw SyncReader.damaged }
    let session = session ?? introduction.session
    guard session == introduction.session, try reading({ $0.session }) == session else {
      return SyncIntake(taken: 0, refused: 0)
    }
    try own(admit(messages, of: terms.principal), terms.principal)
    var answer = messages
    if terms.principal != nil {
      // A client of a principal could make the hub take a new name again and again.
      var heard = introduction
      heard.known = []
      answer[0].message = .yours(heard)
    }
    let (refused, reason) = try intake(session, answer, terms, until: isOver)
    let count = messages.count(where: \.message.isContent)
    return SyncIntake(taken: max(0, count - refused), refused: refused, reason: reason)
  }

  /// Notes what a peer has said of itself. Where nothing is new, the note waits until the last one is older than ten minutes.
  ///
  /// - Returns: Whether both know the same.
  @discardableResult
  package func meet(_ hello: SyncHello) throws -> Bool {
    let (agrees, isNoted) = try reading { work in
      let agrees = hello.knowledge == work.state.knowledge
      guard let known = try work.peer(hello.replica) else {
        return (agrees, try work.peers().count >= SyncLimits.replicas)
      }
      let age = Double(work.environment.now()) / 1_000 - known.lastMet.timeIntervalSince1970
      let isRecent = age >= 0 && age < 600
      return (agrees, isRecent && known.knowledge == hello.knowledge && (!agrees || known.lastAgreed != nil))
    }
    if !isNoted { try note(peer: hello.replica, hello.knowledge, agrees: agrees) }
    return agrees
  }

  /// The store's hello, the digest of its objects and the number of held items, all of one moment.
  ///
  /// - Parameters:
  ///   - theirs: The hello of a peer that asks; nil for the store itself. Of a hub with parts, it gets the digest of its part, and is
  ///     not told what is held.
  ///   - terms: The terms of the peer.
  package func summary(for theirs: SyncHello? = nil, _ terms: SyncTerms = SyncTerms()) throws -> SyncSummary {
    try reading { work throws in
      let given: BoundPart? = if let theirs { try part(of: theirs, terms.principal, work) } else { nil }
      let held = given == nil ? try work.heldCount() : 0
      return SyncSummary(hello: work.replica.hello(), digest: try work.digest(of: given), held: held)
    }
  }

  /// The synced models, a line for each, in their order. Two stores that exchange changes have the same.
  package func models() throws -> [String] { try shape() }

  /// A hash of ``models()``, as 32 hexadecimal digits.
  package func modelsHash() throws -> String {
    let lines = try shape().map { "\($0)\n" }.joined()
    return String(SyncDigest(of: lines).description.prefix(32))
  }

  /// Refuses a peer with other models.
  ///
  /// - Parameter other: The lines of the peer: ``models()``.
  /// - Throws: `schemaMismatch` with the name of a model that differs.
  package func requireSameModels(_ other: [String]) throws {
    let own = try shape()
    guard let difference = Set(own).symmetricDifference(other).min() else { return }
    let name = String(difference.prefix { $0 != " " })
    let isIn = { (shape: [String]) in shape.contains { $0.hasPrefix(name + " ") } }
    let plain = { (shape: [String]) in shape.filter { $0.hasPrefix(name + " ") }.map(StoredSchema.withoutMerges) }
    throw StorageError(
      .schemaMismatch,
      isIn(own) && plain(own) == plain(other)
        ? "the merge rules of the model's properties differ in the two stores"
        : isIn(own) && isIn(other)
          ? "the model differs in the two stores, which must have the same version of the models to exchange changes"
          : "the model is synced in only one of the two stores", model: name)
  }

  /// The store's wall clock in milliseconds.
  package var now: UInt64 { keeper.environment.now() }

  /// The number of the store's own entries that a peer with this knowledge lacks.
  ///
  /// - Complexity: O(m) for m entries in the log.
  package func pending(for knowledge: Knowledge?) throws -> Int {
    try reading { work in
      var pending = 0
      try work.schema.area.forEach(AreaKey.Kind.log.prefix, in: work.transaction) { key, _ throws(StorageError) in
        let stamp = try StoredEntry.stamp(key)
        if work.state.names.contains(stamp.replica), !(knowledge?.covers(stamp) ?? false) { pending += 1 }
        return true
      }
      return pending
    }
  }
}

extension StoredWork {
  /// The next part by the log: entries in the order of their HLC.
  func part(for hello: SyncHello, bytes: Int) throws(StorageError) -> SyncPart {
    // What is known of the asker's names must come first, and is in all of the log.
    let needsPlaces = state.judgesAfter > 0 || hello.names.contains { state.knowledge.vector[$0] != nil }
    try loadRefusals(of: hello.names)
    var places: [SyncEntry] = []
    var part = PartWriter(limit: bytes)
    var isFull = false
    let first = needsPlaces ? nil : firstMissing(hello).map { AreaKey.Kind.log.prefix + AreaKey.bigEndian($0) }
    try schema.area.forEach(
      AreaKey.Kind.log.prefix, from: first, in: transaction
    ) { key, value throws(StorageError) in
      let place = try StoredEntry.place(key, value)
      if hello.names.contains(place.origin) || state.judgesAfter > 0 { places.append(place) }
      if !isFull, !hello.knowledge.covers(place.stamp) {
        isFull = try !part.append(.log(try StoredEntry.entry(key, value).told(to: hello)))
      }
      return needsPlaces || !isFull
    }
    var replica = emptyReplica
    replica.log = places
    replica.refusals = refusals
    // They are the last messages of a whole answer.
    for notice in isFull ? [] : try notices(for: hello, places) where !isFull { isFull = try !part.append(notice) }
    return try part.finish(.yours(replica.introduction(hello)))
  }

  /// An HLC below which the asker knows every entry.
  private func firstMissing(_ hello: SyncHello) -> UInt64? {
    guard hello.knowledge.holes.isEmpty else { return nil }
    return state.knowledge.vector.keys.map { hello.knowledge.mark($0).hlc }.min()
  }
}

/// Messages in bytes, up to a limit.
private struct PartWriter {
  let limit: Int
  private var bytes: [UInt8] = []
  private var number: UInt32 = 0
  private var count = 0
  private var hasMore = false

  init(limit: Int) { self.limit = limit }

  /// - Returns: Whether the message has found room. Afterwards nothing more is taken.
  mutating func append(_ message: SyncMessage) throws(StorageError) -> Bool {
    let frame = try SyncFrame.message(NumberedMessage(number + 1, message)).encoded()
    guard number == 0 || bytes.count + frame.count <= limit else {
      hasMore = true
      return false
    }
    bytes += frame
    number += 1
    count += 1
    return true
  }

  /// Whether the next object belongs to the next answer.
  var isFull: Bool { bytes.count >= limit }

  /// Adds a message, whatever its size.
  mutating func add(_ message: SyncMessage) throws(StorageError) {
    number += 1
    count += 1
    bytes += try SyncFrame.message(NumberedMessage(number, message)).encoded()
  }

  func finish(_ introduction: SyncMessage) throws(StorageError) -> SyncPart {
    SyncPart(
      bytes: try SyncFrame.message(NumberedMessage(0, introduction)).encoded() + bytes, count: count, hasMore: hasMore)
  }
}
