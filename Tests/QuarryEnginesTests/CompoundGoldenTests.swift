import Foundation
import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

/// Stores of version 0.7, which have compound keys: see `Tests/Golden`.
@Suite struct CompoundGoldenTests {
  private func expectContent(_ store: Store, _ numbers: [Int]) throws {
    try store.read { tx in
      let found = try tx.records.fetch(in: "Compound", sortedBy: "note")
      #expect(found.map { $0["_key"] } == numbers.map { CompoundType.key($0) })
      #expect(found.map { $0["note"] } == numbers.map { .string("note \($0)") })
      for number in numbers {
        #expect(try tx.records.get(in: "Compound", key: CompoundType.key(number))?["note"] == .string("note \(number)"))
      }
      let model = try tx.model(named: "Compound")
      #expect(
        model.properties == CompoundType.models[0].properties && model.keyMembers == CompoundType.models[0].keyMembers)
    }
    #expect(try store.check() == [])
  }

  @Test(arguments: Engine.allCases)
  func itOpensWithWhatItHad(_ engine: Engine) throws {
    let golden = GoldenStoreTests.Golden(version: "0.7", engine: engine, schemaVersion: 0)
    let (folder, place) = try golden.copy()
    defer { withExtendedLifetime(folder) {} }
    let store = try Store(models: [], in: place)
    try expectContent(store, [1, 2, 3, 4, 5])
    #expect(try store.records.delete(in: "Compound", keys: [CompoundType.key(2)]) == 1)
    #expect(try store.records.get(in: "Holder", key: 2)?["compound"] == .null)
    #expect(try store.records.get(in: "Holder", key: 3)?["compound"] == CompoundType.key(3))
    try store.records.insert(into: "Compound", [CompoundType.row(6)])
    try store.close()
    let again = try Store(models: [], in: place)
    try expectContent(again, [1, 3, 4, 5, 6])
    try again.close()
  }
}
