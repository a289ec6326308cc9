import Testing

@testable import mutants

@Suite struct KnownFindingTests {
  private static func result(_ file: String, _ change: String, _ end: Trial.End) -> MutantResult {
    let trial = Trial(engine: "memory", plan: "quick", end: end, failed: "A.case fresh", isRepeated: true, seconds: 1)
    return MutantResult(id: "abcdef", file: file, line: 3, lineText: "let a = 1", change: change, trials: [trial])
  }

  private static let report = MutantReport(
    seed: 1, count: 2, refused: 0, isFull: false,
    results: [result("Sources/M/One.swift", "1 => 0", .failed), result("Sources/M/One.swift", "1 => 2", .passed)])

  @Test func whatFoundAMutantIsKnownAfterItsFileWasMoved() {
    let moved = Self.result("Sources/M/Folder/One.swift", "1 => 0", .passed)
    #expect(Self.report.finding(like: moved)?.failedRun?.testCase == "A.case")
  }

  @Test func anotherChangeAndASurvivorAreNot() {
    #expect(Self.report.finding(like: Self.result("Sources/M/One.swift", "1 => 3", .passed)) == nil)
    #expect(Self.report.finding(like: Self.result("Sources/M/One.swift", "1 => 2", .passed)) == nil)
    #expect(Self.report.finding(like: Self.result("Sources/M/Two.swift", "1 => 0", .passed)) == nil)
  }
}
