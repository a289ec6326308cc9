import Foundation
import Synchronization
import Testing

@testable import BenchmarkHarness

@Suite struct StoresElsewhereTests {
  /// The folders whose stores were removed, by their last components.
  private final class Removed: Sendable {
    private let names = Mutex<[String]>([])

    func note(_ folder: String) {
      #expect(FileManager.default.fileExists(atPath: folder))
      names.withLock { $0.append(URL(fileURLWithPath: folder).lastPathComponent) }
    }

    func take() -> [String] {
      names.withLock { names in
        defer { names = [] }
        return names
      }
    }
  }

  @Test func storesThatAreNotInTheFolderAreWeighedAndRemoved() throws {
    let removed = Removed()
    let dictionary = DictionaryStore.engine()
    let engine = BenchmarkEngine(
      name: "server", summary: "", version: "", isQuarry: true, peer: nil,
      elsewhere: StoresElsewhere(remove: { removed.note($0) }, bytes: { _ in 1 << 30 }),
      openRelated: dictionary.openRelated, openObserved: dictionary.openObserved, open: dictionary.open)
    let folder = NSTemporaryDirectory() + "/elsewhere-" + UUID().uuidString
    let name = URL(fileURLWithPath: folder).lastPathComponent
    let bench = LocalBench(engine, Dataset(seed: 7, count: 300), .smoke, folder: folder)
    #expect(try bench.fill().map { $0 >= 1 << 30 } == true)
    #expect(removed.take() == [])
    // The store of the round before goes, where there was one.
    let related = try #require(Workload.named("fetch-plain"))
    for round in 0..<2 { _ = try bench.round(related, round, recordsLatency: false) }
    #expect(removed.take() == ["related"])
    _ = try bench.round(try #require(Workload.named("insert-bulk")), 0, recordsLatency: false)
    #expect(removed.take() == [name])
    try bench.end()
    #expect(removed.take() == [name])
    #expect(!FileManager.default.fileExists(atPath: folder))
  }
}
