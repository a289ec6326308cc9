import Foundation
import Testing

@testable import BenchmarkHarness

@Suite struct WorkloadTests {
  /// Runs workloads on engines in a folder of its own.
  static func report(
    _ engines: [BenchmarkEngine], _ workloads: [Workload], sizes: [Int] = [300], rounds: Int = 2,
    interruption: Interruption = Interruption()
  ) throws -> BenchmarkReport {
    let folder = NSTemporaryDirectory() + "/harness-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let runner = BenchmarkRunner(
      engines: engines, workloads: workloads, sizes: sizes, rounds: rounds, seed: 7, effort: .smoke, folder: folder,
      measuresMemory: false, separatesEngines: false)
    var report = BenchmarkReport(
      machine: Machine(processor: "x", cores: 2, memoryBytes: 1 << 30, system: "y", fileSystem: "ext4"),
      run: .init(
        command: "test", commit: "c", swift: "6.3", date: "2026-01-01T00:00:00Z", seed: 7, rounds: rounds,
        sizes: sizes, effort: .smoke),
      engines: engines, workloads: workloads)
    try runner.run(into: &report, ProgressLine(isQuiet: true), interruption)
    return report
  }

  @Test(arguments: Workload.all.map(\.id))
  func everyWorkloadRunsOnARightStore(id: String) throws {
    let workload = try #require(Workload.named(id))
    let report = try Self.report([DictionaryStore.engine()], [workload])
    #expect(report.failures.isEmpty)
    let result = try #require(report.result(id, "dictionary", 300))
    #expect(result.rates.values.count == 2)
    #expect(result.operations > 0)
    #expect(report.isComplete)
  }

  /// All workloads one after another: each leaves the people as they were, or the next would find them changed.
  @Test func workloadsLeaveTheStoreAsItWas() throws {
    let report = try Self.report([DictionaryStore.engine()], Workload.all + Workload.reads)
    #expect(report.failures.isEmpty)
  }

  @Test(
    arguments: [
      ("insert-bulk", .losesTheLastOfAnInsert), ("insert-single", .losesSingleInserts),
      ("insert-single-8", .losesSingleInserts), ("insert-single-64", .losesSingleInserts),
      ("get", .readsAnotherScore), ("get-single", .readsAnotherScore),
      ("get-frozen", .forgetsAFrozenFlag), ("scan", .missesTheLastOfAScan), ("scan-frozen", .forgetsAFrozenFlag),
      ("open", .forgetsOnClose), ("index-fetch", .fetchesOneTooFew), ("index-count", .countsOneTooMany),
      ("filter", .filterIgnoresText), ("sort-limit", .sortsByKey), ("update-key", .ignoresUpdates),
      ("update-where", .updatesOneTooFew), ("delete-key", .keepsDeleted), ("delete-where", .deletesNothingByAge),
      ("insert-plain", .losesTheLastOfAnInsert), ("insert-reference", .losesTheLastOfAnInsert),
      ("fetch-plain", .losesTheLastOfAnInsert), ("fetch-with", .readsTheWrongWriter),
      ("filter-through", .filtersByTheWholeName),
      ("delete-notes", .keepsNotes), ("delete-cascade", .cascadeLeavesOne),
      ("commit-unobserved", .losesTheLastCommit), ("commit-observed-list", .tellsOneTooFew),
      ("commit-observed", .losesTheLastCommit), ("commit-observed-1000", .tellsOneTooFew),
      ("delivery", .tellsOneTooFew), ("delivery-other", .losesTheLastCommit),
      ("read-while-writing", .tearsPairs), ("ycsb-a", .ignoresUpdates), ("ycsb-d", .losesSingleInserts),
      ("ycsb-f", .ignoresReadModifyWrite),
    ] as [(String, Fault)])
  func aWrongAnswerIsAFailure(id: String, fault: Fault) throws {
    let workload = try #require(Workload.named(id))
    // So many that a hundredth of them, which is what a filter lets through, are some.
    let report = try Self.report([DictionaryStore.engine(fault: fault)], [workload], sizes: [3000])
    #expect(!report.failures.isEmpty)
    #expect(report.result(id, "dictionary", 3000) == nil)
  }

  @Test func aFailureOfOneEngineLeavesTheOthers() throws {
    let engines = [DictionaryStore.engine("wrong", fault: .readsAnotherScore), DictionaryStore.engine("right")]
    let report = try Self.report(engines, [try #require(Workload.named("get")), try #require(Workload.named("scan"))])
    #expect(report.failures.map(\.engine) == ["wrong"])
    #expect(report.result("scan", "right", 300) != nil)
    #expect(report.result("scan", "wrong", 300) == nil)
  }

  @Test func latenciesAreRecordedWhereOperationsAreSingle() throws {
    let report = try Self.report([DictionaryStore.engine()], [try #require(Workload.named("insert-single-8"))])
    let result = try #require(report.result("insert-single-8", "dictionary", 300))
    #expect(result.latency?.count == result.operations)
  }

  @Test func anInterruptedRunKeepsWhatItHas() throws {
    let interruption = Interruption()
    interruption.request()
    let report = try Self.report([DictionaryStore.engine()], Workload.all, interruption: interruption)
    #expect(!report.isComplete)
    #expect(report.failures.isEmpty)
  }

  @Test func aStoreOfOneObjectIsNoTrap() throws {
    let report = try Self.report([DictionaryStore.engine()], Workload.all, sizes: [1])
    // A single object has no pair to read.
    #expect(report.failures.allSatisfy { $0.workload == "read-while-writing" })
  }

  @Test func theWorkloadsHaveNamesOfTheirOwn() {
    #expect(Set(Workload.all.map(\.id)).count == Workload.all.count)
  }

  @Test func goalsNameWorkloadsThatExist() {
    #expect(Goal.all.allSatisfy { Workload.named($0.workload) != nil })
  }
}
