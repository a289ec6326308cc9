/// The figures of several rounds.
public struct Statistics: Sendable, Codable, Equatable {
  public var values: [Double]

  public init(_ values: [Double]) {
    self.values = values
  }

  public var median: Double { Self.median(values) }
  public var low: Double { values.min() ?? 0 }
  public var high: Double { values.max() ?? 0 }

  /// The median of the distances from the median, as a part of it: how far a round is from another by mere noise.
  public var spread: Double {
    let median = median
    guard median != 0 else { return 0 }
    return Self.median(values.map { abs($0 - median) }) / abs(median)
  }

  /// Whether the rounds are near enough to each other to tell something by. Where they are not, something else kept the machine
  /// busy.
  public var isSettled: Bool { spread <= 0.1 }

  /// The middle value; of an even number of values the mean of the two in the middle; 0 of none.
  public static func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return 0 }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// This over another, round by round where both have as many: rounds lie side by side in time, so that what slowed
  /// the machine for a while slowed both.
  public func ratio(to other: Statistics) -> Statistics? {
    guard other.median > 0, !values.isEmpty else { return nil }
    guard values.count == other.values.count, !other.values.contains(0) else {
      return Statistics([median / other.median])
    }
    return Statistics(zip(values, other.values).map { $0 / $1 })
  }
}
