import Foundation
import Logging
import Metrics
import MetricsTestKit
import QuarryBackend
import QuarryCore
import QuarryLogging
import QuarryMemory
import QuarryMetrics
import Synchronization
import Testing

/// Events of stores in swift-log and swift-metrics.
@Suite struct ReportingTests {
  private static let slow = StoreEvent.Answer(statement: "SELECT 1", seconds: 0.5, rows: 3)
  private static let failed = StoreEvent.Answer(statement: "COMMIT", seconds: 0.7, error: .conflict)
  private static let count = StoreEvent.Connections(used: 3, idle: 2, waiting: 1, limit: 64)

  // MARK: Logs

  @Test(arguments: [
    (StoreEvent.retried(.write, attempt: 2), Logger.Level?.some(.debug), ["access": "write", "attempt": "2"]),
    (.gaveUp(.read, attempts: 20), .warning, ["access": "read", "attempts": "20"]),
    (.waited(.turn, seconds: 0.1), .debug, ["for": "turn", "seconds": "0.1"]),
    (.waited(.connection, seconds: 0.25), .notice, ["for": "connection", "seconds": "0.25"]),
    (.answered(slow), .notice, ["statement": "SELECT 1", "seconds": "0.5", "rows": "3"]),
    (.answered(failed), .notice, ["statement": "COMMIT", "seconds": "0.7", "rows": "0", "error": "conflict"]),
    (.answered(.init(statement: "SELECT 1", seconds: 0.2)), nil, [:]),
    (.connected(seconds: 0.1, isAgain: false), .debug, ["seconds": "0.1"]),
    (.connected(seconds: 0.1, isAgain: true), .notice, ["seconds": "0.1"]),
    (.connectionLost, .warning, [:]),
    (.connections(count), .trace, ["used": "3", "idle": "2", "waiting": "1", "limit": "64"]),
    (.commitResolved(.committed), .notice, ["outcome": "committed"]),
    (.commitResolved(.unknown), .error, ["outcome": "unknown"]),
    (.snapshotEnded(seconds: 9), .debug, ["seconds": "9.0"]),
  ])
  func anEventIsLogged(_ event: StoreEvent, _ level: Logger.Level?, _ metadata: [String: String]) {
    let lines = Lines()
    LogReporter(lines.logger(.trace)).report(event)
    let found = lines.take()
    #expect(found.map(\.level) == (level.map { [$0] } ?? []))
    let named = metadata.map { ("quarry.\($0.key)", $0.value) }
    #expect(found.first?.metadata ?? [:] == Dictionary(uniqueKeysWithValues: named))
  }

  @Test func theThresholdIsTheCallers() {
    let lines = Lines()
    let reporter = LogReporter(lines.logger(.notice), slowerThan: 0.01)
    reporter.report(.answered(.init(statement: "SELECT 1", seconds: 0.02)))
    reporter.report(.waited(.turn, seconds: 0.001))
    #expect(lines.take().map(\.level) == [.notice])
  }

  @Test func aStoreLogsItsWaits() throws {
    let lines = Lines()
    var options = OpenOptions()
    options.reporters = [LogReporter(lines.logger(.trace))]
    let store = try Store(opening: .memory, options: options)
    let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      try? store.write { _ in
        begun.signal()
        Thread.sleep(forTimeInterval: 0.2)
      }
      ended.signal()
    }
    begun.wait()
    #expect(throws: StorageError.self) { try store.write(timeout: 0.01) { _ in } }
    ended.wait()
    #expect(lines.take().contains { $0.metadata["quarry.for"] == "turn" })
    try store.close()
  }

  // MARK: Metrics

  @Test func eventsAreCountedAndMeasured() throws {
    let metrics = TestMetrics()
    let reporter = MetricReporter(dimensions: [("store", "library")], factory: metrics)
    let events: [StoreEvent] = [
      .retried(.write, attempt: 2), .retried(.write, attempt: 3), .retried(.read, attempt: 2),
      .gaveUp(.write, attempts: 20), .waited(.connection, seconds: 0.5), .answered(Self.slow), .answered(Self.failed),
      .connected(seconds: 0.1, isAgain: false), .connected(seconds: 0.2, isAgain: true), .connectionLost,
      .connections(Self.count), .commitResolved(.undone), .snapshotEnded(seconds: 2),
    ]
    for event in events { reporter.report(event) }
    func own(_ dimension: (String, String)...) -> [(String, String)] { [("store", "library")] + dimension }
    #expect(try metrics.expectCounter("quarry_retries", own(("access", "write"))).totalValue == 2)
    #expect(try metrics.expectCounter("quarry_retries", own(("access", "read"))).totalValue == 1)
    #expect(try metrics.expectCounter("quarry_conflicts", own(("access", "write"))).totalValue == 1)
    #expect(try metrics.expectCounter("quarry_connections_lost", own()).totalValue == 1)
    #expect(try metrics.expectCounter("quarry_commits_resolved", own(("outcome", "undone"))).totalValue == 1)
    let timers: [(String, [(String, String)], [Int64])] = [
      ("quarry_waits", own(("for", "connection")), [500_000_000]),
      ("quarry_statements", own(("result", "ok")), [500_000_000]),
      ("quarry_statements", own(("result", "error")), [700_000_000]),
      ("quarry_connects", own(("again", "false")), [100_000_000]),
      ("quarry_connects", own(("again", "true")), [200_000_000]), ("quarry_snapshots", own(), [2_000_000_000]),
    ]
    for (label, dimensions, values) in timers {
      #expect(try metrics.expectTimer(label, dimensions).values == values)
    }
    for (state, value) in [("used", 3.0), ("idle", 2), ("waiting", 1), ("limit", 64)] {
      #expect(try metrics.expectGauge("quarry_connections", own(("state", state))).lastValue == value)
    }
  }
}

/// The lines of a log.
private final class Lines: Sendable {
  struct Line: Sendable {
    let level: Logger.Level
    let metadata: [String: String]
  }

  private let lines = Mutex<[Line]>([])

  func logger(_ level: Logger.Level) -> Logger {
    var logger = Logger(label: "test") { _ in Handler(lines: self) }
    logger.logLevel = level
    return logger
  }

  func take() -> [Line] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }

  private struct Handler: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let line = Line(level: event.level, metadata: (event.metadata ?? [:]).mapValues { "\($0)" })
      lines.lines.withLock { $0.append(line) }
    }
  }
}
