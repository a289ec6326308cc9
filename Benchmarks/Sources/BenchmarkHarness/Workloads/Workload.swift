/// A piece of work that is measured on every engine.
public struct Workload: Sendable {
  /// How a result is written.
  public enum Display: String, Sendable, Codable {
    /// Operations in a second.
    case rate
    /// Milliseconds of one operation.
    case milliseconds
  }

  /// The store that it works on.
  enum Subject: Sendable { case people, relations, observation }

  public let id: String
  public let title: String
  /// What one operation is: "objects", "queries".
  public let unit: String
  public let explanation: String
  public let display: Display
  /// Whether its time is mostly that of making commits durable, so that it says nothing to compare an engine whose
  /// commits are not durable with one whose are.
  public let isBoundByCommits: Bool
  /// Whether single operations are timed in a pass of their own.
  public let hasLatency: Bool
  /// The store that it works on: a ``BenchmarkStore``, a ``RelatedStore``, an ``ObservedStore``.
  let subject: Subject
  let makePlan: @Sendable (PlanContext) -> Plan

  init(
    _ id: String, _ title: String, unit: String, _ explanation: String, display: Display = .rate,
    isBoundByCommits: Bool = false, hasLatency: Bool = true, subject: Subject = .people,
    makePlan: @escaping @Sendable (PlanContext) -> Plan
  ) {
    self.id = id
    self.title = title
    self.unit = unit
    self.explanation = explanation
    self.display = display
    self.isBoundByCommits = isBoundByCommits
    self.hasLatency = hasLatency
    self.subject = subject
    self.makePlan = makePlan
  }

  /// Every workload, in the order in which they run.
  public static let all: [Workload] = inserts + reads + queries + changes + relations + observation + concurrent + ycsb

  public static func named(_ id: String) -> Workload? { all.first { $0.id == id } }
}

/// What a plan is made from. Equal contexts give equal plans, so that every engine does the same work in a round.
public struct PlanContext: Sendable {
  public let dataset: Dataset
  public let round: Int
  public let effort: Effort

  var count: Int { dataset.count }

  /// Random numbers of the round.
  func random(_ purpose: UInt64) -> SplitMix64 {
    var seeder = SplitMix64(seed: dataset.seed ^ (purpose << 32) ^ UInt64(round))
    return SplitMix64(seed: seeder.next())
  }
}

/// How many operations a round of a workload has.
public struct Effort: Sendable, Codable, Equatable {
  /// Point reads and updates.
  public var points: Int
  /// Commits of their own.
  public var commits: Int
  /// Queries.
  public var queries: Int
  /// Rows that the queries of a round fetch, about.
  public var rows: Int

  public static let smoke = Effort(points: 200, commits: 16, queries: 10, rows: 1)
  public static let short = Effort(points: 25_000, commits: 400, queries: 100, rows: 500_000)
  public static let full = Effort(points: 100_000, commits: 2_000, queries: 200, rows: 1_000_000)
}

/// The work of one round, with its expected result.
struct Plan {
  /// Seconds of the work, and how many operations they held.
  typealias Timing = (seconds: Double, operations: Int)

  let run: (StoreSlot, LatencyRecorder) throws -> Timing
  /// Whether the work changes nothing, so that it can be done several times in a round.
  let isRepeatable: Bool

  /// - Parameters:
  ///   - prepare: What must be so before the work; not timed.
  ///   - work: The work.
  ///   - check: Throws `WrongAnswer` unless the result, and what the store holds now, are right; not timed.
  ///   - restore: Brings back the people as they were; not timed.
  init<T>(
    operations: Int, prepare: ((StoreSlot) throws -> Void)? = nil, isRepeatable: Bool = false,
    work: @escaping (any BenchmarkStore, LatencyRecorder) throws -> T,
    check: @escaping (any BenchmarkStore, T) throws -> Void,
    restore: @escaping (any BenchmarkStore) throws -> Void = { _ in }
  ) {
    self.isRepeatable = isRepeatable
    run = { slot, latency in
      try prepare?(slot)
      let store = try slot.store
      let start = Stopwatch.now()
      let result = try work(store, latency)
      let seconds = Stopwatch.seconds(since: start)
      try check(store, result)
      try restore(store)
      return (seconds, operations)
    }
  }

  init(run: @escaping (StoreSlot, LatencyRecorder) throws -> Timing) {
    isRepeatable = false
    self.run = run
  }

  /// The work of a round: what changes nothing is done again until it has taken 10 ms in all, so that the clock and a
  /// single interruption do not weigh much.
  func round(_ slot: StoreSlot, _ latency: LatencyRecorder) throws -> Timing {
    var total = try run(slot, latency)
    guard isRepeatable, !latency.isOn else { return total }
    var times = 1
    while total.seconds < 0.01, times < 1000 {
      let timing = try run(slot, latency)
      total = (total.seconds + timing.seconds, total.operations + timing.operations)
      times += 1
    }
    return total
  }
}
