import Testing

@testable import MutantPlanting

@Suite struct MutantChoiceTests {
  private static let mutants = MutantFinder.mutants(
    in: (0..<50).map { "let x\($0) = a < \($0) && c.first" }.joined(separator: "\n"), file: "A.swift")

  private func order(_ seed: UInt64) -> [String] {
    MutantChoice(seed: seed).order(Self.mutants).map(\.id)
  }

  @Test func seedChooses() {
    #expect(order(1) == order(1))
    #expect(order(1) != order(2))
  }

  @Test func choiceLastsWhenOtherLinesChange() {
    let choice = MutantChoice(seed: 1)
    let before = choice.order(Self.mutants).map(\.id)
    let source = "let new = d > 1\n" + (0..<49).map { "let x\($0) = a < \($0) && c.first" }.joined(separator: "\n\n")
    let after = choice.order(MutantFinder.mutants(in: source, file: "A.swift")).map(\.id)
    #expect(after.filter { before.contains($0) } == before.filter { after.contains($0) })
    #expect(Set(before).subtracting(after).count == 1)
    #expect(Set(after).subtracting(before).count == 1)
  }

  @Test func oneOfEachLine() {
    let order = MutantChoice(seed: 3).order(Self.mutants)
    #expect(order.count == 50)
    #expect(Set(order.map(\.line)).count == 50)
  }

  @Test func noneOverlapsAnother() {
    // The condition is one mutant of two lines, and each of its lines has its own.
    let source = "if a < b\n  && c < d {}"
    for seed in 0..<20 {
      let order = MutantChoice(seed: UInt64(seed)).order(MutantFinder.mutants(in: source, file: "A.swift"))
      for (place, one) in order.enumerated() {
        for other in order[..<place] { #expect(!one.range.overlaps(other.range)) }
      }
    }
  }
}
