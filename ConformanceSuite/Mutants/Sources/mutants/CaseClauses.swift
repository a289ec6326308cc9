import Foundation
import MutantPlanting

/// Which cases of the kit prove which clauses of the contract, as the committed report of an engine has them.
struct CaseClauses {
  private struct Report: Decodable {
    struct Run: Decodable {
      var id: String
      var clauses: [String]
    }
    var runs: [Run]
  }

  private var cases: [String: Set<String>] = [:]

  /// Reads the report of the engine in memory, which has all cases, those that it refuses too.
  init(_ root: URL) throws {
    let file = root.appending(path: "docs/conformance/report-memory.json.gz")
    let unpacked = FileManager.default.temporaryDirectory.appending(path: "clauses-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: unpacked) }
    let end = try Program(command: ["/usr/bin/env", "gzip", "-dc", file.path]).run(
      output: unpacked.path, within: Program.Limits(clock: 60))
    guard end == .exit(0) else { throw Problem("gzip cannot unpack \(file.path)") }
    let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: unpacked))
    for run in report.runs {
      for clause in run.clauses { cases[clause, default: []].insert(run.id) }
    }
  }

  /// The cases of the clauses that each fault breaks, by the fault's id.
  func cases(of faults: [SemanticFault]) -> [String: [String]] {
    Dictionary(
      faults.map { fault in
        (fault.id, fault.clauses.reduce(into: Set()) { $0.formUnion(cases[$1] ?? []) }.sorted())
      }, uniquingKeysWith: { first, _ in first })
  }
}
