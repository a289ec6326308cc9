import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// The exchange of two stores by bytes, in parts.
@Suite struct WireTests {
  private static let pairs = SyncedPlace.schemes.flatMap { a in SyncedPlace.schemes.map { (a, $0) } }

  /// Pulls until nothing is left, and counts the parts.
  private func pull(_ place: SyncedPlace, from peer: SyncedPlace, bytes: Int) throws -> Int {
    var parts = 0
    while true {
      let hello = try place.sync.hello()
      #expect(try StoreSync.hello(of: SyncFrame.hello(hello).encoded()) == hello)
      try peer.sync.meet(hello)
      let part = try peer.sync.part(for: hello, bytes: bytes)
      let intake = try place.sync.take(StoreSync.messages(of: part.bytes), session: hello.session)
      // The end of records is a message, and no record.
      #expect(intake.refused == 0 && part.count - intake.taken <= 1)
      parts += 1
      if !part.hasMore { return parts }
    }
  }

  private func fill(_ place: SyncedPlace, _ numbers: ClosedRange<Int>) throws {
    for number in numbers {
      try place.store.records.insert(
        into: "Team", [Record(["id": TeamModels.key(number), "name": .string("team \(number)")])])
    }
  }

  private func expectEqual(_ a: SyncedPlace, _ b: SyncedPlace) throws {
    let (left, right) = (try a.sync.summary(), try b.sync.summary())
    #expect(left.hello.knowledge == right.hello.knowledge && left.digest == right.digest && left.held == right.held)
    #expect(try a.sync.check() == [] && b.sync.check() == [])
    #expect(try !a.sync.hasNews(for: right.hello.knowledge) && !b.sync.hasNews(for: left.hello.knowledge))
  }

  @Test(arguments: pairs) func partsOfTheLog(_ first: String, _ second: String) throws {
    let (a, b) = (try SyncedPlace(first), try SyncedPlace(second))
    try fill(a, 1...20)
    try fill(b, 31...40)
    let hello = try b.sync.hello()
    #expect(try a.sync.hasNews(for: hello.knowledge) && b.sync.hasNews(for: a.sync.knowledge()))
    // A store's own entries are no news for it.
    #expect(try !b.sync.hasNews(for: Knowledge(), but: hello.names))
    #expect(try pull(a, from: b, bytes: 500) > 3)
    #expect(try pull(b, from: a, bytes: 1) == 20)
    try expectEqual(a, b)
    #expect(try a.sync.pending(for: b.sync.knowledge()) == 0 && a.rows("Team").count == 30)
    // At rest an answer has no entry, and a second note of the same changes nothing.
    let part = try b.sync.part(for: a.sync.hello(), bytes: 1_000)
    #expect(part.count == 0 && !part.hasMore)
    #expect(try b.sync.meet(a.sync.hello()))
    let status = try b.sync.status()
    #expect(try b.sync.meet(a.sync.hello()) && b.sync.status() == status && status.peers.count == 1)
  }

  @Test(arguments: SyncedPlace.schemes) func partsOfRecords(_ scheme: String) throws {
    let (a, b, c) = (try SyncedPlace(scheme), try SyncedPlace("memory"), try SyncedPlace("memory"))
    try fill(a, 1...30)
    try fill(b, 51...60)
    try Store.replicate(a.store, c.store)
    try a.sync.trim(keeping: 0)
    #expect(try pull(b, from: a, bytes: 600) > 3)
    _ = try pull(a, from: b, bytes: 600)
    try expectEqual(a, b)
    #expect(try b.rows("Team").count == 40)
  }

  @Test func anAnswerToAnotherSessionChangesNothing() throws {
    let (a, b) = (try SyncedPlace("sqlite"), try SyncedPlace("memory"))
    try fill(b, 1...3)
    let hello = try a.sync.hello()
    let part = try b.sync.part(for: hello, bytes: 1 << 20)
    let messages = try StoreSync.messages(of: part.bytes)
    try a.reopen()
    #expect(try a.sync.take(messages).taken == 0 && a.rows("Team").isEmpty)
    #expect(try a.sync.take(messages, session: a.sync.hello().session).taken == 0)
  }

  @Test func theTimeEndsBetweenTransactions() throws {
    let (a, b) = (try SyncedPlace("memory"), try SyncedPlace("memory"))
    try fill(b, 1...200)
    let hello = try a.sync.hello()
    let messages = try StoreSync.messages(of: b.sync.part(for: hello, bytes: 1 << 20).bytes)
    _ = try a.sync.take(messages) { true }
    #expect(try a.rows("Team").count == 64)
    _ = try pull(a, from: b, bytes: 1 << 20)
    try expectEqual(a, b)
  }

  @Test func messagesOfHubsAndHellosThatRepeatNamesAreRefused() throws {
    let a = try SyncedPlace("memory")
    var hello = try a.sync.hello()
    let introduction = SyncMessage.yours(
      Introduction(replica: hello.replica, session: 1, known: [], doubts: [], rules: hello.rules))
    func body(_ messages: [SyncMessage]) throws -> [UInt8] {
      try SyncFrame.encode(NumberedMessage.numbered(messages))
    }
    _ = try StoreSync.messages(of: body([introduction]))
    let bodies = [
      [], try body([introduction, introduction]), try body([introduction, .partEnd(cursor: 1, [:])]),
      try body([.partEnd(cursor: 1, [:])]),
      try SyncFrame.encode([NumberedMessage(1, introduction)]), try SyncFrame.hello(hello).encoded(),
    ]
    for body in bodies { #expect(throws: StorageError.self) { try StoreSync.messages(of: body) } }
    hello.names += hello.names
    let repeated = try SyncFrame.hello(hello).encoded()
    #expect(throws: StorageError.self) { try StoreSync.hello(of: repeated) }
  }

  @Test func otherModelsAreNamed() throws {
    let (a, b) = (try SyncedPlace("memory"), try SyncedPlace("sqlite", models: [TeamModels.team]))
    #expect(try a.sync.modelsHash() != b.sync.modelsHash())
    let error = #expect(throws: StorageError.self) { try a.sync.requireSameModels(b.sync.models()) }
    #expect(error?.code == .schemaMismatch && error?.model != nil)
    try a.sync.requireSameModels(try a.sync.models())
  }
}
