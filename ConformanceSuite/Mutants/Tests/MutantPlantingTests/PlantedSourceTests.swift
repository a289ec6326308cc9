import Testing

@testable import MutantPlanting

@Suite struct PlantedSourceTests {
  private func planted(_ source: String, _ change: String) -> PlantedSource {
    let mutants = MutantFinder.mutants(in: source, file: "A.swift").filter { $0.change == change }
    return PlantedSource(source, mutants.map { (7, $0) })
  }

  @Test func expression() {
    let planted = planted("let x = a < b", "a < b => a <= b")
    #expect(planted.text == "public import CMutantSwitch; let x = (quarryMutant(7) ? (a <= b) : (a < b))")
  }

  @Test func condition() {
    let planted = planted("if try a() { b = 1 }", "try a() => not (try a())")
    #expect(planted.text == "public import CMutantSwitch; if ((try a()) != quarryMutant(7)) { b = 1 }")
  }

  @Test func statement() {
    let planted = planted("try a()\nb()", "try a() => nothing")
    #expect(planted.text == "public import CMutantSwitch; if !quarryMutant(7) { try a() }\nb()")
  }

  @Test func otherTextStaysAsItIs() {
    #expect(PlantedSource("a < b // ü\n", []).text == "a < b // ü\n")
    let planted = planted("// ü\nlet x = a < b // ü\n", "a < b => a <= b")
    #expect(planted.text.hasPrefix("public import CMutantSwitch; // ü\nlet x = ("))
    #expect(planted.text.hasSuffix(") // ü\n"))
  }

  @Test func linesOfAMutantThatIsWrittenTwice() {
    let source = "let z = 0\nlet x = a\n  < b\nlet y = c < d"
    let mutants = MutantFinder.mutants(in: source, file: "A.swift").filter { $0.change.contains("<=") }
    let planted = PlantedSource(source, [(0, mutants[0]), (1, mutants[1])])
    #expect(planted.lines == [0: 2...4, 1: 5...5])
    #expect(planted.text.split(separator: "\n").count == 5)
  }
}
