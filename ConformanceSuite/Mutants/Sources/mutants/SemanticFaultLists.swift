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
    let contract = try String(contentsOf: root.appending(path: "docs/contract.md"), encoding: .utf8)
    return SemanticFault.defects(faults, sources: sources, contract: contract)
  }
}
