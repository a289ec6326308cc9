import QuarryBackend
import QuarryHarnesses
import Synchronization
import Testing

@testable import QuarryConformance
@testable import QuarryConformanceKit

/// A harness that lies ends in a report that says so.
@Suite struct HarnessTests {
  private static let cases = [ConformanceCase.passing("CRUD.a")]

  private func problems(_ harness: LyingHarness) -> String {
    let report = harness.report(Self.cases)
    #expect(report.status == .suiteError)
    #expect(report.levelAwarded == nil)
    #expect(report.runs.isEmpty)
    return report.problems.joined(separator: "; ")
  }

  @Test func truthfulHarnessIsAccepted() {
    let report = LyingHarness().report(Self.cases)
    #expect(report.problems == [])
    #expect(report.totals["passed"] == ConformanceVariant.allCases.count - 2)
    #expect(report.totals["refused"] == 2)
  }

  @Test func missingCapabilityIsNamed() {
    var harness = LyingHarness()
    harness.manifest.capabilities[.upsert] = nil
    #expect(problems(harness).contains("upsert"))
  }

  @Test func missingReasonIsNamed() {
    var harness = LyingHarness()
    harness.manifest.capabilities[.compact] = .unsupported(reason: "")
    #expect(problems(harness).contains("compact"))
  }

  @Test func otherManifestIsNamed() {
    var harness = LyingHarness()
    harness.manifest.capabilities[.savepoints] = .emulated
    harness.manifest.limits.rowBytes = 100
    let problems = problems(harness)
    #expect(problems.contains("savepoints") && problems.contains("limits"))
  }

  @Test func relabelledManifestIsNamed() {
    #expect(problems(LyingHarness(wrap: { RelabellingBackend($0) })).contains("durability"))
  }

  @Test func emptyReopenedStoreIsNamed() {
    #expect(problems(LyingHarness(isPersistent: true)).contains("is empty"))
  }

  @Test func persistenceThatIsDeniedIsNamed() {
    struct Denying: ConformanceHarness {
      let named = NamedMemoryHarness()
      let name = "denying"
      var manifest: BackendManifest { named.manifest }
      let isPersistent = false
      func makePlace() throws -> any BackendProvider { try named.makePlace() }
      func remove(_ place: any BackendProvider) { named.remove(place) }
    }
    let report = ConformanceRunner(Denying(), ConformanceSelection(), cases: Self.cases).run()
    #expect(report.status == .suiteError)
    #expect(report.problems.first?.contains("isPersistent") == true)
  }

  @Test func clockThatStandsStillIsNamed() {
    #expect(problems(LyingHarness(clock: ConformanceClock { .seconds(7) })).contains("clock stands still"))
  }

  @Test func clockThatGoesBackIsNamed() {
    let system = ConformanceClock.system
    #expect(problems(LyingHarness(clock: ConformanceClock { .zero - system.now() })).contains("clock goes back"))
  }

  /// No case is found to hang, or not to, by a harness's clock.
  @Test func clockThatStopsDuringTheRunIsNamedAndStopsNothing() {
    let readings = Counter()
    let system = ConformanceClock.system
    let clock = ConformanceClock { readings.next() < 3 ? system.now() : .seconds(1_000_000) }
    let hanging = ConformanceCase("CRUD.hangs", ["CRUD-1"], "Hangs.", within: .milliseconds(50)) { _ in
      try await Task.sleep(for: .seconds(20))
    }
    let report = LyingHarness(clock: clock).report([hanging, .passing("CRUD.a")]) { $0.variants = [.fresh] }
    #expect(report.runs.map(\.outcome) == ["passed", "failed"])
    #expect(report.runs.last?.message?.contains("hung") == true)
    #expect(report.status == .suiteError)
    #expect(report.problems == ["after the run: the harness's clock stands still"])
  }

  @Test func harnessWithoutPlacesIsNamed() {
    #expect(problems(LyingHarness(failsToMakePlaces: true)).contains("no place"))
  }

  @Test func unknownDeviationIsNamed() {
    let harness = LyingHarness(deviations: [ConformanceDeviation("CRUD.nothing", reason: "r")])
    #expect(problems(harness).contains("CRUD.nothing"))
  }

  @Test func manifestThatChangesDuringTheRunIsNamed() {
    let opened = Counter()
    let harness = LyingHarness(wrap: { backend in
      opened.next() < 4 ? backend : RelabellingBackend(backend)
    })
    let opening = ConformanceCase("CRUD.a", ["CRUD-1"], "Opens.") { _ = try $0.store(Plain.self) }
    let report = harness.report([opening]) { $0.variants = [.fresh] }
    #expect(report.status == .suiteError)
    #expect(report.problems.first?.hasPrefix("after the run") == true)
  }

  private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
      count.withLock {
        $0 += 1
        return $0
      }
    }
  }
}
