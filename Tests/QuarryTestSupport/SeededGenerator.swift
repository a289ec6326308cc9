package import QuarrySeeds

/// The kit's random numbers, which are the same for the same seed.
package typealias SeededGenerator = QuarrySeeds.SeededGenerator
