import BenchmarkHarness
import Foundation
import PeerEngines
import Testing

@Suite struct PeerEnginesTests {
  private static let dataset = Dataset(seed: 7, count: 1_000)

  private func withStore<R>(_ engine: String, _ body: (any BenchmarkStore, _ folder: String) throws -> R) throws -> R {
    let engine = try #require(PeerEngines.all.first { $0.name == engine })
    let folder = FileManager.default.temporaryDirectory.appending(path: "peer-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(engine.open(folder), folder)
  }

  @Test(arguments: [("raw-sqlite-checked", true), ("raw-sqlite-structs", false)])
  func pagesHaveChecksums(engine: String, isChecked: Bool) throws {
    try withStore(engine) { store, folder in
      try store.insert(Self.dataset.people)
      try store.close()
      let file = try Data(contentsOf: URL(fileURLWithPath: folder + "/people.db"))
      // SQLite's header says how many bytes at the end of a page are spared.
      #expect(file[20] == (isChecked ? 32 : 0))
      let ends = stride(from: 4096, through: file.count, by: 4096).map { file[($0 - 32)..<$0] }
      #expect(!isChecked || ends.count > 10 && ends.allSatisfy { $0.contains { $0 != 0 } })
    }
  }

  @Test func aChangedPageIsFound() throws {
    try withStore("raw-sqlite-checked") { store, folder in
      try store.insert(Self.dataset.people)
      try store.close()
      let path = folder + "/people.db"
      var file = try Data(contentsOf: URL(fileURLWithPath: path))
      // In the texts of the people, which SQLite itself does not check.
      for place in stride(from: 4096 * 5 + 2048, to: file.count, by: 4096) { file[place] ^= 1 }
      try file.write(to: URL(fileURLWithPath: path))
      let engine = try #require(PeerEngines.all.first { $0.name == "raw-sqlite-checked" })
      let again = try engine.open(folder)
      #expect(throws: BenchmarkError.self) { try again.scan() }
      try again.close()
    }
  }

  @Test(arguments: ["raw-lmdb", "raw-lmdb-entries"])
  func bothIndexesAnswerAlike(engine: String) throws {
    try withStore(engine) { store, _ in
      try store.insert(Self.dataset.people)
      let off = LatencyRecorder.off
      let ages = [0, 17, 99, 100, -1]
      let counts = ages.map { $0 >= 0 && $0 < 100 ? Self.dataset.keysByAge[$0].count : 0 }
      #expect(try ages.map { try store.count(ages: [$0], off) } == counts)
      let keys = Self.dataset.keysByAge[17]
      #expect(try store.fetch(ages: [17], off) == store.get(keys, off))
      let first = try #require(keys.first)
      #expect(try store.delete([first, first], off) == 1)
      #expect(try store.count(ages: [17], off) == keys.count - 1)
      #expect(try store.delete(age: 17) == keys.count - 1)
      #expect(try store.count(ages: ages, off) == counts.reduce(0, +) - keys.count)
      try store.close()
    }
  }
}
