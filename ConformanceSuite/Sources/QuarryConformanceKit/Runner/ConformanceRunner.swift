import Foundation
import Synchronization

/// Runs the suite on a harness and writes the report.
///
/// ```swift
/// let report = ConformanceRunner(MyHarness()).run()
/// print(report.markdown)
/// ```
public struct ConformanceRunner: Sendable {
  /// How far a run is.
  public struct Progress: Sendable {
    /// The number of runs that have ended.
    public let done: Int
    /// The number of runs of the plan.
    public let total: Int
    /// The number of failures so far.
    public let failures: Int
    /// The run that has just ended.
    public let last: ConformanceResult
  }

  /// The harness of the engine under test.
  public let harness: any ConformanceHarness
  /// What is run.
  public let selection: ConformanceSelection
  /// The runs in their order.
  public let plan: ConformancePlan
  private let cases: [ConformanceCase]
  /// What is typed to run the suite on this harness, without the options that choose; the report adds those.
  public var command = ""
  /// What ends the run early, if something does.
  public var stop = ConformanceStop()

  package init(_ harness: some ConformanceHarness, _ selection: ConformanceSelection, cases: [ConformanceCase]) {
    self.harness = harness
    self.selection = selection
    self.cases = cases
    plan = ConformancePlan(cases, selection)
  }

  /// Runs every case of the plan. Blocks its thread until all have ended or were given up.
  ///
  /// - Parameter progress: Is called after each run, one call at a time, on any thread.
  public func run(progress: @escaping @Sendable (Progress) -> Void = { _ in }) -> ConformanceReport {
    var problems = problems()
    guard problems.isEmpty else { return report([], problems) }
    ProvokedErrors.begin()
    let results = results(progress)
    problems = (inspection.manifestProblems() + inspection.clockProblems()).map { "after the run: \($0)" }
    var stopped = stop.reason
    if selection.stopsAtFirstFailure, results.contains(where: { $0.outcome.isFailure }) {
      stopped = stopped ?? "the first failure"
    }
    if results.count == plan.count { stopped = nil }
    if results.count != plan.count, stopped == nil {
      problems.append("\(plan.count) runs were planned and \(results.count) have a result")
    }
    return report(results, problems, stopped: stopped)
  }

  /// What is wrong with the harness or the choice, nothing when the suite may run. Opens a few stores.
  public func problems() -> [String] {
    let problems = selectionProblems()
    let needsProcess = plan.runs.contains { $0.testCase.requiresSecondProcess }
    return problems.isEmpty ? inspection.problems(cases, needsProcess: needsProcess) : problems
  }

  private var inspection: HarnessInspection {
    HarnessInspection(harness: harness, patience: max(1, selection.patience))
  }

  private func selectionProblems() -> [String] {
    var problems: [String] = []
    let ids = Set(cases.map(\.id))
    if ids.count != cases.count {
      let repeated = Dictionary(grouping: cases, by: \.id).filter { $0.value.count > 1 }.keys.sorted()
      problems.append("several cases have one id: \(repeated.joined(separator: ", "))")
    }
    for id in (selection.cases ?? []).subtracting(ids).sorted() { problems.append("there is no case \(id)") }
    let areas = Set(cases.map(\.area.name))
    for area in (selection.areas ?? []).subtracting(areas).sorted() {
      problems.append("there is no area \(area), only \(areas.sorted().joined(separator: ", "))")
    }
    if problems.isEmpty, plan.count == 0 { problems.append("nothing was chosen to run") }
    return problems
  }

  private func results(_ progress: @escaping @Sendable (Progress) -> Void) -> [ConformanceResult] {
    let execution = ConformanceExecution(harness, selection)
    let runs = plan.runs
    let group = DispatchGroup()
    let shared = SharedState()
    let (stops, stop) = (selection.stopsAtFirstFailure, stop)
    for _ in 0..<min(max(1, selection.jobs), runs.count) {
      group.enter()
      let thread = Thread {
        while stop.reason == nil, let place = shared.state.withLock({ $0.next(runs.count, stops) }) {
          let result = execution.result(of: runs[place])
          shared.state.withLock { state in
            state.finish(place, result)
            progress(
              Progress(
                done: state.results.count, total: runs.count, failures: state.failures, last: result))
          }
        }
        group.leave()
      }
      thread.start()
    }
    // Cases that run when the end is asked for may take longer than whoever asked waits.
    while group.wait(timeout: .now() + 0.1) == .timedOut {
      guard stop.reason != nil else { continue }
      _ = group.wait(timeout: .now() + 2)
      break
    }
    return shared.state.withLock { state in
      state.results.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  private final class SharedState: Sendable {
    let state = Mutex(RunState())
  }

  private struct RunState {
    var started = 0
    var failures = 0
    var results: [Int: ConformanceResult] = [:]

    mutating func next(_ count: Int, _ stopsAtFirstFailure: Bool) -> Int? {
      guard started < count, failures == 0 || !stopsAtFirstFailure else { return nil }
      started += 1
      return started - 1
    }

    mutating func finish(_ place: Int, _ result: ConformanceResult) {
      results[place] = result
      if result.outcome.isFailure { failures += 1 }
    }
  }

  private func report(
    _ results: [ConformanceResult], _ problems: [String], stopped: String? = nil
  ) -> ConformanceReport {
    ConformanceReport(
      harness: harness, plan: plan, selection: selection, results: results, problems: problems, stopped: stopped,
      cases: cases, command: command)
  }
}
