import Foundation
import MutantPlanting

/// Which cases of the kit prove which clauses of the contract, as the tool with the planted faults says.
struct CaseClauses {
  private var cases: [String: Set<String>] = [:]

  /// - Parameters:
  ///   - tool: Runs the quick plan in memory once.
  ///   - folder: Keeps what the tool says.
  init(_ tool: String, _ folder: URL, _ jobs: Int) throws {
    let name = URL(fileURLWithPath: tool).deletingLastPathComponent().lastPathComponent
    let file = folder.appending(path: "clauses-\(name).json")
    let clauses: [String: [String]]
    if let data = try? Data(contentsOf: file) {
      clauses = try JSONDecoder().decode([String: [String]].self, from: data)
    } else {
      clauses = try KitRun(tool: tool, engine: "memory", plan: "quick", jobs: jobs).clauses()
      try JSONEncoder().encode(clauses).write(to: file, options: .atomic)
    }
    for (testCase, clauses) in clauses {
      for clause in clauses { cases[clause, default: []].insert(testCase) }
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
