/// What Quarry is to reach, measured against what else ran beside it.
public struct Goal: Sendable {
  enum Measure: Sendable {
    /// The rate over that of another engine.
    case over(String)
    /// The rate over that of the same engine in another workload.
    case overWorkload(String)
    /// The rate itself.
    case rate
    /// The cost of an operation at the largest size, from a million, over that at the smallest, from ten thousand: at
    /// most so much.
    case growth
  }

  let workload: String
  let engine: String
  let measure: Measure
  let bound: Double
  /// The one size that it is about; nil for all from 100,000.
  let size: Int?

  init(_ workload: String, _ engine: String, _ measure: Measure, _ bound: Double, size: Int? = nil) {
    self.workload = workload
    self.engine = engine
    self.measure = measure
    self.bound = bound
    self.size = size
  }

  public static let all: [Goal] = {
    var goals = [
      Goal("insert-bulk", "sqlite", .over("raw-sqlite"), 0.85), Goal("insert-bulk", "sqlite", .over("grdb"), 3),
      Goal("insert-bulk", "lmdb", .over("raw-lmdb"), 0.8), Goal("insert-bulk", "memory", .over("lmdb"), 1),
      Goal("insert-bulk", "flat-file", .over("lmdb"), 1),
      Goal("insert-single", "sqlite", .over("raw-sqlite"), 0.9),
      Goal("insert-single", "lmdb", .over("raw-lmdb"), 0.9),
      Goal("get", "sqlite", .over("raw-sqlite"), 0.75), Goal("get", "sqlite", .over("grdb"), 10),
      Goal("get", "lmdb", .over("raw-lmdb"), 0.9), Goal("get-single", "lmdb", .over("raw-lmdb"), 0.75),
      Goal("get", "memory", .over("lmdb"), 1),
      Goal("scan", "sqlite", .over("raw-sqlite"), 0.55), Goal("scan", "lmdb", .rate, 5e6),
      Goal("scan-frozen", "lmdb", .rate, 10e6),
      Goal("index-fetch", "sqlite", .over("raw-sqlite"), 0.7),
      // Against those who fill the same struct with the same strings.
      Goal("scan", "sqlite", .over("raw-sqlite-structs"), 0.85),
      Goal("get", "sqlite", .over("raw-sqlite-structs"), 0.85),
      Goal("index-fetch", "sqlite", .over("raw-sqlite-structs"), 0.85), Goal("scan", "lmdb", .over("raw-lmdb"), 0.95),
      Goal("scan", "sqlite", .over("grdb"), 2),
      Goal("update-where", "sqlite", .over("raw-sqlite"), 0.8), Goal("ycsb-e", "sqlite", .over("raw-sqlite"), 0.8),
      Goal("ycsb-e", "sqlite", .over("raw-sqlite-structs"), 0.8),
      Goal("read-while-writing", "memory", .over("raw-lmdb"), 0.7),
      Goal("read-while-writing", "lmdb", .over("raw-lmdb"), 0.7),
      Goal("index-count", "lmdb", .rate, 100e3, size: 100_000),
      Goal("filter", "sqlite", .over("raw-sqlite"), 0.9),
      Goal("update-key", "sqlite", .over("raw-sqlite"), 0.8),
      Goal("delete-key", "sqlite", .over("raw-sqlite"), 0.8), Goal("delete-key", "lmdb", .over("raw-lmdb"), 0.8),
    ]
    for engine in ["memory", "lmdb"] {
      goals += [
        Goal("index-fetch", engine, .rate, 4e6), Goal("update-key", engine, .rate, 1.2e6),
        Goal("filter", engine, .rate, 70e6, size: 100_000), Goal("filter", engine, .rate, 25e6, size: 1_000_000),
      ]
    }
    for engine in ["flat-file", "sqlite", "lmdb"] {
      goals += [
        Goal("insert-single-8", engine, .overWorkload("insert-single"), 3),
        Goal("insert-single-64", engine, .overWorkload("insert-single"), 8),
      ]
    }
    for workload in ["scan", "scan-frozen", "index-fetch", "index-count", "update-key", "delete-key", "sort-limit"] {
      goals.append(Goal(workload, "memory", .over("lmdb"), 1))
    }
    for engine in ["memory", "flat-file", "lmdb"] { goals.append(Goal("index-count", engine, .growth, 2)) }
    for engine in ["memory", "flat-file", "sqlite", "lmdb"] {
      for workload in ["insert-bulk", "get", "scan", "index-fetch", "filter", "update-key", "delete-key"] {
        goals.append(Goal(workload, engine, .growth, 2))
      }
    }
    return goals + encryption + relations + observation
  }()
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
  /// Whether the rounds are near enough to each other to tell.
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
    guard case .growth = measure else {
      let sizes = report.sizes.filter { $0 == size || size == nil && $0 >= 100_000 }
      return sizes.compactMap { state(in: report, at: $0) }
    }
    guard let small = report.sizes.first, let large = report.sizes.last, small >= 10_000, large >= 1_000_000,
      small < large,
      let before = report.result(workload, engine, small)?.rates,
      let after = report.result(workload, engine, large)?.rates, after.median > 0
    else { return [] }
    let growth = before.median / after.median
    return [
      GoalState(
        workload: workload, engine: engine, size: Format.count(small) + " → " + Format.count(large),
        wanted: "cost of an operation ≤ " + Format.ratio(bound), found: Format.ratio(growth),
        isReached: growth <= bound, isSettled: before.isSettled && after.isSettled)
    ]
  }

  private func state(in report: BenchmarkReport, at size: Int) -> GoalState? {
    guard let own = report.result(workload, engine, size) else { return nil }
    let found: Statistics?
    let words: String
    switch measure {
    case .over(let other):
      found = report.ratio(workload, engine, size, over: other)
      words = "≥ \(Format.ratio(bound)) \(other)"
    case .overWorkload(let other):
      found = report.result(other, engine, size).flatMap { own.rates.ratio(to: $0.rates) }
      words = "≥ \(Format.ratio(bound)) \(other)"
    case .rate, .growth:
      found = own.rates
      words = "≥ \(Format.rate(bound))/s"
    }
    guard let found else { return nil }
    let text: String = if case .rate = measure { Format.rate(found.median) + "/s" } else { Format.ratio(found.median) }
    return GoalState(
      workload: workload, engine: engine, size: Format.count(size), wanted: words, found: text,
      isReached: found.median >= bound, isSettled: found.isSettled)
  }
}
