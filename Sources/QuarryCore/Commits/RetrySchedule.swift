import QuarryBackend

/// The attempts of a transaction that conflicts with others, and the waits between them.
///
/// Writers that conflict and begin again at once would conflict again. The second attempt waits a random time up to 4 ms, and
/// each further one up to twice as long, up to 64 ms.
struct RetrySchedule {
  /// The greatest number of attempts, unless the caller gives another one.
  static let attempts = 20
  /// The attempt from which on the writers of a store that have conflicted write one after the other.
  static let firstInLine = 4
  private static let shortestWait = 0.004
  private static let longestWait = 0.064

  /// The number of the current attempt, from 1.
  private(set) var attempt = 1
  private let most: Int
  /// The end of the time that the transaction may take.
  let deadline: Deadline
  private let access: StoreEvent.Access
  private let reporter: (any StoreReporter)?

  /// - Parameters:
  ///   - retries: The greatest number of repetitions; nil for the default.
  ///   - access: What the transaction does, for the reporter.
  ///   - reporter: Receives each repetition, and their end.
  init(
    until deadline: Deadline, retries: Int? = nil, of access: StoreEvent.Access = .write,
    reporter: (any StoreReporter)? = nil
  ) {
    self.deadline = deadline
    self.access = access
    self.reporter = reporter
    most = retries.map { $0 > 0 ? ($0 == .max ? .max : $0 + 1) : 1 } ?? Self.attempts
  }

  var isInLine: Bool { attempt >= Self.firstInLine }

  /// The longest wait before an attempt, in seconds.
  static func longestWait(before attempt: Int) -> Double {
    min(longestWait, shortestWait * Double(1 << min(max(0, attempt - 2), 8)))
  }

  /// Begins the next attempt after a wait.
  ///
  /// - Returns: False when there is none, because there were enough or the time is over.
  mutating func next() -> Bool {
    guard attempt < most, !deadline.hasPassed else {
      reporter?.report(.gaveUp(access, attempts: attempt))
      return false
    }
    attempt += 1
    reporter?.report(.retried(access, attempt: attempt))
    let seconds = min(.random(in: 0...Self.longestWait(before: attempt)), deadline.secondsLeft)
    if seconds > 0 { _ = MonotonicSemaphore().wait(until: Deadline(after: seconds).instant) }
    return true
  }
}
