/// Chooses mutants by a seed: other seeds choose others, the same seed the same ones.
///
/// A change of other lines of the code leaves the choice as it is, so that what was said of a mutant lasts.
public struct MutantChoice {
  private let seed: UInt64

  public init(seed: UInt64) { self.seed = seed }

  /// All lines that have mutants in an order of the seed's, with one mutant of each; none overlaps another.
  ///
  /// - Parameter first: Are chosen before all others.
  public func order(_ mutants: [Mutant], first: [Mutant] = []) -> [Mutant] {
    let ranked = mutants.map { Ranked(rank: rank($0), mutant: $0) }
    let byLine = Dictionary(grouping: ranked) { Line(file: $0.mutant.file, line: $0.mutant.line) }
    let chosen = byLine.values.compactMap { $0.min() }.sorted().map(\.mutant)
    var order: [Mutant] = []
    var taken: [String: [Range<Int>]] = [:]
    for mutant in first + chosen {
      if taken[mutant.file, default: []].contains(where: { $0.overlaps(mutant.range) }) { continue }
      taken[mutant.file, default: []].append(mutant.range)
      order.append(mutant)
    }
    return order
  }

  private struct Line: Hashable {
    let file: String
    let line: Int
  }

  private struct Ranked: Comparable {
    let rank: UInt64
    let mutant: Mutant

    static func < (a: Ranked, b: Ranked) -> Bool { a.rank < b.rank }
  }

  private func rank(_ mutant: Mutant) -> UInt64 {
    // SplitMix64's last steps: neighbouring seeds have nothing in common.
    var mixed = Fingerprint.of([String(seed), mutant.file, mutant.lineText, mutant.change, String(mutant.ordinal)])
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
