#if Logging
  public import Logging
  public import QuarryBackend

  /// Writes the events of a store to a log of swift-log.
  ///
  /// ```swift
  /// var options = OpenOptions()
  /// options.reporters = [LogReporter(Logger(label: "library.store"), slowerThan: 0.1)]
  /// ```
  ///
  /// What needs attention is a `warning`, an unknown commit an `error`. Slow statements, long waits and new connections after a loss
  /// are a `notice`. All else is `debug`, and the count of connections `trace`. No stored value is in any of them.
  public struct LogReporter: StoreReporter {
    private let logger: Logger
    private let threshold: Double

    /// Creates a reporter.
    ///
    /// - Parameters:
    ///   - logger: The log. Its own level decides what is kept.
    ///   - seconds: From how many seconds on a statement or a wait is a `notice`. Quicker statements are left out.
    public init(_ logger: Logger, slowerThan seconds: Double = 0.25) {
      self.logger = logger
      threshold = seconds
    }

    public func report(_ event: StoreEvent) {
      switch event {
      case .retried(let access, let attempt):
        log(
          .debug, "a transaction conflicted and runs again", ["access": "\(access.rawValue)", "attempt": "\(attempt)"])
      case .gaveUp(let access, let attempts):
        log(
          .warning, "a transaction conflicted and does not run again",
          ["access": "\(access.rawValue)", "attempts": "\(attempts)"])
      case .waited(let wait, let seconds):
        log(
          seconds >= threshold ? .notice : .debug, "a call waited",
          ["for": "\(wait.rawValue)", "seconds": "\(seconds)"])
      case .answered(let answer):
        guard answer.seconds >= threshold else { return }
        var metadata: Logger.Metadata = [
          "statement": "\(answer.statement)", "seconds": "\(answer.seconds)", "rows": "\(answer.rows)",
        ]
        if let error = answer.error { metadata["error"] = "\(error)" }
        log(.notice, "a statement was slow", metadata)
      case .connected(let seconds, let isAgain):
        log(
          isAgain ? .notice : .debug, isAgain ? "connected again to the server" : "connected to the server",
          ["seconds": "\(seconds)"])
      case .connectionLost:
        log(.warning, "a connection to the server was lost", [:])
      case .connections(let count):
        log(
          .trace, "connections",
          [
            "used": "\(count.used)", "idle": "\(count.idle)", "waiting": "\(count.waiting)", "limit": "\(count.limit)",
          ])
      case .commitResolved(let outcome):
        log(
          outcome == .unknown ? .error : .notice, "a connection was lost during a commit",
          ["outcome": "\(outcome.rawValue)"])
      case .snapshotEnded(let seconds):
        log(.debug, "a frozen store was closed", ["seconds": "\(seconds)"])
      }
    }

    /// - Parameter metadata: By names without the prefix that all of them get.
    private func log(_ level: Logger.Level, _ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata) {
      guard logger.logLevel <= level else { return }
      let named = metadata().map { ("quarry.\($0.key)", $0.value) }
      logger.log(level: level, message, metadata: Logger.Metadata(uniqueKeysWithValues: named))
    }
  }
#endif
