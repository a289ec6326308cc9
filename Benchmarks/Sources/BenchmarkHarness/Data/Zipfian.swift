import Foundation

/// Numbers below a bound of which few come often, spread over the whole range: the scrambled Zipf distribution with
/// which the workloads of YCSB choose their records.
package struct Zipfian: Sendable {
  private let count: Int
  private let theta = 0.99
  private let zeta: Double
  private let alpha: Double
  private let eta: Double

  /// - Complexity: O(n) in the number of records.
  package init(_ count: Int) {
    self.count = count
    var zeta = 0.0
    for rank in 1...max(count, 1) { zeta += 1 / pow(Double(rank), theta) }
    self.zeta = zeta
    alpha = 1 / (1 - theta)
    let zetaOfTwo = 1 + 1 / pow(2, theta)
    eta = (1 - pow(2 / Double(count), 1 - theta)) / (1 - zetaOfTwo / zeta)
  }

  /// The place by popularity, 0 being the most frequent.
  func rank(_ random: inout SplitMix64) -> Int {
    let uniform = Double(random.next() >> 11) / Double(1 << 53)
    let scaled = uniform * zeta
    if scaled < 1 { return 0 }
    if scaled < 1 + pow(0.5, theta) { return min(1, count - 1) }
    return min(count - 1, Int(Double(count) * pow(eta * uniform - eta + 1, alpha)))
  }

  /// A number below the count, the popular ones scattered.
  package func scattered(_ random: inout SplitMix64) -> Int {
    var mixer = SplitMix64(seed: UInt64(rank(&random)))
    return mixer.below(count)
  }
}
