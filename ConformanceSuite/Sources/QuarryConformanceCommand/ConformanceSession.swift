import ArgumentParser
import Foundation
import QuarryBackend
public import QuarryConformance
import QuarryData

/// Runs the suite for a command: progress on standard error, the summary on standard output, reports into files.
///
/// On a terminal the progress is one line that is drawn over, elsewhere a line every ten seconds. On SIGTERM, SIGINT and
/// SIGHUP no further case begins, and the reports have what was run until then; a second signal ends the process.
public struct ConformanceSession {
  private let arguments: ConformanceArguments
  /// What a person types to run the suite on this harness, without options.
  private let command: String

  /// Creates a session.
  public init(_ arguments: ConformanceArguments, command: String) {
    self.arguments = arguments
    self.command = command
  }

  /// Runs the suite on the harness and writes what was asked for.
  ///
  /// - Parameter suffix: Is put before the extension of the files' names, for runs of several harnesses.
  public func run(_ harness: some ConformanceHarness, suffix: String = "") throws -> ConformanceReport {
    for path in [arguments.json, arguments.junit, arguments.tap, arguments.markdown, arguments.badge] {
      guard let path else { continue }
      do throws(StorageError) {
        try OutputFile.check(Self.name(path, suffix), replacing: arguments.force)
      } catch {
        throw ValidationError(error.message)
      }
    }
    var runner = ConformanceRunner(harness, arguments.selection)
    runner.command = command
    let signals = StopSignals(runner.stop)
    let line = ProgressReport(harness.name, total: runner.plan.count)
    Self.print("\(harness.name): \(runner.plan.count) runs planned, plan \(runner.plan.hash)")
    let report = runner.run { progress in line.show(progress) }
    line.end()
    signals.end()
    Self.print(report.summary)
    for (path, text) in [
      (arguments.json, try report.json()), (arguments.junit, report.junit), (arguments.tap, report.tap),
      (arguments.markdown, report.markdown), (arguments.badge, try report.badge()),
    ] {
      if let path { try OutputFile.write(text, to: Self.name(path, suffix), replacing: arguments.force) }
    }
    return report
  }

  /// Prints the plan of a run on the harness: its name, how many runs there are, and the hash that reports have.
  public func printPlan(_ harness: some ConformanceHarness) {
    let plan = ConformanceRunner(harness, arguments.selection).plan
    Self.print("\(harness.name) \(plan.count) \(plan.hash)")
  }

  /// Prints at once: off a terminal a line would stay in a buffer, and be lost where the process is killed.
  private static func print(_ text: String) {
    Swift.print(text)
    fflush(nil)
  }

  private static func name(_ path: String, _ suffix: String) -> String {
    guard !suffix.isEmpty else { return path }
    let url = URL(fileURLWithPath: path)
    let stem = url.deletingPathExtension().lastPathComponent
    let name = "\(stem)-\(suffix)" + (url.pathExtension.isEmpty ? "" : ".\(url.pathExtension)")
    return url.deletingLastPathComponent().appending(path: name).path
  }
}
