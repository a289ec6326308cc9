import Testing

@testable import MutantPlanting

@Suite struct MutantChoiceTests {
  private static let mutants = MutantFinder.mutants(
    in: (0..<50).map { "let x\($0) = a < \($0) && c.first" }.joined(separator: "\n"), file: "A.swift")

  private func order(_ seed: UInt64) -> [String] {
    var choice = MutantChoice(seed: seed)
    return choice.order(Self.mutants).map(\.id)
  }

  @Test func seedChooses() {
    #expect(order(1) == order(1))
    #expect(order(1) != order(2))
  }

  @Test func oneOfEachLine() {
    var choice = MutantChoice(seed: 3)
    let order = choice.order(Self.mutants)
    #expect(order.count == 50)
    #expect(Set(order.map(\.line)).count == 50)
  }

  @Test func noneOverlapsAnother() {
    // The condition is one mutant of two lines, and each of its lines has its own.
    let source = "if a < b\n  && c < d {}"
    for seed in 0..<20 {
      var choice = MutantChoice(seed: UInt64(seed))
      let order = choice.order(MutantFinder.mutants(in: source, file: "A.swift"))
      for (place, one) in order.enumerated() {
        for other in order[..<place] { #expect(!one.range.overlaps(other.range)) }
      }
    }
  }
}
