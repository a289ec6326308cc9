import QuarryBackend
import QuarryCore
package import QuarrySync
import QuarryTestSupport

/// What became of the inputs of a kind.
package struct HostileTally: Sendable, Equatable {
  package var inputs = 0
  /// Those that the store took, in part at least.
  package var accepted = 0
  /// Those that changed nothing, because an error was thrown or every message was refused.
  package var refused = 0

  package init() {}

  package static func + (left: HostileTally, right: HostileTally) -> HostileTally {
    var sum = left
    sum.inputs += right.inputs
    sum.accepted += right.accepted
    sum.refused += right.refused
    return sum
  }
}

/// A defect: what a hostile input did, and where.
package struct HostileFinding: Error, CustomStringConvertible {
  package let description: String
}

/// Many hostile answers to one store, and then honest ones. The same round does the same.
///
/// After each input the store is as it was, or has taken honest or forged changes whole: its tables are the view of its
/// records, no constraint is broken, and an honest store that comes later has the same objects.
package struct HostileRound {
  private let kind: HostileKind
  private let scheme: String
  private let role: SyncRole
  private let name: String
  private let store: HostileStore
  private let peer: HostileStore
  private let clock: HostileClock
  /// Knows all that the peer knows, so that the peer may trim its log; nil where that has a hub.
  private let third: HostileStore?
  private var forger: Forger
  private var tally = HostileTally()
  /// How many inputs are made of one honest answer, where only bytes are changed.
  private static let ofOneAnswer = 200

  package init(_ kind: HostileKind, on scheme: String, as role: SyncRole, number: Int) throws {
    (self.kind, self.scheme, self.role) = (kind, scheme, role)
    name = "\(kind.rawValue) \(scheme) \(role.rawValue) \(number)"
    clock = HostileClock()
    store = try HostileStore(scheme, clock, as: role == .hub ? .hub : nil)
    peer = try HostileStore("memory", clock, as: role == .client ? .hub : nil)
    third = role == .hub ? nil : try HostileStore("memory", clock)
    let seed = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<10 {
      try store.write(&generator)
      try peer.write(&generator)
    }
    // Neither notes the other as a peer for which its log is kept.
    try store.sync.follow(peer.sync.hello())
    try peer.sync.follow(store.sync.hello())
    for (one, other) in [(store, peer), (peer, store)] {
      let hello = try one.sync.hello()
      try one.sync.receive(hello.session, try other.sync.serve(hello))
    }
    if role == .hub {
      try store.sync.authorize { change, _ in
        change.objects.contains { $0.model == "Badge" } ? .refuse("no badges") : .accept
      }
    }
    forger = Forger(generator: generator, hello: try store.sync.hello(), replicas: [.none], now: clock.now())
  }

  /// Tries so many inputs.
  ///
  /// - Throws: ``HostileFinding`` for what no input may do.
  package mutating func run(inputs: Int) throws -> HostileTally {
    while tally.inputs < inputs {
      try write()
      if kind == .hellos {
        for _ in 0..<10 { try ask() }
      } else if kind.isOfBytes {
        try answerWithBytes(min(Self.ofOneAnswer, inputs - tally.inputs))
      } else {
        for _ in 0..<5 { try answer() }
      }
      try expectSound("after \(tally.inputs) inputs")
    }
    try goOn()
    return tally
  }

  // MARK: Honest stores

  private mutating func write() throws {
    for _ in 0..<2 { try peer.write(&forger.generator) }
    try store.write(&forger.generator)
    // Rows instead of entries, sometimes.
    guard let third, forger.chance(3) else { return }
    try Store.replicate(third.store, peer.store, allowingDeletes: .max)
    try peer.sync.trim(keeping: 0)
  }

  private mutating func honest() throws -> (hello: SyncHello, messages: [NumberedMessage]) {
    let hello = try store.sync.hello()
    forger.hello = hello
    let peers = try peer.sync.hello()
    forger.replicas =
      Array(hello.knowledge.vector.keys).sorted().prefix(6) + hello.names.prefix(3) + peers.names.prefix(3) + [
        .none, ReplicaID(high: forger.generator.next(), low: 1),
      ]
    return (hello, try peer.sync.serve(hello))
  }

  // MARK: Attacks

  private mutating func answerWithBytes(_ count: Int) throws {
    let (hello, messages) = try honest()
    let body = try Self.bytes(messages)
    let other = try SyncFrame.hello(hello).encoded()
    for _ in 0..<count {
      try take(forger.forgeBytes(kind, body, other), hello)
      // What was taken is asked for no more.
      guard try store.sync.hello().knowledge == hello.knowledge else { return }
    }
  }

  private mutating func answer() throws {
    var (hello, messages) = try honest()
    forger.forge(kind, &messages)
    do {
      try take(Self.bytes(messages), hello)
    } catch let error as StorageError where [.limitExceeded, .invalidValue].contains(error.code) {
      // A message that has no bytes.
      tally.inputs += 1
      tally.refused += 1
    }
  }

  private mutating func ask() throws {
    var hello = try honest().hello
    if forger.chance(2) { hello = try peer.sync.hello() }
    forger.forge(&hello)
    tally.inputs += 1
    do {
      var bytes = try SyncFrame.hello(hello).encoded()
      if forger.chance(2) { bytes = forger.forgeBytes(.flipped, bytes, bytes) }
      let read = try StoreSync.hello(of: bytes)
      if role == .hub { try store.sync.admit(read, of: "mallory") }
      try store.sync.follow(read, isServed: true)
      try store.sync.meet(read)
      let part = try store.sync.part(for: read, bytes: 1 + forger.number(5_000))
      _ = try StoreSync.messages(of: part.bytes, isAnswer: true)
      _ = try store.sync.hasNews(for: read.knowledge)
      tally.accepted += 1
    } catch let error as StorageError {
      try expect([.corrupt, .schemaTooNew, .limitExceeded, .unsupported].contains(error.code), "\(error)")
      tally.refused += 1
    }
  }

  private mutating func take(_ body: [UInt8], _ hello: SyncHello) throws {
    tally.inputs += 1
    let messages: [NumberedMessage]
    do {
      messages = try StoreSync.messages(of: body, isAnswer: role == .client)
    } catch {
      try expect([.corrupt, .schemaTooNew, .limitExceeded].contains(error.code), "reading: \(error)")
      tally.refused += 1
      return
    }
    let before = try store.sync.digest()
    do {
      let terms = SyncTerms(deletes: .max, principal: role == .hub ? "mallory" : nil)
      let intake = try store.sync.take(messages, session: hello.session, terms)
      if intake.taken > 0 { tally.accepted += 1 } else { tally.refused += 1 }
    } catch let error as StorageError {
      let expected: [StorageError.Code] = [
        .invalidValue, .missingValue, .limitExceeded, .unsupported, .schemaMismatch,
      ]
      try expect(expected.contains(error.code), "taking: \(error)")
      if case .yours(let introduction)? = messages.first?.message, error.cause == nil {
        try expect("\(error)".contains(introduction.replica.description), "names no peer: \(error)")
      }
      try expect(try store.sync.digest() == before, "an error has changed the store: \(error)")
      tally.refused += 1
    }
  }

  // MARK: Laws

  private func expectSound(_ when: String) throws {
    let defects = try store.defects()
    try expect(defects.isEmpty, "\(when): \(defects.prefix(3))")
  }

  /// The store goes on: it writes, and an honest store that comes later has the same.
  private mutating func goOn() throws {
    for _ in 0..<3 { try store.write(&forger.generator) }
    try expectSound("after a write")
    // A client has its hub alone, and that one has lied.
    guard role != .client else { return }
    // Rows whose end never came go to other stores after a while.
    clock.waitForRows()
    let late = try HostileStore("memory", clock)
    for _ in 0..<3 { try late.write(&forger.generator) }
    for _ in 0..<2 {
      let report = try Store.replicate(late.store, store.store, allowingDeletes: .max)
      try expect(report.isEqual, "an honest store: \(report); \(try Self.difference(late, store))")
      try expect(try late.defects().isEmpty, "an honest store: \(try late.defects().prefix(3))")
      try late.write(&forger.generator)
    }
    try expectSound("after an honest store")
    // The peer whose names were used may differ where the forged answers hid something, and nothing else happens.
    do {
      try Store.replicate(peer.store, store.store, allowingDeletes: .max)
    } catch {
      throw HostileFinding(description: "\(name): the peer: \(error); \(try Self.difference(peer, store))")
    }
    try expect(try peer.defects().isEmpty, "the peer: \(try peer.defects().prefix(3))")
    try expectSound("after the peer")
  }

  private func expect(_ condition: @autoclosure () throws -> Bool, _ text: @autoclosure () throws -> String) throws {
    guard try !condition() else { return }
    throw HostileFinding(description: "\(name): \(try text())")
  }

  /// What two stores know that the other one does not.
  private static func difference(_ a: HostileStore, _ b: HostileStore) throws -> String {
    let (left, right) = (try a.sync.knowledge(), try b.sync.knowledge())
    let marks = Set(left.vector.keys).union(right.vector.keys).filter { left.mark($0) != right.mark($0) }.sorted()
    var rows: [String] = []
    for model in HostileModels.all.map(\.name) {
      let (mine, theirs) = (try a.store.records.fetch(in: model), try b.store.records.fetch(in: model))
      rows += mine.filter { !theirs.contains($0) }.map { "- \(model) \($0)" }
      rows += theirs.filter { !mine.contains($0) }.map { "+ \(model) \($0)" }
    }
    rows += try (a.sync.held() + b.sync.held()).map { "held \($0)" }
    return rows.joined(separator: "\n")
      + marks.map { "\($0) \(left.mark($0).hlc) \(right.mark($0).hlc)" }.joined(separator: ", ")
      + "; holes \(left.holes) \(right.holes); digests \(try a.sync.digest() == b.sync.digest()); names \(try b.sync.hello().names)"
  }

  private static func bytes(_ messages: [NumberedMessage]) throws -> [UInt8] {
    try messages.reduce(into: []) { $0 += try SyncFrame.message($1).encoded() }
  }
}
