/// Random numbers that are the same for the same seed (SplitMix64, Steele, Lea and Flood 2014).
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mixed(state)
  }

  /// The number with its bits mixed; 0 stays 0.
  fileprivate static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

extension ConformanceContext {
  /// The seed of a random case: the case's own number with the run's seed mixed in. Every random case begins with it, so
  /// that the same seed makes the same run, and 0 the run that is always the same.
  ///
  /// The run's seed is mixed, because the generator adds a constant at each step: seeds that differ by that constant have
  /// the same numbers, one step apart.
  func caseSeed(_ number: UInt64) -> UInt64 { number &+ SeededGenerator.mixed(seed) }

  /// Random numbers of a case, or of one of its threads.
  func random(_ number: Int) -> SeededGenerator { SeededGenerator(seed: caseSeed(UInt64(number))) }
}
