import Foundation
import Testing

@testable import MutantPlanting

@Suite struct SemanticFaultTests {
  private static let list = """
    # A comment.
    fault: first-only
    file: Sources/A.swift
    breaks: STMT-1, STMT-2 Only the first is written.
    text: for a in b {
    with: for a in PLANTED ? b.prefix(1) : b {

    fault: two-lines
    file: Sources/A.swift
    breaks: REL-4 The order is another.
    text: one()
    |   two()
    with: if !PLANTED { one() }
    |
    |   two()
    missed: No case looks.
    engines: sqlite, lmdb
    listed: yes
    """
  private static let source = "func f() {\n  for a in b {\n  }\n  one()\n  two()\n}\n"

  @Test func entriesAreRead() throws {
    let faults = try SemanticFault.read(Self.list, area: "x")
    #expect(faults.map(\.id) == ["first-only", "two-lines"])
    #expect(faults[0].clauses == ["STMT-1", "STMT-2"])
    #expect(faults[0].breaks == "Only the first is written.")
    #expect(faults[1].text == "one()\n  two()")
    #expect(faults[1].replacement == "if !PLANTED { one() }\n\n  two()")
    #expect(faults[1].engines == ["sqlite", "lmdb"])
    #expect(faults[1].missed == "No case looks." && faults[1].isListed)
  }

  @Test func faultsArePlanted() throws {
    let faults = try SemanticFault.read(Self.list, area: "x")
    let mutants = try faults.map { try #require($0.mutant(in: Self.source)) }
    #expect(mutants.map(\.id) == ["first-only", "two-lines"])
    #expect(mutants.map(\.line) == [2, 4])
    let planted = PlantedSource(Self.source, [(3, mutants[0]), (4, mutants[1])])
    #expect(planted.text.contains("for a in quarryMutant(3) ? b.prefix(1) : b {"))
    #expect(planted.text.contains("  if !quarryMutant(4) { one() }\n\n  two()\n"))
    #expect(planted.lines == [3: 2...2, 4: 4...6])
  }

  private func defects(_ change: (inout [SemanticFault]) -> Void) throws -> [String] {
    var faults = try SemanticFault.read(Self.list, area: "x")
    change(&faults)
    let contract = "- **STMT-1** a **STMT-2** b **REL-4** c"
    return SemanticFault.defects(faults, sources: ["Sources/A.swift": Self.source], contract: contract)
      .map(\.description)
  }

  @Test func soundListHasNoDefect() throws { #expect(try defects { _ in } == []) }

  @Test func defectsAreNamed() throws {
    #expect(try defects { $0[0].text = "()" }.first?.contains("occurs 3 times") == true)
    #expect(try defects { $0[0].text = "no such text" }.first?.contains("occurs 0 times") == true)
    #expect(try defects { $0[1].id = "first-only" } == ["x first-only: the name is taken"])
    #expect(try defects { $0[0].replacement = "for a in b {" } == ["x first-only: the replacement has no PLANTED"])
    #expect(try defects { $0[0].clauses = ["STMT-99"] } == ["x first-only: the contract has no STMT-99"])
    #expect(
      try defects { $0[0].file = "Sources/B.swift" } == ["x first-only: there is no file Sources/B.swift in Sources"])
    #expect(try defects { $0[0].text = "}\n  one" } == ["x two-lines: its text and that of first-only overlap"])
  }

  @Test func otherLinesAreRefused() {
    #expect(throws: SemanticFault.Defect(description: "x.txt:1: kind is no field of a fault")) {
      try SemanticFault.read("kind: b", area: "x")
    }
    #expect(throws: SemanticFault.Defect(description: "x.txt:2: continues neither a text nor a replacement")) {
      try SemanticFault.read("fault: b\n| c", area: "x")
    }
    #expect(throws: SemanticFault.Defect(description: "x.txt:1: has no field")) {
      try SemanticFault.read("words", area: "x")
    }
  }
}
