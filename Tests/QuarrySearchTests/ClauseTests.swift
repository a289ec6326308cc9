import Foundation
import Testing

@Suite struct ClauseTests {
  // The kit has no cases for what stands above every engine: a test here cites each of these clauses.
  @Test func everyClauseHasATest() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let contract = try String(contentsOf: root.appending(path: "../../docs/contract.md").standardized, encoding: .utf8)
    let clauses = contract.split(separator: "\n").compactMap { line in
      try? /- \*\*(SEARCH-\d+)\*\*.*/.wholeMatch(in: line)?.1
    }
    #expect(clauses.count == 13)
    var cited: Set<Substring> = []
    for name in try FileManager.default.contentsOfDirectory(atPath: root.path) {
      let text = try String(contentsOf: root.appending(path: name), encoding: .utf8)
      for line in text.split(separator: "\n") where line.contains("  // ") {
        for match in line.matches(of: /SEARCH-\d+/) { cited.insert(match.0) }
      }
    }
    #expect(Set(clauses) == cited)
  }
}
