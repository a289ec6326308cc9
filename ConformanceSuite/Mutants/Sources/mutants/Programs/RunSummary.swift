import Foundation

/// What is said and written at the end of a run.
struct RunSummary: Sendable {
  let seed: UInt64
  let count: Int
  let isFull: Bool
  let arguments: Arguments
  /// Arguments about code that is no longer there.
  let stale: [Arguments.Entry]

  func report(_ results: [MutantResult], refused: Int) -> MutantReport {
    let shown = results.map { result in
      var result = result
      result.argument = arguments.argument(for: result)
      result.test = arguments.test(for: result)
      return result
    }
    return MutantReport(seed: seed, count: count, refused: refused, isFull: isFull, results: shown)
  }

  /// - Parameter root: The repository in which the report is written, or nil for none.
  func end(_ results: [MutantResult], refused: Int, root: URL?) throws {
    let whole = report(results, refused: refused)
    say("")
    for result in whole.unexplained {
      say("survivor: \(result.id) \(result.file):\(result.line): \(result.change)")
    }
    for entry in stale {
      say("warning: argued, but no longer in the code: \(entry.file): \(entry.line): \(entry.change)")
    }
    for result in whole.found where result.argument != nil {
      say("warning: argued to be without effect, but found: \(result.id) \(result.file):\(result.line)")
    }
    say(whole.summary)
    if let root { try whole.write(root) }
  }
}
