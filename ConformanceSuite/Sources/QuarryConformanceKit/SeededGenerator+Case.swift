package import QuarrySeeds

package typealias SeededGenerator = QuarrySeeds.SeededGenerator

extension ConformanceContext {
  /// The seed of a random case: the case's own number with the run's seed mixed in. Every random case begins with it, so
  /// that the same seed makes the same run, and 0 the run that is always the same.
  ///
  /// The run's seed is mixed, because the generator adds a constant at each step: seeds that differ by that constant have
  /// the same numbers, one step apart.
  package func caseSeed(_ number: UInt64) -> UInt64 { number &+ SeededGenerator.mixed(seed) }

  /// Random numbers of a case, or of one of its threads.
  package func random(_ number: Int) -> SeededGenerator { SeededGenerator(seed: caseSeed(UInt64(number))) }
}
