import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryTestSupport
import Testing

/// The history of a store on every engine.
@Suite struct HistoryTests {
  static let engines = EngineDescription.all

  // HIST-1, HIST-2
  @Test(arguments: engines)
  func aStoreKeepsNoHistoryUnlessAskedTo(_ engine: EngineDescription) throws {
    let place = try Place(engine, nil)
    try place.fill()
    #expect(try !place.store.history.isOn)
    #expect(code { try place.store.history() } == .notFound)
    #expect(code { try place.store.history.newest } == .notFound)
    #expect(code { try place.store.undo(.start) } == .notFound)
    #expect(try place.store.models().map(\.name).sorted() == ["Item", "Item_tags", "Shelf"])
  }

  // HIST-3, HIST-4, HIST-6
  @Test(arguments: engines)
  func eachWriteIsAChangeSet(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = place.store
    #expect(try store.history().isEmpty)
    #expect(try store.history.newest == .start)
    let before = Date(timeIntervalSinceNow: -1)
    try store.write(author: "import") { tx in
      try tx.insert(Shelf(1, "one"))
      try tx.insert(Item(7, "old", shelf: 1))
    }
    try store.write { tx in try tx.update(Item.self, 7) { $0.title = "new" } }
    try store.delete(Shelf.self, 1)
    try store.write { _ in }
    try store.write { tx in try tx.update(Item.self, 7) { $0.title = "new" } }
    let sets = try store.history()
    #expect(sets.count == 3)
    #expect(sets.map(\.author) == ["import", nil, nil])
    #expect(sets.map(\.position) == sets.map(\.position).sorted() && Set(sets.map(\.position)).count == 3)
    #expect(zip(sets, sets.dropFirst()).allSatisfy { $0.date <= $1.date })
    #expect(sets.allSatisfy { $0.date > before && !$0.isUnknown })
    #expect(sets.map(\.models) == [["Item", "Shelf"], ["Item"], ["Item", "Shelf"]])
    let inserted = try sets[0].changes(of: Item.self)
    #expect(inserted.count == 1 && inserted[0].kind == .insertion)
    #expect(inserted[0].old == nil && inserted[0].new == Item(7, "old", shelf: 1))
    let updated = try sets[1].changes(of: Item.self)
    #expect(updated.map(\.properties) == [["title"]])
    #expect(updated[0].old == Item(7, "old", shelf: 1) && updated[0].new == Item(7, "new", shelf: 1))
    // What the delete rule did belongs to the write.
    #expect(try sets[2].changes(of: Shelf.self).map(\.kind) == [.deletion])
    #expect(try sets[2].changes(of: Item.self).map(\.properties) == [["shelf"]])
    let records = try sets[2].changes(in: "Item")
    #expect(records.map(\.key) == [7])
    #expect(records[0].old?["shelf"] == 1 && records[0].new?["shelf"] == .null)
    #expect(try store.history(after: sets[0].position).map(\.position) == sets[1...].map(\.position))
    #expect(try store.history(after: sets[0].position, limit: 1).map(\.position) == [sets[1].position])
    #expect(try store.history(after: store.history.newest).isEmpty)
    #expect(code { try store.history(after: HistoryPosition("99")!) } == .invalidValue)
    #expect(code { try sets[0].changes(in: "Book") } == .invalidQuery)
    #expect(try store.check() == [])
    #expect(try store.models().count == 3)
  }

  // HIST-2, HIST-7
  @Test(arguments: engines.filter { $0.path == .path })
  func theHistorySurvivesReopening(_ engine: EngineDescription) throws {
    let place = try Place(engine, .on(keeping: .forever, bytes: 1 << 20))
    try place.fill()
    try place.reopen()
    #expect(try place.store.history.isOn)
    try place.store.insert(Shelf(9, "nine"))
    let sets = try place.store.history()
    #expect(sets.count == 2)
    #expect(try sets[1].changes(of: Shelf.self).map(\.new) == [Shelf(9, "nine")])
    try place.reopen(.off)
    #expect(try !place.store.history.isOn)
    try place.store.insert(Shelf(10, "ten"))
    try place.reopen(.on())
    #expect(try place.store.history().isEmpty)
    #expect(try place.store.check() == [])
  }

  // HIST-5
  @Test(arguments: engines)
  func modelsAreLeftOut(_ engine: EngineDescription) throws {
    let place = try Place(engine, .on(leavingOut: ["Shelf"]))
    try place.fill()
    try place.store.update(Shelf.self, 1) { $0.name = "other" }
    let sets = try place.store.history()
    #expect(sets.map(\.models) == [["Item"]])
    #expect(throws: StorageError.self) { try Place(engine, .on(leavingOut: ["Book"])) }
    #expect(throws: StorageError.self) { try Place(engine, .on(bytes: 0)) }
  }

  // HIST-4
  @Test(arguments: engines)
  func bodiesThatShareACommitAreChangeSetsOfTheirOwn(_ engine: EngineDescription) async throws {
    let place = try Place(engine)
    let store = place.store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in 1...40 {
        group.addTask { _ = try await store.write(author: "\(id)") { tx in try tx.insert(Shelf(id, "")) } }
      }
      try await group.waitForAll()
    }
    let sets = try store.history()
    #expect(sets.count == 40)
    for set in sets { #expect(try set.changes(of: Shelf.self).map { "\($0.new?.id ?? 0)" } == [set.author]) }
    #expect(try await store.check() == [])
  }

  // HIST-3
  @Test(arguments: engines)
  func whatIsUndoneIsNotRecorded(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try place.store.write { tx in
        try tx.insert(Shelf(1, "one"))
        throw Stop()
      }
    }
    try place.store.write { tx in
      try tx.insert(Shelf(2, "two"))
      try? tx.savepoint {
        try tx.insert(Shelf(3, "three"))
        throw Stop()
      }
    }
    let sets = try place.store.history()
    #expect(sets.count == 1)
    #expect(try sets[0].changes(of: Shelf.self).map(\.new) == [Shelf(2, "two")])
    #expect(
      code { try place.store.write(author: String(repeating: "a", count: 256)) { tx in try tx.insert(Shelf(4, "")) } }
        == .limitExceeded)
    #expect(try place.store.count(Shelf.all) == 1)
  }

  // HIST-4
  @Test(arguments: engines)
  func aLargeChangeSetTakesSeveralRows(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let text = String(repeating: "text ", count: 50_000)
    try place.store.write { tx in for id in 1...20 { try tx.insert(Shelf(id, text)) } }
    try place.store.insert(Shelf(21, "small"))
    let sets = try place.store.history()
    #expect(sets.count == 2)
    #expect(try sets[0].changes(of: Shelf.self).map { $0.new?.name.utf8.count } == Array(repeating: 250_000, count: 20))
    #expect(try place.store.history(after: sets[0].position).map(\.position) == [sets[1].position])
    try place.store.undo(sets[0])
    #expect(try place.store.fetch(Shelf.all) == [Shelf(21, "small")])
    #expect(try place.store.check() == [])
  }

  // HIST-4, HIST-7
  @Test(arguments: [EngineDescription.memory, .sqlite, .lmdb])
  func aLongTransactionIsRecordedInParts(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = place.store
    let text = String(repeating: "x", count: 4_000)
    try store.write(author: "long") { tx in
      for id in 1...3_000 { try tx.insert(Shelf(id, text)) }
      try? tx.savepoint {
        for id in 20_000...20_900 { try tx.insert(Shelf(id, text)) }
        throw StorageError(.conflict, "undone")
      }
      for id in 1...1_500 { _ = try tx.delete(Shelf.self, id) }
      for id in 1_501...1_510 { try tx.update(Shelf.self, id) { $0.name = "short" } }
    }
    try store.insert(Shelf(1, ""))
    let sets = try store.history()
    #expect(sets.map(\.author) == ["long", nil])
    let changes = try sets[0].changes(of: Shelf.self)
    #expect(changes.map { $0.new?.id } == Array(1_501...3_000))
    #expect(changes.allSatisfy { $0.kind == .insertion })
    #expect(changes.prefix(11).map { $0.new?.name == "short" } == Array(repeating: true, count: 10) + [false])
    // Several rows of the log, of which a part may have been removed.
    #expect(try store.history.newest > HistoryPosition("8")!)
    #expect(try store.check() == [])
    // The change set is not before that position, its first rows are.
    try store.history.trim(before: HistoryPosition("4")!)
    #expect(try store.history().count == 2)
    try store.history.trim(before: sets[1].position)
    #expect(try store.history().map(\.position) == [sets[1].position])
    #expect(try store.check() == [])
  }

  @Test func aPositionIsItsText() throws {
    let position = try #require(HistoryPosition("17"))
    let json = try JSONEncoder().encode([position])
    #expect(String(decoding: json, as: UTF8.self) == "[\"17\"]")
    #expect(try JSONDecoder().decode([HistoryPosition].self, from: json) == [position])
    for text in ["", "-1", "+1", " 1", "1.5", "99999999999999999999", "x"] { #expect(HistoryPosition(text) == nil) }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([HistoryPosition].self, from: Data("[\"x\"]".utf8)) }
  }
}
