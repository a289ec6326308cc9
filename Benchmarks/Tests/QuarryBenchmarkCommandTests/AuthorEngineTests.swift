import BenchmarkEngines
import Foundation
import QuarryBackend
import QuarryBenchmarkCommand
import QuarryFlatFile
import QuarryMemory
import Testing

@testable import BenchmarkHarness

/// An engine that is known by its provider alone.
@Suite struct AuthorEngineTests {
  @Test(arguments: ["get", "insert-single", "fetch-with", "commit-observed"])
  func everyKindOfWorkloadRuns(_ id: String) throws {
    let memory = try BenchmarkEngine(quarry: "mine", summary: "an engine", version: "1") { _ in MemoryConfiguration() }
    let file = try BenchmarkEngine(quarry: "file", summary: "an engine", version: "1", peer: "mine") {
      FlatFileConfiguration(path: $0 + "/store.quarry")
    }
    #expect(!memory.isPersistent && memory.durability == .none)
    #expect(file.isPersistent && file.durability == .powerLoss)
    let workload = try #require(Workload.named(id))
    let folder = NSTemporaryDirectory() + "/author-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let runner = BenchmarkRunner(
      engines: [memory, file], workloads: [workload], sizes: [200], rounds: 1, seed: 7, effort: .smoke, folder: folder,
      measuresMemory: false, separatesEngines: false)
    var report = BenchmarkReport(
      machine: Machine(processor: "x", cores: 2, memoryBytes: 1 << 30, system: "y", fileSystem: "ext4"),
      run: .init(
        command: "test", commit: "c", swift: "6.3", date: "2026-01-01T00:00:00Z", seed: 7, rounds: 1, sizes: [200],
        effort: .smoke),
      engines: [memory, file], workloads: [workload])
    try runner.run(into: &report, ProgressLine(isQuiet: true), Interruption())
    #expect(report.failures.isEmpty)
    #expect(report.result(id, "mine", 200) != nil && report.result(id, "file", 200) != nil)
  }

  @Test func anEngineThatDoesNotOpenIsAnError() {
    #expect(throws: StorageError.self) {
      try BenchmarkEngine(quarry: "none", summary: "none", version: "1") { _ in
        FlatFileConfiguration(path: "/nowhere/at/all/store")
      }
    }
  }
}
