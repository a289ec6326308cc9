import QuarryConformance
import Synchronization

/// Looks which cases of the kit find a planted fault. One is enough for each case, so that a case is run on faults
/// until it finds one: on the faults first that have been found most often by cases of its area.
struct CaseTrial: Sendable {
  /// What a case found.
  enum Finding: String, Sendable, CaseIterable {
    /// A fault that breaks a clause which the case cites.
    case own
    /// Only faults of other clauses.
    case other
    case none
  }

  struct Verdict: Sendable {
    let testCase: ConformanceCase
    let finding: Finding
    /// The fault that was found.
    let fault: String?
    let runs: Int
    let milliseconds: Double
  }

  private let faults: [PlantedFault]
  private let cases: [ConformanceCase]
  /// How many cases of an area have found a fault so far.
  private let found = FoundCounts()

  private final class FoundCounts: Sendable {
    private let counts = Mutex<[ConformanceArea: [String: Int]]>([:])

    func note(_ fault: String, _ area: ConformanceArea) {
      counts.withLock { $0[area, default: [:]][fault, default: 0] += 1 }
    }

    func inArea(_ area: ConformanceArea) -> [String: Int] { counts.withLock { $0[area] ?? [:] } }
  }

  /// A fault that keeps stores from closing is left out: every case ends with that, and would find it.
  init(_ faults: [PlantedFault] = PlantedFaults.all, _ cases: [ConformanceCase] = ConformanceSuite.cases) {
    self.faults = faults.filter { $0.id != "transaction.close-hangs" }
    self.cases = cases
  }

  /// The verdict on a case: faults of its clauses in each of its variants, then every other fault.
  func verdict(on testCase: ConformanceCase) -> Verdict {
    let counts = found.inArea(testCase.area)
    let likeliest = faults.sorted { counts[$0.id] ?? 0 > counts[$1.id] ?? 0 }
    let own = likeliest.filter { !Set($0.clauses).isDisjoint(with: testCase.clauses) }
    let other = likeliest.filter { Set($0.clauses).isDisjoint(with: testCase.clauses) }
    let (clock, start) = (ContinuousClock(), ContinuousClock.now)
    var runs = 0
    func verdict(_ finding: Finding, _ fault: PlantedFault?) -> Verdict {
      Verdict(
        testCase: testCase, finding: finding, fault: fault?.id, runs: runs,
        milliseconds: (clock.now - start) / .milliseconds(1))
    }
    func first(_ faults: [PlantedFault], _ variant: ConformanceVariant) -> PlantedFault? {
      guard testCase.variants.contains(variant) else { return nil }
      return faults.first { fault in
        runs += 1
        let run = ConformanceRun(testCase, variant)
        if case .failed = ConformanceExecution(fault.harness()).result(of: run).outcome { return true }
        return false
      }
    }
    for variant in [ConformanceVariant.fresh, .reopened, .savepoint, .frozen] {
      if let fault = first(own, variant) {
        found.note(fault.id, testCase.area)
        return verdict(.own, fault)
      }
    }
    let fault = first(other, .fresh)
    return verdict(fault == nil ? .none : .other, fault)
  }

  /// The verdicts on all cases, on so many threads.
  func verdicts(jobs: Int, progress: @escaping @Sendable (Verdict) -> Void) -> [Verdict] {
    Workers.run(cases.count, jobs: jobs) { place in
      let verdict = verdict(on: cases[place])
      progress(verdict)
      return verdict
    }
  }
}
