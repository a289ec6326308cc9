import QuarryHarnesses
import Testing

@testable import QuarryConformance
@testable import QuarryConformanceKit

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
