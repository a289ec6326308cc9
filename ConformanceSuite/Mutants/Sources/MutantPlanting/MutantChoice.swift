/// Chooses mutants by a seed: other seeds choose others, the same seed the same ones.
public struct MutantChoice {
  private var state: UInt64

  public init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  /// All lines that have mutants in an order of the seed's, with one mutant of each; none overlaps another.
  ///
  /// - Parameter first: Are chosen before all others.
  public mutating func order(_ mutants: [Mutant], first: [Mutant] = []) -> [Mutant] {
    let byLine = Dictionary(grouping: mutants) { Line(file: $0.file, line: $0.line) }
    let lines = byLine.keys.sorted { ($0.file, $0.line) < ($1.file, $1.line) }
    var order: [Mutant] = []
    var taken: [String: [Range<Int>]] = [:]
    func take(_ mutant: Mutant) {
      if taken[mutant.file, default: []].contains(where: { $0.overlaps(mutant.range) }) { return }
      taken[mutant.file, default: []].append(mutant.range)
      order.append(mutant)
    }
    for mutant in first { take(mutant) }
    for line in shuffled(lines) {
      guard let candidates = byLine[line] else { continue }
      take(candidates[Int(next() % UInt64(candidates.count))])
    }
    return order
  }

  private struct Line: Hashable {
    let file: String
    let line: Int
  }

  private mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
    var elements = elements
    for place in elements.indices.reversed().dropLast() {
      elements.swapAt(place, Int(next() % UInt64(place + 1)))
    }
    return elements
  }

  // SplitMix64.
  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
