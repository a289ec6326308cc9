#if Metrics
  public import Metrics
  public import QuarryBackend

  /// Counts and measures the events of a store by swift-metrics.
  ///
  /// ```swift
  /// var options = OpenOptions()
  /// options.reporters = [MetricReporter(dimensions: [("store", "library")])]
  /// ```
  ///
  /// | label | kind | dimension |
  /// |---|---|---|
  /// | `quarry_retries` | counter: transactions that run again after a conflict | `access` |
  /// | `quarry_conflicts` | counter: transactions that do not | `access` |
  /// | `quarry_waits` | timer | `for`: `turn`, `connection` |
  /// | `quarry_statements` | timer: trips to a server | `result`: `ok`, `error` |
  /// | `quarry_connects` | timer | `again`: whether a connection was lost before |
  /// | `quarry_connections_lost` | counter | |
  /// | `quarry_connections` | gauge | `state`: `used`, `idle`, `waiting`, `limit` |
  /// | `quarry_commits_resolved` | counter: commits whose connection was lost | `outcome` |
  /// | `quarry_snapshots` | timer: how long states were frozen | |
  ///
  /// No stored value is in any of them.
  public struct MetricReporter: StoreReporter {
    // The metrics live as long as the reporter: a backend may forget the value of one that is released.
    private let retries: [StoreEvent.Access: Counter]
    private let conflicts: [StoreEvent.Access: Counter]
    private let waits: [StoreEvent.Wait: Timer]
    private let (answers, failures): (Timer, Timer)
    private let (connects, reconnects): (Timer, Timer)
    private let losses: Counter
    private let (used, idle, waiting, limit): (Gauge, Gauge, Gauge, Gauge)
    private let commits: [StoreEvent.Outcome: Counter]
    private let snapshots: Timer

    /// Creates a reporter.
    ///
    /// - Parameters:
    ///   - dimensions: The dimensions that every metric gets: a name of the store, for example.
    ///   - factory: What makes the metrics; nil for that of the process.
    public init(dimensions: [(String, String)] = [], factory: (any MetricsFactory)? = nil) {
      let factory = factory ?? MetricsSystem.factory
      func counter(_ label: String, _ own: (String, String)...) -> Counter {
        Counter(label: label, dimensions: dimensions + own, factory: factory)
      }
      func timer(_ label: String, _ own: (String, String)...) -> Timer {
        Timer(label: label, dimensions: dimensions + own, factory: factory)
      }
      func gauge(_ state: String) -> Gauge {
        Gauge(label: "quarry_connections", dimensions: dimensions + [("state", state)], factory: factory)
      }
      func each<Kind: CaseIterable & Hashable, Metric>(_ make: (Kind) -> Metric) -> [Kind: Metric] {
        Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0, make($0)) })
      }
      retries = each { counter("quarry_retries", ("access", $0.rawValue)) }
      conflicts = each { counter("quarry_conflicts", ("access", $0.rawValue)) }
      waits = each { timer("quarry_waits", ("for", $0.rawValue)) }
      answers = timer("quarry_statements", ("result", "ok"))
      failures = timer("quarry_statements", ("result", "error"))
      connects = timer("quarry_connects", ("again", "false"))
      reconnects = timer("quarry_connects", ("again", "true"))
      losses = counter("quarry_connections_lost")
      (used, idle, waiting, limit) = (gauge("used"), gauge("idle"), gauge("waiting"), gauge("limit"))
      commits = each { counter("quarry_commits_resolved", ("outcome", $0.rawValue)) }
      snapshots = timer("quarry_snapshots")
    }

    public func report(_ event: StoreEvent) {
      switch event {
      case .retried(let access, _): retries[access]?.increment()
      case .gaveUp(let access, _): conflicts[access]?.increment()
      case .waited(let wait, let seconds): waits[wait]?.recordSeconds(seconds)
      case .answered(let answer): (answer.error == nil ? answers : failures).recordSeconds(answer.seconds)
      case .connected(let seconds, let isAgain): (isAgain ? reconnects : connects).recordSeconds(seconds)
      case .connectionLost: losses.increment()
      case .connections(let count):
        used.record(count.used)
        idle.record(count.idle)
        waiting.record(count.waiting)
        limit.record(count.limit)
      case .commitResolved(let outcome): commits[outcome]?.increment()
      case .snapshotEnded(let seconds): snapshots.recordSeconds(seconds)
      }
    }
  }
#endif
