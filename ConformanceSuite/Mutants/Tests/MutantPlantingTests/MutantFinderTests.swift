import Testing

@testable import MutantPlanting

@Suite struct MutantFinderTests {
  private func changes(_ source: String) -> [String] {
    MutantFinder.mutants(in: source, file: "A.swift").map(\.change)
  }

  @Test func operators() {
    #expect(changes("let x = a < b") == ["a < b => a <= b"])
    #expect(changes("let x = a && b") == ["a && b => a || b", "a && b => a", "a && b => b"])
    #expect(changes("let x = a ?? b") == ["a ?? b => b"])
    #expect(changes("let x = a + b << c").sorted() == ["a + b << c => a - b << c", "b << c => b >> c"])
    #expect(changes("let x = !a") == ["!a => a"])
  }

  @Test func conditions() {
    #expect(changes("guard a else { return }") == ["a => not (a)", "a => true"])
    #expect(changes("if a { return }").contains("return => nothing"))
    #expect(changes("while a {}") == ["a => not (a)"])
    #expect(changes("for x in y where x.z {}") == ["x.z => true"])
    #expect(changes("let x = a ? b : c") == ["a => not (a)"])
  }

  @Test func constants() {
    #expect(changes("let x = 0") == ["0 => 1"])
    #expect(changes("let x = 1") == ["1 => 0"])
    #expect(changes("let x = 7") == ["7 => 6", "7 => 8"])
    #expect(changes("let x = 0x10") == ["0x10 => 0x10 + 1"])
    #expect(changes("let x = true") == ["true => false"])
    #expect(changes("for i in a..<b {}") == ["a => a + 1", "b => b - 1"])
  }

  @Test func names() {
    #expect(changes("let x = a.first") == ["a.first => a.last"])
    #expect(changes("let x = a.hasPrefix(b)") == ["a.hasPrefix(b) => a.hasSuffix(b)"])
    #expect(changes("let x = min(a, b)") == ["min(a, b) => max(a, b)"])
    #expect(changes("let x = f(.ascending)") == [".ascending => .descending"])
    #expect(changes("a.first = b").filter { $0.contains("last") } == [])
  }

  @Test func statements() {
    #expect(changes("func f() { a.g(); b += c }") == ["a.g() => nothing", "b += c => nothing"])
    #expect(changes("func f() -> Int { g() }") == [])
    #expect(changes("func f() { _ = g() }") == [])
    #expect(changes("init(a: Int) { self.a = a }") == [])
    #expect(changes("func f() -> Int? { if let a { return a }; return nil }") == ["a => nil"])
  }

  @Test func whatNoCaseCanSeeIsLeftAlone() {
    #expect(changes("precondition(a < 1)") == [])
    #expect(changes("var description: String { a < b ? c : d }") == [])
    #expect(changes(#"let x = "\(a < b)""#) == [])
    #expect(changes("@available(macOS 15, *) struct A {}") == [])
    #expect(changes("switch a { case 1: break; default: break }") == [])
    #expect(changes("enum A: Int { case b = 1 }") == [])
    #expect(changes("deinit { a() }") == [])
    #expect(changes("#if B && C\n#endif") == [])
    #expect(changes("#if canImport(Darwin)\nlet a = 1\n#else\nlet a = 3\n#endif") == ["3 => 2", "3 => 4"])
  }

  @Test func codeOfSeveralLinesIsShownOnOne() {
    #expect(changes("let x =\n  a // why\n  && b")[0] == "a // why && b => a // why || b")
  }

  @Test func lineOfAMutant() {
    let mutant = MutantFinder.mutants(in: "\n\n  let x = a < b  // why\n", file: "A.swift")[0]
    #expect(mutant.line == 3)
    #expect(mutant.lineText == "let x = a < b  // why")
  }

  @Test func idsLastWhenLinesAboveChange() {
    let before = MutantFinder.mutants(in: "let x = a < b\nlet x = a < b", file: "A.swift").map(\.id)
    let after = MutantFinder.mutants(in: "// new\nlet x = a < b\n\nlet x = a < b", file: "A.swift").map(\.id)
    #expect(before == after)
    #expect(Set(before).count == 2)
    #expect(before.allSatisfy { $0.utf8.count == 6 })
  }
}
