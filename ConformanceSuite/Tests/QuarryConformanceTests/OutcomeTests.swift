import QuarryBackend
import Testing

@testable import QuarryConformance
@testable import QuarryConformanceKit

@Suite struct OutcomeTests {
  private func outcomes(_ harness: LyingHarness, _ cases: ConformanceCase...) -> [String] {
    harness.report(cases) { $0.variants = [.fresh] }.runs.map(\.outcome)
  }

  private static let snapshotting = ConformanceCase("SNAP.a", ["SNAP-1"], "Freezes.") { kit in
    try kit.store(Plain.self).freeze().close()
  }

  @Test func failureHasItsPlace() {
    let report = LyingHarness().report([.failing("CRUD.a")]) { $0.variants = [.fresh] }
    #expect(report.status == .failed)
    #expect(report.runs.first?.location?.contains("LyingHarness.swift:") == true)
  }

  @Test func nothingIsBegunAfterAFailure() {
    let cases: [ConformanceCase] = [.passing("CRUD.a"), .failing("CRUD.b"), .passing("CRUD.c")]
    let report = LyingHarness().report(cases) {
      $0.variants = [.fresh]
      $0.stopsAtFirstFailure = true
    }
    #expect(report.runs.map(\.id) == ["CRUD.a", "CRUD.b"])
    #expect(report.status == .failed)
    #expect(!report.isComplete)
  }

  @Test func allIsRunWhereNothingFails() {
    let report = LyingHarness().report([.passing("CRUD.a"), .passing("CRUD.b")]) { $0.stopsAtFirstFailure = true }
    #expect(report.runs.count == report.plan.runs)
    #expect(report.isComplete)
  }

  @Test func errorThatIsNotExpectedFails() {
    let throwing = ConformanceCase("CRUD.a", ["CRUD-1"], "Throws.") { _ in throw StorageError(.io, "odd") }
    #expect(outcomes(LyingHarness(), throwing) == ["failed"])
  }

  @Test func declaredRefusalIsRefused() {
    let harness = LyingHarness(manifest: IgnoringBackend.manifest, wrap: { RefusingBackend($0) })
    #expect(outcomes(harness, Self.snapshotting) == ["refused"])
  }

  @Test func refusalThatIsNotForetoldIsRefused() {
    let harness = LyingHarness(manifest: IgnoringBackend.manifest, wrap: { RefusingBackend($0) })
    let surprised = ConformanceCase("CRUD.a", ["CRUD-1"], "Freezes.") { kit in
      try kit.store(Plain.self).freeze().close()
    }
    #expect(outcomes(harness, surprised) == ["refused"])
  }

  @Test func ignoredRefusalFails() {
    let harness = LyingHarness(manifest: IgnoringBackend.manifest, wrap: { IgnoringBackend($0) })
    #expect(outcomes(harness, Self.snapshotting) == ["failed"])
  }

  @Test func persistenceIsRefusedWhereThereIsNone() {
    let reopening = ConformanceCase("CRUD.a", ["CRUD-1"], "Reopens.", requiresPersistence: true) { _ in }
    #expect(outcomes(LyingHarness(), reopening) == ["refused"])
  }

  @Test func secondProcessIsNotRunWhereThereIsNone() {
    let processes = ConformanceCase("MP.a", ["ISO-1"], "Two.", requiresSecondProcess: true) { _ in }
    let report = LyingHarness(keeps: true).report([processes, .passing("CRUD.a")])
    // Inside a transaction it makes no sense.
    #expect(report.totals["notRun"] == ConformanceVariant.allCases.count - 1)
    #expect(!report.isComplete)
  }

  @Test func secondProcessIsRefusedWhereNothingPersists() {
    let processes = ConformanceCase("MP.a", ["MP-1"], "Two.", requiresSecondProcess: true) { _ in }
    #expect(outcomes(LyingHarness(), processes) == ["refused"])
  }

  @Test func deviationThatFailsDeviates() {
    let harness = LyingHarness(deviations: [ConformanceDeviation("CRUD.a", reason: "known")])
    #expect(outcomes(harness, .failing("CRUD.a")) == ["deviated"])
  }

  @Test func deviationThatPassesIsAFailure() {
    let harness = LyingHarness(deviations: [ConformanceDeviation("CRUD.a", reason: "known")])
    #expect(outcomes(harness, .passing("CRUD.a")) == ["unexpectedPass"])
    #expect(harness.report([.passing("CRUD.a")]).status == .failed)
  }

  @Test func deviationStandsBeforeItsLevel() {
    let harness = LyingHarness(deviations: [ConformanceDeviation("PRED.a", reason: "known")])
    let report = harness.report([.passing("CRUD.a"), .failing("PRED.a")])
    #expect(report.levelAwarded == .core)
    #expect(report.status == .incomplete)
    #expect(report.firstBlocking?.hasPrefix("PRED.a") == true)
  }

  @Test func hungCaseIsNamedAndTheRunGoesOn() {
    let hanging = ConformanceCase("CRUD.hangs", ["CRUD-1"], "Hangs.", within: .milliseconds(50)) { kit in
      let store = try kit.open([], at: LyingPlace())
      try store.read { _ in }
    }
    let report = LyingHarness().report([hanging, .passing("CRUD.next")]) { $0.variants = [.fresh] }
    #expect(report.runs.map(\.outcome) == ["failed", "passed"])
    #expect(report.runs.first?.message?.contains("hung") == true)
  }

  private struct LyingPlace: BackendProvider {
    func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
      HangingBackend(try LyingHarness().makeBackend())
    }
  }

  @Test func levelsBuildOnEachOther() {
    let cases: [ConformanceCase] = [.passing("CRUD.a"), .passing("PRED.a"), .failing("TXN.a"), .passing("DUR.a")]
    let report = LyingHarness().report(cases)
    #expect(report.levelAwarded == .query)
    let two = LyingHarness().report([.passing("CRUD.a"), .passing("PRED.a"), .passing("TXN.a")])
    #expect(two.levelAwarded == .transactional)
    #expect(two.status == .awarded)
  }

  @Test func choiceOfAPartAwardsNothing() {
    let report = LyingHarness().report([.passing("CRUD.a"), .passing("PRED.a")]) { $0.areas = ["CRUD"] }
    #expect(report.levelAwarded == nil)
    #expect(report.status == .incomplete)
  }

  @Test(arguments: ["CRUD.b", ""])
  func unknownChoiceIsASuiteError(_ id: String) {
    #expect(LyingHarness().report([.passing("CRUD.a")]) { $0.cases = [id] }.status == .suiteError)
  }
}

extension LyingHarness {
  func makeBackend() throws(StorageError) -> any Backend {
    do {
      return try makePlace().open(OpenOptions())
    } catch {
      throw StorageError(.io, "\(error)")
    }
  }
}
