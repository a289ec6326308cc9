import Foundation
import QuarryConformance
import Testing

/// Random commands on all engines and the reference at once. `QUARRY_DIFFERENTIAL_RUNS` asks for more runs than the 500
/// of every test run, `QUARRY_DIFFERENTIAL_SEED` for one alone.
@Suite struct DifferentialTests {
  /// Ten of these make one part; parts run beside each other.
  static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["QUARRY_DIFFERENTIAL_SEED"].flatMap(UInt64.init) { return [seed] }
    let runs = environment["QUARRY_DIFFERENTIAL_RUNS"].flatMap(UInt64.init) ?? 500
    return Array(1...max(1, runs))
  }()

  static let parts = stride(from: 0, to: seeds.count, by: 10).map { $0..<min($0 + 10, seeds.count) }

  @Test(arguments: parts)
  func enginesAgree(_ part: Range<Int>) throws {
    for seed in Self.seeds[part] { try DifferentialTest(Harnesses.all).run(seed: seed) }
  }
}
