import ArgumentParser
import Foundation
import QuarryBackend
public import QuarryConformance
import QuarryData
import Synchronization

/// Runs the suite for a command: progress on standard error, the summary on standard output, reports into files.
public struct ConformanceSession {
  private let arguments: ConformanceArguments
  /// What a person types to run the suite on this harness, without options.
  private let command: String

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
    let line = ProgressLine()
    print("\(harness.name): \(runner.plan.count) runs planned, plan \(runner.plan.hash)")
    let report = runner.run { progress in line.show(harness.name, progress) }
    line.clear()
    print(report.summary)
    for (path, text) in [
      (arguments.json, try report.json()), (arguments.junit, report.junit), (arguments.tap, report.tap),
      (arguments.markdown, report.markdown), (arguments.badge, try report.badge()),
    ] {
      if let path { try OutputFile.write(text, to: Self.name(path, suffix), replacing: arguments.force) }
    }
    return report
  }

  private static func name(_ path: String, _ suffix: String) -> String {
    guard !suffix.isEmpty else { return path }
    let url = URL(fileURLWithPath: path)
    let stem = url.deletingPathExtension().lastPathComponent
    let name = "\(stem)-\(suffix)" + (url.pathExtension.isEmpty ? "" : ".\(url.pathExtension)")
    return url.deletingLastPathComponent().appending(path: name).path
  }
}

/// One line on standard error that is drawn over; nothing where it is no terminal.
private final class ProgressLine: Sendable {
  private let isShown = isatty(STDERR_FILENO) == 1
  private let last = Mutex<ContinuousClock.Instant?>(nil)

  func show(_ name: String, _ progress: ConformanceRunner.Progress) {
    guard isShown else { return }
    let now = ContinuousClock.now
    let isDue = last.withLock { last in
      if let before = last, now - before < .milliseconds(100) { return false }
      last = now
      return true
    }
    guard isDue else { return }
    let failures = progress.failures == 0 ? "" : "  \(progress.failures) failed"
    let text = "\(name) \(progress.done)/\(progress.total)\(failures)  \(progress.last.run)"
    write("\r\u{1B}[K" + text.prefix(79))
  }

  func clear() {
    if isShown { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
