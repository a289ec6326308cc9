import BenchmarkHarness
import QuarryBackend

/// What one engine did in one round.
struct DataRound {
  /// Rows that the store began with, and operations of the mix.
  var rows = 0
  var operations = 0
  var loadSeconds = 0.0
  var diskBytes: Int?
  var openSeconds: Double?
  var mixSeconds = 0.0
  /// Nanoseconds of each operation, by the kind's number. The time of a write is that of its transaction where each has its own.
  var durations = [[UInt64]](repeating: [], count: OperationKind.allCases.count)
  /// Nanoseconds of each of the user's queries, by its place among them.
  var ownDurations: [[UInt64]]
  /// Nanoseconds of transactions of several writes, from begin to commit.
  var transactions: [UInt64] = []
  /// What threads read beside the mix; nil where there were none.
  var reading: DataReaders.Figures?
  /// What stands for the answers to each kind of operation, by the kind's number.
  var answers = [AnswerDigest](repeating: AnswerDigest(), count: OperationKind.allCases.count)

  /// - Parameter ownQueries: The number of the user's queries.
  init(ownQueries: Int) {
    ownDurations = Array(repeating: [], count: ownQueries)
  }

  /// Loads the store, works on it, checks what is in it at the end, and removes it.
  ///
  /// - Parameters:
  ///   - pause: Is called now and then; it throws to end the round.
  ///   - opened: Is told what the open store declares of itself.
  static func run(
    _ plan: OperationPlan, _ planner: OperationPlanner, on store: DataStore, checksLoading: Bool,
    pause: () throws -> Void, opened: (BackendManifest) -> Void
  ) throws -> DataRound {
    defer { try? store.remove() }
    var round = DataRound(ownQueries: planner.queries.own.count)
    round.loadSeconds = try store.load(planner.loaded, pause)
    round.rows = planner.loaded.count
    round.operations = plan.operations
    opened(try store.manifest)
    if checksLoading { try check(store, planner.afterLoading, "after loading", pause) }
    if let place = planner.loaded.first, let reopened = try store.reopen(reading: place) {
      round.diskBytes = reopened.bytes
      round.openSeconds = reopened.seconds
    }
    if planner.readers > 0 {
      let readers = try DataReaders(planner, plan, store.reads)
      defer { readers.stop() }
      try readers.begin(pause)
      try round.work(plan, store) {
        try readers.throwFailure()
        try pause()
      }
      round.reading = try readers.end()
    } else {
      try round.work(plan, store, pause)
    }
    try check(store, (plan.finalState, plan.finalRows), "after the operations", pause)
    return round
  }

  private mutating func work(_ plan: OperationPlan, _ store: DataStore, _ pause: () throws -> Void) throws {
    for (index, step) in plan.steps.enumerated() {
      if index % 64 == 0 { try pause() }
      let start = Stopwatch.now()
      switch step {
      case .get(let key):
        try store.get(key, &answers[OperationKind.get.rawValue])
        durations[OperationKind.get.rawValue].append(Stopwatch.now() &- start)
      case .query(let kind, let query):
        try store.fetch(query, &answers[kind.rawValue])
        durations[kind.rawValue].append(Stopwatch.now() &- start)
      case .own(let place, let query):
        try store.fetch(query, &answers[OperationKind.own.rawValue])
        let duration = Stopwatch.now() &- start
        durations[OperationKind.own.rawValue].append(duration)
        ownDurations[place].append(duration)
      case .write(let changes):
        try write(changes, store)
        let duration = Stopwatch.now() &- start
        if changes.count == 1 {
          durations[changes[0].kind.rawValue].append(duration)
        } else {
          transactions.append(duration)
        }
      }
      mixSeconds += Double(Stopwatch.now() &- start) / 1e9
    }
  }

  private mutating func write(_ changes: [OperationPlan.Change], _ store: DataStore) throws {
    let transaction = try store.beginWrite()
    defer { transaction.end() }
    for change in changes {
      let start = Stopwatch.now()
      try store.make(change, transaction)
      if changes.count > 1 { durations[change.kind.rawValue].append(Stopwatch.now() &- start) }
    }
    _ = try transaction.commit()
  }

  private static func check(
    _ store: DataStore, _ expected: (state: UInt64, rows: Int), _ moment: String, _ pause: () throws -> Void
  ) throws {
    let found = try store.state(pause)
    guard found.rows == expected.rows else {
      throw WrongAnswer("there are \(found.rows) rows \(moment), and must be \(expected.rows)")
    }
    guard found.state == expected.state else { throw WrongAnswer("the rows \(moment) are not what they must be") }
  }
}
