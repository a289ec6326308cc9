import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryTestSupport
import Testing

/// The bounds of a history, and its named readers.
@Suite struct TrimTests {
  static let engines = EngineDescription.all

  // HIST-10
  @Test(arguments: engines)
  func theSizeIsBounded(_ engine: EngineDescription) throws {
    let place = try Place(engine, .on(keeping: .forever, bytes: 20_000))
    let store = place.store
    let text = String(repeating: "x", count: 500)
    for id in 1...100 { try store.insert(Shelf(id, text)) }
    #expect(try store.history.byteCount <= 20_000)
    let sets = try store.history()
    #expect(sets.count < 40 && sets.count > 10)
    #expect(try sets.last?.changes(of: Shelf.self).map(\.new) == [Shelf(100, text)])
    // One change set that is larger than the bound stays until the next write.
    try store.write { tx in for id in 200..<300 { try tx.insert(Shelf(id, text)) } }
    #expect(try store.history().count == 1)
    try store.insert(Shelf(400, text))
    #expect(try store.history().count == 1)
    #expect(try store.check() == [])
  }

  // HIST-9, HIST-10
  @Test(arguments: engines)
  func aRemovedPositionIsRefused(_ engine: EngineDescription) throws {
    let place = try Place(engine, .on(keeping: .forever))
    let store = place.store
    for id in 1...10 { try store.insert(Shelf(id, "")) }
    let sets = try store.history()
    try store.history.trim(before: sets[4].position)
    #expect(try store.history().map(\.position) == sets[4...].map(\.position))
    #expect(try store.history(after: sets[3].position).count == 6)
    let error = try #require(failure { try store.history(after: sets[2].position) })
    #expect(error.code == .notFound)
    let cause = try #require(error.cause as? HistoryTrimmed)
    #expect(cause.position == sets[2].position && cause.oldest == sets[4].position)
    #expect(code { try store.undo(sets[0]) } == .notFound)
    try store.history.trim(before: HistoryPosition("99")!)
    #expect(try store.history().isEmpty)
    #expect(try store.history.byteCount == 0)
    #expect((failure { try store.history(after: .start) }?.cause as? HistoryTrimmed)?.oldest == nil)
    try store.insert(Shelf(11, ""))
    #expect(try store.history().count == 1)
    #expect(try store.check() == [])
  }

  // HIST-11
  @Test(arguments: engines)
  func aNamedReaderKeepsWhatItNeeds(_ engine: EngineDescription) throws {
    let place = try Place(engine, .on(keeping: .seconds(1), bytes: 30_000))
    let store = place.store
    for id in 1...3 { try store.insert(Shelf(id, "")) }
    let sets = try store.history()
    try store.history.acknowledge(sets[0].position, as: "mail")
    #expect(try store.history.readers.map(\.name) == ["mail"])
    Thread.sleep(forTimeInterval: 1.1)
    try store.insert(Shelf(4, ""))
    #expect(try store.history().map(\.position).first == sets[1].position)
    try store.history.trim(before: sets[2].position)
    #expect(try store.history().count == 3)
    try store.write { tx in try tx.acknowledge(sets[2].position, as: "mail") }
    #expect(try store.history.readers.map(\.position) == [sets[2].position])
    try store.insert(Shelf(5, ""))
    #expect(try store.history().count == 2)
    // The bound of bytes holds in any case.
    for id in 10...60 { try store.insert(Shelf(id, String(repeating: "x", count: 1_000))) }
    #expect(try store.history.byteCount <= 30_000)
    #expect(code { try store.history(after: sets[2].position) } == .notFound)
    #expect(try store.history.removeReader("mail") && !store.history.removeReader("mail"))
    #expect(code { try store.history.acknowledge(HistoryPosition("99999")!, as: "mail") } == .invalidValue)
    #expect(code { try store.history.acknowledge(.start, as: "") } == .invalidValue)
    #expect(try store.check() == [])
  }

  // HIST-8
  @Test(arguments: engines)
  func updatesComeAndResume(_ engine: EngineDescription) async throws {
    let place = try Place(engine)
    let store = place.store
    for id in 1...3 { try await store.insert(Shelf(id, "")) }
    let writer = Task {
      for id in 4...20 { try await store.insert(Shelf(id, "")) }
    }
    var seen: [Int] = []
    var position: HistoryPosition?
    for _ in 0..<4 {
      var taken = 0
      for try await set in store.historyUpdates(after: position) {
        seen += try set.changes(of: Shelf.self).compactMap { $0.new?.id }
        position = set.position
        taken += 1
        if taken == 5 { break }
      }
    }
    try await writer.value
    #expect(seen == Array(1...20))
    #expect(throws: (any Error).self) { try store.history(after: HistoryPosition("999")!) }
  }

  // HIST-8, HIST-11
  @Test(arguments: engines)
  func aNamedReaderGoesOnWhereItStopped(_ engine: EngineDescription) async throws {
    let place = try Place(engine)
    let store = place.store
    try await store.insert(Shelf(1, ""))
    var iterator = store.historyUpdates(as: "search").makeAsyncIterator()
    async let first = iterator.next()
    while try store.history.readers.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    try await store.insert(Shelf(2, ""))
    let set = try #require(try await first)
    #expect(try set.changes(of: Shelf.self).map(\.new) == [Shelf(2, "")])
    // Not acknowledged: it comes again.
    var again = store.historyUpdates(as: "search").makeAsyncIterator()
    #expect(try await again.next()?.position == set.position)
    try store.history.acknowledge(set.position, as: "search")
    try await store.insert(Shelf(3, ""))
    var third = store.historyUpdates(as: "search").makeAsyncIterator()
    #expect(try await third.next()?.changes(of: Shelf.self).map(\.new) == [Shelf(3, "")])
  }
}
