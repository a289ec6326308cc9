import QuarryConformance

/// Runs the kit on planted faults.
public struct FaultTrial: Sendable {
  /// What the kit did with a fault.
  public struct Verdict: Sendable {
    public let fault: PlantedFault
    /// The first case that failed and cites one of the fault's clauses; nil when none did. For a fault without clauses,
    /// which only a bare engine can show, the first case of the suite of bare engines.
    public let killer: Killer?
    /// The first case of the suite of bare engines that failed, for faults of engines.
    public let engineKiller: String?
    /// How many cases were run on it.
    public let runs: Int
    public let milliseconds: Double
  }

  public struct Killer: Sendable {
    /// The case, with the variant that it ran in.
    public let name: String
    public let caseID: String
    /// Those of the case's clauses that the fault names.
    public let clauses: [String]
    public let message: String
  }

  private let cases: [ConformanceCase]

  public init() {
    cases = ConformanceSuite.cases
  }

  /// The verdict on a fault: cases that cite its clauses are run on it, the likeliest first, until one fails.
  ///
  /// - Parameter hint: A case to begin with, such as the killer of an earlier run.
  public func verdict(on fault: PlantedFault, hint: String? = nil) -> Verdict {
    let harness = fault.harness()
    let (clock, start) = (ContinuousClock(), ContinuousClock.now)
    var engineKiller: String?
    var runs = 0
    func verdict(_ killer: Killer?) -> Verdict {
      Verdict(
        fault: fault, killer: killer, engineKiller: engineKiller, runs: runs,
        milliseconds: (clock.now - start) / .milliseconds(1))
    }
    if case .engine(let make) = fault.target { (engineKiller, runs) = Self.engineKiller(make()) }
    guard !fault.clauses.isEmpty else {
      let killer = engineKiller.map { Killer(name: $0, caseID: $0, clauses: [], message: "") }
      return verdict(killer)
    }
    let execution = ConformanceExecution(harness)
    for variant in [ConformanceVariant.fresh, .reopened, .savepoint, .frozen] {
      for testCase in candidates(for: fault, hint) where testCase.variants.contains(variant) {
        runs += 1
        let run = ConformanceRun(testCase, variant)
        if case .failed(let failure) = execution.result(of: run).outcome {
          let shared = testCase.clauses.filter { fault.clauses.contains($0) }
          let killer = Killer(
            name: run.description, caseID: testCase.id, clauses: shared, message: failure.description)
          return verdict(killer)
        }
      }
    }
    return verdict(nil)
  }

  private static func engineKiller(_ harness: FaultyEngineHarness) -> (String?, Int) {
    let suite = KeyValueEngineSuite(harness)
    for (place, name) in suite.cases.enumerated() where suite.failure(of: name, within: 10) != nil {
      return ("engine suite: \(name)", place + 1)
    }
    return (nil, suite.cases.count)
  }

  /// The cases that cite a clause of the fault: those first that cite few others, and cost little.
  private func candidates(for fault: PlantedFault, _ hint: String?) -> [ConformanceCase] {
    let clauses = Set(fault.clauses)
    func rank(_ testCase: ConformanceCase) -> (Int, Int, String) {
      let shared = testCase.clauses.count { clauses.contains($0) }
      let isHint = testCase.id == hint
      return (isHint ? 0 : 1, Self.cost(testCase) + 10 * (testCase.clauses.count - shared) / shared, testCase.id)
    }
    return cases.filter { !clauses.isDisjoint(with: $0.clauses) }
      .map { (rank($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// What a case costs, by its name: those that try many values or queries take longer.
  private static func cost(_ testCase: ConformanceCase) -> Int {
    let id = testCase.id
    if testCase.area == .randomCommands || id.contains("large") || id.contains("many") || id.contains("5000") {
      return 100
    }
    if id.contains("random") || id.contains("partition") || id.contains("count-") { return 60 }
    switch testCase.area {
    case .predicates, .text, .nested: return 30
    case .isolation: return 10
    default: return 0
    }
  }

  /// The verdicts on all faults, on so many threads.
  public func verdicts(
    on faults: [PlantedFault] = PlantedFaults.all, jobs: Int = 2, hints: [String: String] = [:],
    progress: @escaping @Sendable (Verdict) -> Void = { _ in }
  ) -> [Verdict] {
    Workers.run(faults.count, jobs: jobs) { place in
      let verdict = verdict(on: faults[place], hint: hints[faults[place].id])
      progress(verdict)
      return verdict
    }
  }

  /// What fails on the ways in which faults are planted when no fault is: nothing, or the verdicts mean nothing.
  ///
  /// - Parameter ids: The cases to run; nil for all.
  func soundFailures(
    _ ids: Set<String>? = nil, on harnesses: [any ConformanceHarness] = PlantedFaults.sound, jobs: Int = 2
  )
    -> [String]
  {
    let chosen = cases.filter { ids?.contains($0.id) ?? true }
    // Faults of encryption are planted in one way: the others have no places that such cases could look into.
    let runs = harnesses.flatMap { harness in
      chosen.filter { harness is SealedFileHarness || $0.area != .encryption }.map { (harness, $0) }
    }
    let failures = Workers.run(runs.count, jobs: jobs) { place -> String? in
      let (harness, testCase) = runs[place]
      guard
        case .failed(let failure) = ConformanceExecution(harness).result(of: ConformanceRun(testCase, .fresh)).outcome
      else { return nil }
      return "\(harness.name): \(testCase.id): \(failure)"
    }
    return failures.compactMap { $0 }
  }
}
