/// Makes inputs of sound ones, without looking at what is read: for tests of samples. The driver of `scripts/fuzz` sees
/// which code an input comes to, and finds more.
package struct FuzzMutator {
  private let seeds: [[UInt8]]

  package init(_ seeds: [[UInt8]]) {
    self.seeds = seeds
  }

  /// An input with one to four changes: bits, bytes, numbers at their limits, pieces that are doubled, taken away or of
  /// another seed, a cut.
  package func next(_ random: inout some RandomNumberGenerator) -> [UInt8] {
    var input = seeds.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      guard !input.isEmpty else { return [UInt8.random(in: 0...255, using: &random)] }
      let place = Int.random(in: 0..<input.count, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: input[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: input[place] = .random(in: 0...255, using: &random)
      case 2: input[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
      case 3:
        let end = min(input.count, place + (Bool.random(using: &random) ? 4 : 8))
        let byte: UInt8 = Bool.random(using: &random) ? 0xFF : 0
        for place in place..<end { input[place] = byte }
      case 4: input.insert(.random(in: 0...255, using: &random), at: place)
      case 5: input.removeSubrange(place..<min(input.count, place + .random(in: 1...16, using: &random)))
      case 6:
        let other = seeds.randomElement(using: &random) ?? []
        guard !other.isEmpty else { break }
        let start = Int.random(in: 0..<other.count, using: &random)
        input.insert(contentsOf: other[start..<min(other.count, start + 32)], at: place)
      default: if Int.random(in: 0..<4, using: &random) == 0 { input.removeSubrange(place...) }
      }
    }
    return input
  }
}
