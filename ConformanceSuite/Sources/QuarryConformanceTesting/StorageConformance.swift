public import QuarryConformance
import Foundation
import QuarryBackend
import Synchronization
public import Testing

/// Runs the conformance kit in Swift Testing: each area is one argument of one test, and each failure an issue of it.
///
/// Swift Testing copies what it knows of all arguments of a test with every event, so that thousands of them, a case each, would
/// take more time than the cases.
///
/// ```swift
/// private let conformance = StorageConformance(MyHarness())
///
/// @Suite struct MyBackendConformance {
///   @Test func harness() { conformance.checkHarness() }
///   @Test(arguments: conformance.areas) func conforms(_ area: ConformanceAreaRuns) async { await conformance.check(area) }
/// }
/// ```
public struct StorageConformance: Sendable {
  /// The areas with their planned runs, as arguments of a test.
  public let areas: [ConformanceAreaRuns]
  private let harness: any ConformanceHarness
  private let selection: ConformanceSelection
  private let execution: ConformanceExecution

  /// Creates the argument of a test that runs the kit on the engine of a harness.
  ///
  /// - Parameters:
  ///   - harness: The harness of the engine.
  ///   - selection: What is run. The default is the quick choice, each case fresh and one in four in one more
  ///     variant, with ten times the time limits, because a debug build beside other tests is slow; the command line runs
  ///     all variants.
  ///   - choose: Takes a part of the runs; all of them when left out.
  public init(
    _ harness: some ConformanceHarness, _ selection: ConformanceSelection = .forTests,
    choosing choose: ([ConformanceRun]) -> [ConformanceRun] = { $0 }
  ) {
    self.harness = harness
    self.selection = selection
    let runs = choose(ConformancePlan(ConformanceSuite.cases, selection).runs)
    areas = Dictionary(grouping: runs, by: \.testCase.area.name).map(ConformanceAreaRuns.init)
      .sorted { $0.name < $1.name }
    execution = ConformanceExecution(harness, selection)
  }

  /// Records an issue for everything that the harness says and that is not so.
  public func checkHarness() {
    for problem in ConformanceRunner(harness, selection).problems() { Issue.record(Comment(rawValue: problem)) }
  }

  /// Runs the cases of an area and records an issue for each failure, at the place in the kit that found it.
  public func check(_ area: ConformanceAreaRuns) async {
    for run in area.runs { await check(run) }
  }

  private func check(_ run: ConformanceRun) async {
    let result = await Workers.shared.run { [execution] in execution.result(of: run) }
    switch result.outcome {
    case .passed, .refused: return
    case .deviated(let reason):
      withKnownIssue { record(reason, run, run.testCase.file, run.testCase.line) }
    case .notRun(let environment): record("not run: \(environment)", run, run.testCase.file, run.testCase.line)
    case .unexpectedPass:
      record("passed, although a deviation says that it fails", run, run.testCase.file, run.testCase.line)
    case .failed(let failure): record(failure.message, run, failure.file, failure.line)
    }
  }

  private func record(_ message: String, _ run: ConformanceRun, _ file: String, _ line: Int) {
    Issue.record(
      Comment(rawValue: "\(run) \(run.testCase.clauses.joined(separator: " ")): \(message)"),
      sourceLocation: SourceLocation(fileID: file, filePath: file, line: max(1, line), column: 1))
  }
}

extension ConformanceSelection {
  /// What a test run of a debug build has time for.
  public static var forTests: ConformanceSelection {
    var selection = ConformanceSelection()
    selection.isQuick = true
    selection.patience = 10
    return selection
  }
}

/// The planned runs of an area, such as CRUD.
public struct ConformanceAreaRuns: Sendable, CustomTestStringConvertible {
  /// The name of the area.
  public let name: String
  let runs: [ConformanceRun]

  public var testDescription: String { "\(name), \(runs.count) runs" }
}
