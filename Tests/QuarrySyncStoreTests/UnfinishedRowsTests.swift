import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// Records that came in a part of an answer, whose sender is away: SYNC-28.
@Suite struct UnfinishedRowsTests {
  static let pairs = SyncedPlace.schemes.flatMap { first in SyncedPlace.schemes.map { (first, $0) } }

  private func filled() throws -> SyncedPlace {
    let place = try SyncedPlace("memory")
    for number in 1...6 {
      try place.insert("Team", Record(["id": TeamModels.key(number), "name": .string("t\(number)"), "size": 1]))
    }
    let witness = try SyncedPlace("memory")
    try Store.replicate(place.store, witness.store)
    try place.sync.trim(keeping: 0)
    return place
  }

  /// Gives a store some of what another one has, and lets the time pass for which it waits for the rest.
  private func cut(_ place: SyncedPlace, from sender: SyncedPlace, rows: Int, isLongAgo: Bool = true) throws {
    let hello = try place.sync.hello()
    let messages = try sender.sync.serve(hello)
    #expect(messages.count > rows + 2)
    try place.sync.receive(hello.session, Array(messages.prefix(1 + rows)))
    guard isLongAgo else { return }
    try place.sync.changing { work in
      try work.run { replica throws(StorageError) in replica.nameless?.due = 0 }
    }
  }

  @Test(arguments: pairs) func twoStoresAgreeWithoutTheSender(_ first: String, _ second: String) throws {
    let (a, b, c) = (try filled(), try SyncedPlace(first), try SyncedPlace(second))
    try cut(b, from: a, rows: 3)
    try b.reopen()
    #expect(try Store.replicate(b.store, c.store).isEqual)
    #expect(try c.rows("Team").count == 3)
    let names = try b.sync.hello().knowledge.vector.count
    // At rest nothing is sent, and no further name is given.
    for _ in 0..<3 { #expect(try Store.replicate(c.store, b.store).rounds == 1) }
    #expect(try b.sync.hello().knowledge.vector.count == names)
    for place in [b, c] { #expect(try place.sync.check() == []) }
    // The sender comes back.
    for _ in 0..<2 {
      try Store.replicate(a.store, b.store)
      try Store.replicate(b.store, c.store)
    }
    for place in [a, b, c] {
      #expect(try place.rows("Team").count == 6)
      #expect(try place.sync.digest() == a.sync.digest())
    }
  }

  @Test func aStoreWaitsForTheRest() throws {
    let (a, b, c) = (try filled(), try SyncedPlace("sqlite"), try SyncedPlace("lmdb"))
    try cut(b, from: a, rows: 2, isLongAgo: false)
    try b.reopen()
    try Store.replicate(b.store, c.store)
    #expect(try c.rows("Team").isEmpty)
    #expect(try Store.replicate(a.store, b.store).isEqual)
    #expect(try Store.replicate(b.store, c.store).isEqual)
    // All has come with its vector, and nothing has a name of its own.
    #expect(try b.sync.reading { $0.state.nameless } == nil)
    #expect(try c.sync.hello().knowledge == a.sync.hello().knowledge)
  }

  /// The sender has changed a record behind the place of the cut, and is away before it has sent the change itself.
  @Test func aLaterStateOfARecordIsNotedToo() throws {
    let (a, b, c) = (try filled(), try SyncedPlace("file"), try SyncedPlace("memory"))
    try cut(b, from: a, rows: 2)
    try a.update("Team", TeamModels.key(6), "size", 9)
    let hello = try b.sync.hello()
    let messages = try a.sync.serve(hello)
    // Without the log behind the end.
    try b.sync.receive(hello.session, messages)
    #expect(try b.value("Team", TeamModels.key(6), "size") == 9)
    try b.sync.changing { work in try work.run { replica throws(StorageError) in replica.nameless?.due = 0 } }
    #expect(try Store.replicate(b.store, c.store).isEqual)
    #expect(try c.value("Team", TeamModels.key(6), "size") == 9)
  }

  /// Records that go on where nothing was cut are not taken.
  @Test func aRestWithoutItsBeginningIsRefused() throws {
    let (a, b) = (try filled(), try SyncedPlace("sqlite"))
    try cut(b, from: a, rows: 2)
    let hello = try b.sync.hello()
    let rest = try a.sync.serve(hello)
    #expect(try Store.replicate(a.store, b.store).isEqual)
    let c = try SyncedPlace("memory")
    let session = try c.sync.hello().session
    try c.sync.receive(session, rest)
    #expect(try c.rows("Team").isEmpty && c.sync.check() == [])
  }
}
