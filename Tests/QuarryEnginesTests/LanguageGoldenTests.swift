import Foundation
import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

/// Stores of version 0.8, which are searched in a language: see `Tests/Golden`.
@Suite struct LanguageGoldenTests {
  private func found(_ store: Store, _ text: String) throws -> [Value] {
    try store.records.fetch(in: "Essay", where: "title SEARCH '\(text)' OR author SEARCH '\(text)'", sortedBy: "id")
      .compactMap { $0["id"] }
  }

  @Test(arguments: Engine.allCases)
  func itFindsWhatItFound(_ engine: Engine) throws {
    let golden = GoldenStoreTests.Golden(version: "0.8", engine: engine, schemaVersion: 0)
    let (folder, place) = try golden.copy()
    defer { withExtendedLifetime(folder) {} }
    let store = try Store(models: [], in: place)
    #expect(store.openingReport.schemaChanges == [])
    #expect(try store.model(named: "Essay").properties == LanguageType.model.properties)
    #expect(try store.records.fetch(in: "Essay", sortedBy: "id") == (1...3).map { LanguageType.row($0) })
    #expect(try found(store, "run") == [1, 3])
    #expect(try found(store, "runs") == [1, 3])
    #expect(try found(store, "fly") == [])
    #expect(try found(store, "connecti*") == [])
    #expect(try store.records.ranked(in: "Essay", by: "connects").count == 2)
    #expect(try store.check() == [])
    try store.records.insert(into: "Essay", [LanguageType.row(4)])
    #expect(try store.records.delete(in: "Essay", keys: [1]) == 1)
    #expect(try found(store, "running") == [3, 4])
    #expect(try store.check() == [])
    try store.close()
  }
}
