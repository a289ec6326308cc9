import Foundation
import MutantPlanting
import Testing

@testable import mutants

@Suite struct SemanticFaultListTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../..")
    .standardizedFileURL

  /// Code that an entry names was changed: its text is then written again, or the entry goes.
  @Test func everyFaultOfTheRepositoryCanBePlanted() throws {
    let sources = try PackageCopy(root: Self.root, folder: Self.root).sources()
    let faults = try SemanticFaultLists.read(Self.root)
    #expect(!faults.isEmpty)
    #expect(try SemanticFaultLists.defects(faults, sources, Self.root) == [])
  }

  private static func entry(_ id: String, found plan: String?, isListed: Bool = false) -> FaultReport.Entry {
    let trial = plan.map {
      Trial(engine: "memory", plan: $0, end: .failed, failed: "A.case fresh", isRepeated: true, seconds: 1)
    }
    return FaultReport.Entry(
      area: "x", clauses: ["REL-1"], breaks: "A rule.", missed: nil, isListed: isListed, isRefused: false,
      result: MutantResult(
        id: id, file: "Sources/A.swift", line: 1, lineText: "a", change: "a => b", trials: trial.map { [$0] } ?? [],
        tried: ["quick", "full"]))
  }

  @Test func sharesLeaveOutWhatWasKnown() {
    let report = FaultReport(
      isFull: true,
      entries: [
        Self.entry("a", found: "quick"), Self.entry("b", found: "full"), Self.entry("c", found: nil),
        Self.entry("d", found: "quick"), Self.entry("e", found: nil, isListed: true),
      ])
    #expect(report.summary.contains("quick plan: 2 of 4, 50.0 %"))
    #expect(report.summary.contains("whole plan: 3 of 4, 75.0 %"))
    #expect(report.unexpected.map(\.result.id) == ["c", "e"])
    #expect(report.markdown.contains("| e * | A.swift:1 | REL-1: A rule. | no case reaches it |"))
  }

  @Test func noShareIsTakenOfAPart() {
    var entry = Self.entry("a", found: nil)
    entry.result.tried = []
    let report = FaultReport(isFull: true, entries: [entry, Self.entry("b", found: "quick")])
    #expect(report.summary.contains("1 not tried to the end"))
    #expect(!report.summary.contains("%"))
    #expect(report.markdown.contains("| x | 2 | 1 | 0 | 0 | 1 |"))
    #expect(report.markdown.contains("| a | A.swift:1 | REL-1: A rule. | not tried to the end |"))
  }
}
