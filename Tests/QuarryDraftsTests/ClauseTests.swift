import Foundation
import Testing

@Suite struct ClauseTests {
  // These clauses hold above every engine: beside the kit's cases, a quick test here cites each of them.
  @Test func everyClauseHasATest() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let contract = try String(contentsOf: root.appending(path: "../../docs/contract.md").standardized, encoding: .utf8)
    let clauses = contract.split(separator: "\n").compactMap { line in
      try? /- \*\*((?:DRAFT|RULE|KEY)-\d+)\*\*.*/.wholeMatch(in: line)?.1
    }
    #expect(clauses.count > 15)
    var cited: Set<Substring> = []
    let folders = [root, root.appending(path: "../QuarryKeysTests").standardized]
    let files = try folders.flatMap { folder in
      try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    }
    for file in files {
      let text = try String(contentsOf: file, encoding: .utf8)
      for line in text.split(separator: "\n") where line.contains("  // ") {
        for match in line.matches(of: /(DRAFT|RULE|KEY)-\d+/) { cited.insert(match.0) }
      }
    }
    #expect(Set(clauses) == cited)
  }
}
