import QuarryBackend
import Synchronization
import Testing

@testable import QuarrySync

/// A connection to a peer of this process that fails as it is told.
private struct Connection: SyncTransport {
  enum Fault: Error {
    case lost, cut
  }

  let peer: SyncPeer
  let faults: @Sendable (Int) -> Fault?
  let changes: @Sendable (SyncRequest, [UInt8]) -> [UInt8]
  private let count = Counter()

  final class Counter: Sendable {
    private let value = Mutex(0)
    var next: Int {
      value.withLock { value in
        defer { value += 1 }
        return value
      }
    }
  }

  init(
    _ peer: SyncPeer, faults: @escaping @Sendable (Int) -> Fault? = { _ in nil },
    changes: @escaping @Sendable (SyncRequest, [UInt8]) -> [UInt8] = { $1 }
  ) {
    self.peer = peer
    self.faults = faults
    self.changes = changes
  }

  func exchange(_ request: SyncRequest, _ body: [UInt8]) async throws -> [UInt8] {
    let fault = faults(count.next)
    if fault == .lost { throw Fault.lost }
    let answer = try await peer.answer(request, body)
    if fault == .cut { throw Fault.cut }
    return changes(request, answer)
  }
}

@Suite struct SessionTests {
  private func peers(hasHub: Bool = false) -> (World, SyncPeer, SyncPeer) {
    let world = World()
    let a = SyncReplica(world.name(), Models.first, world.environment(0), isHub: hasHub)
    let b = SyncReplica(world.name(), Models.first, world.environment(1), hasHub: hasHub)
    return (world, SyncPeer(a), SyncPeer(b))
  }

  private func insert(_ peer: SyncPeer, _ key: Int64) async throws {
    try await peer.with { replica in
      var draft = Draft(replica)
      let isNew = draft.insert(ObjectID("Card", .int(key)), ["note": .int(key)])
      #expect(isNew)
      _ = try draft.commit(&replica)
    }
  }

  @Test func onePullAndOnePushAgree() async throws {
    let (_, hub, client) = peers(hasHub: true)
    for key in 0..<20 { try await insert(key % 2 == 0 ? hub : client, Int64(key)) }
    let summary = try await client.sync(over: Connection(hub))
    #expect(summary.agrees && summary.refused == 0)
    let (mine, theirs) = (await client.replica, await hub.replica)
    #expect(mine.tables.count == 20)
    #expect(SyncDigest.content(mine.tables) == SyncDigest.content(theirs.tables))
    #expect(SyncDigest.agreement(mine.records) == SyncDigest.agreement(theirs.records))
  }

  @Test func cutSessionsContinue() async throws {
    let (world, a, b) = peers()
    for round in 0..<40 {
      try await insert(round % 2 == 0 ? a : b, Int64(round))
      let number = world.random(below: 4)
      let isLost = world.random(below: 2) == 0
      let connection = Connection(a, faults: { $0 == number ? (isLost ? .lost : .cut) : nil })
      _ = try? await b.sync(over: connection)
    }
    let summary = try await b.sync(over: Connection(a))
    #expect(summary.agrees)
    let (mine, theirs) = (await a.replica, await b.replica)
    #expect(mine.tables == theirs.tables && mine.tables.count == 40)
  }

  @Test(arguments: SyncRequest.allCases) func damagedAnswersChangeNothing(_ request: SyncRequest) async throws {
    let (_, a, b) = peers()
    try await insert(a, 1)
    try await insert(b, 2)
    let connection = Connection(
      a,
      changes: { asked, bytes in
        var bytes = bytes
        if asked == request { bytes[bytes.count / 2] ^= 1 }
        return bytes
      })
    await #expect(throws: StorageError.self) { try await b.sync(over: connection) }
    #expect(await b.replica.tables.count == (request == .pull ? 1 : 2))
    #expect(try await b.sync(over: Connection(a)).agrees)
  }

  @Test func wrongBodiesAreRefused() async throws {
    let (_, a, b) = peers()
    let hello = try await SyncFrame.hello(b.replica.hello()).encoded()
    for (request, body) in [(SyncRequest.pull, []), (.hello, hello + hello), (.push, hello), (.push, [])] {
      await #expect(throws: StorageError.self) { try await a.answer(request, body) }
    }
  }

  /// An answer to an earlier hello of a peer that was reopened since changes nothing: SYNC-23.
  @Test func answersToAnEarlierOpeningChangeNothing() async throws {
    let (world, _, _) = peers()
    var a = SyncReplica(world.name(), Models.first, world.environment(0))
    var b = SyncReplica(world.name(), Models.first, world.environment(1))
    var draft = Draft(a)
    let isNew = draft.insert(ObjectID("Card", 1), [:])
    #expect(isNew)
    _ = try draft.commit(&a)
    let hello = b.hello()
    let answer = a.serve(hello)
    b.reopened()
    b.receive(hello.session, answer)
    #expect(b.tables.isEmpty)
    b.receive(b.session, Array(answer.dropFirst()))
    #expect(b.tables.isEmpty)
    b.receive(b.session, answer)
    #expect(b.tables.count == 1)
  }
}
