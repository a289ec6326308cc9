import Foundation
import QuarryBackend
import QuarryCore
import QuarryTestSupport
import QuarryText
import Testing

/// Stores of version 0.7 with indexes of words of format 1: see `Tests/Golden`.
@Suite struct SearchGoldenTests {
  /// What the version that wrote the stores found.
  private func expectContent(_ store: Store) throws {
    let best = try store.records.ranked(in: "Note", by: SearchQuery(typed: "swift tea"), limit: 2)
    #expect(best.map { $0.record["id"] } == ["note-18", "note-08"])
    #expect(best.map(\.score) == [2.216796875, 1.8701171875])
    #expect(try store.records.fetch(in: "Letter", where: "body SEARCH 'swift'").count == 12)
    #expect(try store.records.fetch(in: "Note", where: "body SEARCH 'swift'").count == 13)
  }

  @Test(arguments: Engine.allCases)
  func theIndexIsBuiltAgain(_ engine: Engine) throws {
    let golden = GoldenStoreTests.Golden(version: "0.7-search", engine: engine, schemaVersion: 0)
    let (folder, place) = try golden.copy()
    defer { withExtendedLifetime(folder) {} }
    var reading = OpenOptions()
    reading.isReadOnly = true
    let before = try Store(models: [], in: place, options: reading)
    try expectContent(before)
    try before.close()
    let store = try Store(models: [], in: place)
    #expect(store.openingReport.schemaChanges.count { $0.hasPrefix("the index of the words of ") } == 2)
    try expectContent(store)
    #expect(try store.check() == [])
    try store.close()
    let again = try Store(models: [], in: place)
    #expect(again.openingReport.schemaChanges == [])
    try expectContent(again)
    try again.close()
  }
}
