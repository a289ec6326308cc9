/// What Quarry is to reach, measured against what else ran beside it.
///
/// The limit of an engine is the same work done by the C interface underneath, called from Swift, with the same checks of
/// pages, the same entries of indexes and the same structs at the end. A goal is a share of it.
public struct Goal: Sendable {
  enum Measure: Sendable {
    /// The rate over that of another engine.
    case over(String)
    /// The rate over that of the same engine in another workload.
    case overWorkload(String)
    /// The cost of an operation at the largest size, from a million, over that at the smallest, from ten thousand: at
    /// most so much. With another engine, the growth over that engine's growth.
    case growth(over: String?)
  }

  let workload: String
  let engine: String
  let measure: Measure
  let bound: Double
  /// The one size that it is about; nil for all from 100,000.
  let size: Int?
  /// The engine's own limit, where `bound` may be more than the limit reaches: the goal is then a share of what that does.
  let limit: String?

  init(
    _ workload: String, _ engine: String, _ measure: Measure, _ bound: Double, size: Int? = nil, limit: String? = nil
  ) {
    self.workload = workload
    self.engine = engine
    self.measure = measure
    self.bound = bound
    self.size = size
    self.limit = limit
  }

  /// The share of a limit that is asked for.
  static func share(_ workload: String) -> Double { workload == "scan" ? 0.95 : 0.9 }

  public static let all =
    limits + alternatives + engines + sharedCommits + growth + encryption + relations + observation
    + postgreSQL
}

/// How a goal stands in a report.
public struct GoalState: Sendable {
  public let workload: String
  public let engine: String
  /// The sizes that it was measured at: "100,000" or "10,000 → 1,000,000".
  public let size: String
  public let wanted: String
  public let found: String
  public let isReached: Bool
  /// Whether the rounds can tell: they are near enough to each other, or at least five are all on one side of the goal.
  public let isSettled: Bool

  /// The state in words.
  var verdict: String { isSettled ? isReached ? "holds" : "falls short" : "unsettled" }

  /// The goals that the report has figures for.
  public static func all(of report: BenchmarkReport) -> [GoalState] {
    Goal.all.flatMap { $0.states(in: report) }
  }
}

extension Goal {
  func states(in report: BenchmarkReport) -> [GoalState] {
    switch measure {
    case .growth(let other): growthState(in: report, over: other).map { [$0] } ?? []
    case .over, .overWorkload:
      report.sizes.filter { $0 == size || size == nil && $0 >= 100_000 }.compactMap { state(in: report, at: $0) }
    }
  }

  private func growthState(in report: BenchmarkReport, over other: String?) -> GoalState? {
    guard let small = report.sizes.first, let large = report.sizes.last, small >= 10_000, large >= 1_000_000,
      small < large
    else { return nil }
    func growth(_ engine: String) -> Statistics? {
      guard let before = report.result(workload, engine, small)?.rates,
        let after = report.result(workload, engine, large)?.rates
      else { return nil }
      return before.ratio(to: after)
    }
    guard var found = growth(engine) else { return nil }
    if let other {
      guard let others = growth(other), let ratio = found.ratio(to: others) else { return nil }
      found = ratio
    }
    return state(
      found, bound, size: Format.count(small) + " → " + Format.count(large),
      wanted: "growth of the cost ≤ " + Format.ratio(bound) + (other.map { " of " + $0 } ?? ""), isMost: true)
  }

  private func state(in report: BenchmarkReport, at size: Int) -> GoalState? {
    guard let own = report.result(workload, engine, size) else { return nil }
    let other: String
    let found: Statistics?
    switch measure {
    case .over(let name):
      other = name
      found = report.ratio(workload, engine, size, over: name)
    case .overWorkload(let name):
      other = name
      found = report.result(name, engine, size).flatMap { own.rates.ratio(to: $0.rates) }
    case .growth: return nil
    }
    guard let found else { return nil }
    let (bound, reason) = attainable(in: report, at: size, over: other)
    let wanted = "≥ \(Format.ratio(bound)) \(other)" + reason
    return state(found, bound, size: Format.count(size), wanted: wanted, isMost: false)
  }

  /// The bound, or the share of what the limit reaches over the same engine where that is less.
  private func attainable(in report: BenchmarkReport, at size: Int, over other: String) -> (Double, reason: String) {
    guard let limit, let reached = report.ratio(workload, limit, size, over: other), reached.isSettled else {
      return (bound, "")
    }
    let share = reached.median * Self.share(workload)
    return share < bound ? (share, " (\(limit) reaches \(Format.ratio(reached.median)))") : (bound, "")
  }

  /// How many rounds settle a goal when all of them are on one side of it. Where the rate is at the goal, five are on one side
  /// in one case of sixteen.
  private static let enoughRounds = 5

  /// - Parameters:
  ///   - bound: What the figure is to reach.
  ///   - isMost: Whether the figure may be at most `bound`, and not at least.
  private func state(
    _ found: Statistics, _ bound: Double, size: String, wanted: String, isMost: Bool
  ) -> GoalState {
    let meeting = found.values.count { isMost ? $0 <= bound : $0 >= bound }
    let agree = found.values.count >= Self.enoughRounds && (meeting == 0 || meeting == found.values.count)
    // Rounds that are far from each other tell the side of the goal that they are on, and nothing more.
    let text =
      if found.isSettled || !agree {
        Format.ratio(found.median)
      } else if isMost == (meeting > 0) {
        "≤ " + Format.ratio(found.high)
      } else {
        "≥ " + Format.ratio(found.low)
      }
    return GoalState(
      workload: workload, engine: engine, size: size, wanted: wanted, found: text,
      isReached: isMost ? found.median <= bound : found.median >= bound, isSettled: found.isSettled || agree)
  }
}
