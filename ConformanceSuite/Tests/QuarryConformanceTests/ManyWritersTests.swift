import QuarryHarnesses
import Testing

@testable import QuarryConformance

/// The kit on an engine with many writers, in the areas that are about writers.
@Suite struct ManyWritersTests {
  private static func failures(_ report: ConformanceReport) -> [String] {
    report.runs.filter { $0.outcome == "failed" }.map { "\($0.id) \($0.variant): \($0.message ?? "")" }
  }

  @Test func writersConform() {
    var selection = ConformanceSelection()
    selection.isQuick = true
    selection.patience = 10
    selection.jobs = 4
    selection.areas = ["TXN", "ISO", "CON", "RULE", "DRAFT"]
    let report = ConformanceRunner(ManyWritersHarness(), selection).run()
    #expect(report.problems == [])
    #expect(Self.failures(report) == [])
  }

  /// The next plan on the engines of this package. The whole of it is run by its areas: `quarry-conformance sqlite: --area GRP`.
  @Test(arguments: ["memory", "flat-file", "sqlite", "lmdb"])
  func casesOfTheNextPlanPass(_ engine: String) throws {
    let folder = TemporaryFolder()
    defer { folder.removeAll() }
    let harness = try #require(EngineHarnesses.harness(engine, in: folder))
    var selection = ConformanceSelection()
    selection.variants = [.fresh]
    selection.patience = 10
    selection.jobs = 4
    func report(_ harness: some ConformanceHarness) -> ConformanceReport {
      ConformanceRunner(harness, selection, cases: ConformanceSuite.next).run()
    }
    let report = report(harness)
    #expect(Self.failures(report) == [])
    #expect(report.runs.count { $0.outcome == "passed" } == ConformanceSuite.next.count)
    let clauses = Set(ConformanceSuite.next.flatMap(\.clauses))
    #expect(ConformanceArea.next.flatMap(\.clauses).allSatisfy(clauses.contains))
    #expect(Set(ConformanceSuite.next.map(\.id)).isDisjoint(with: ConformanceSuite.cases.map(\.id)))
  }

  @Test func casesOfOtherWritersAreRefused() {
    let one = ConformanceCase("CON.one", ["TXN-9"], "One writer.") { _ in }.only(.one)
    let many = ConformanceCase("CON.many", ["TXN-7"], "Many writers.") { _ in }.only(.many)
    var selection = ConformanceSelection()
    selection.variants = [.fresh]
    let report = ConformanceRunner(ManyWritersHarness(), selection, cases: [one, many]).run()
    #expect(report.runs.map(\.outcome) == ["passed", "refused"])
    let other = ConformanceRunner(MemoryHarness(), selection, cases: [one, many]).run()
    #expect(other.runs.map(\.outcome) == ["refused", "passed"])
  }
}
