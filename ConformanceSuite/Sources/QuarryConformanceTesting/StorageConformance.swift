public import QuarryConformance
import Foundation
import QuarryBackend
import Synchronization
public import Testing

/// Runs the conformance kit in Swift Testing: each case is one argument of one test.
///
/// ```swift
/// private let conformance = StorageConformance(MyHarness())
///
/// @Suite struct MyBackendConformance {
///   @Test func harness() { conformance.checkHarness() }
///   @Test(arguments: conformance.runs) func conforms(_ run: ConformanceRun) async { await conformance.check(run) }
/// }
/// ```
public struct StorageConformance: Sendable {
  /// The planned runs, as arguments of a test.
  public let runs: [ConformanceRun]
  private let harness: any ConformanceHarness
  private let selection: ConformanceSelection
  private let execution: ConformanceExecution

  /// Creates the argument of a test that runs the kit on the engine of a harness.
  ///
  /// - Parameter selection: What is run. The default is the quick choice, each case fresh and one in four in one more
  ///   variant, with ten times the time limits, because a debug build beside other tests is slow; the command line runs
  ///   all variants.
  public init(_ harness: some ConformanceHarness, _ selection: ConformanceSelection = .forTests) {
    self.harness = harness
    self.selection = selection
    runs = ConformancePlan(ConformanceSuite.cases, selection).runs
    execution = ConformanceExecution(harness, selection)
  }

  /// Records an issue for everything that the harness says and that is not so.
  public func checkHarness() {
    for problem in ConformanceRunner(harness, selection).problems() { Issue.record(Comment(rawValue: problem)) }
  }

  /// Runs one case and records an issue at the place in the kit that found a failure.
  public func check(_ run: ConformanceRun) async {
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

extension ConformanceRun: CustomTestStringConvertible {
  public var testDescription: String { description }
}
