import Foundation
import MutantPlanting

/// The lists of semantic faults in the repository.
enum SemanticFaultLists {
  static func read(_ root: URL) throws -> [SemanticFault] {
    let folder = root.appending(path: "ConformanceSuite/Mutants/Faults")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "txt" }.sorted { $0.lastPathComponent < $1.lastPathComponent }
    return try files.flatMap { file in
      try SemanticFault.read(
        String(contentsOf: file, encoding: .utf8), area: file.deletingPathExtension().lastPathComponent)
    }
  }

  /// What keeps the faults from being planted in the sources.
  static func defects(_ faults: [SemanticFault], _ sources: [String: String], _ root: URL) throws
    -> [SemanticFault.Defect]
  {
    // The clauses about words and queries of text search are on a page of their own.
    let contract = try ["docs/contract.md", "docs/text-search.md", "docs/sync.md"].map { page in
      try String(contentsOf: root.appending(path: page), encoding: .utf8)
    }.joined(separator: "\n")
    return SemanticFault.defects(faults, sources: sources, contract: contract)
  }
}
