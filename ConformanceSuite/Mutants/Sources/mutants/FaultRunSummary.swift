import Foundation
import MutantPlanting

/// What is said and written at the end of a run with semantic faults.
struct FaultRunSummary: Sendable {
  let faults: [(SemanticFault, Mutant)]
  let isFull: Bool

  func report(_ result: (Mutant) -> MutantResult, refused: Set<String>) -> FaultReport {
    FaultReport(
      isFull: isFull,
      entries: faults.map { fault, mutant in
        FaultReport.Entry(
          area: fault.area, clauses: fault.clauses, breaks: fault.breaks, missed: fault.missed,
          isListed: fault.isListed, isRefused: refused.contains(fault.id), result: result(mutant))
      })
  }

  /// - Parameter root: The repository in which the report is written, or nil for none.
  func end(_ result: (Mutant) -> MutantResult, refused: Set<String>, root: URL?) throws {
    let whole = report(result, refused: refused)
    say("")
    for entry in whole.survivors {
      say("survivor: \(entry.result.id) \(entry.result.file):\(entry.result.line): \(entry.missed ?? entry.breaks)")
    }
    for entry in whole.entries where entry.missed != nil && entry.result.isFound {
      say("warning: expected to survive, but found: \(entry.result.id)")
    }
    say(whole.summary)
    if let root { try whole.write(root) }
  }
}
