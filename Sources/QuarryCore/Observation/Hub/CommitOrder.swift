import QuarryBackend

/// Puts commits that end side by side into their order.
///
/// With many writers, a commit may return before another one that it follows. So a commit waits while an earlier one of this store
/// may still be under way: a commit that takes part says when it begins. What is missing after that was committed by another
/// connection.
struct CommitOrder<Commit> {
  private struct Waiting {
    var version: CommitVersion
    /// The state that it directly follows; nil if the engine does not say.
    var previous: CommitVersion?
    /// The last commit that had begun when this one was over: no later one can be before it.
    var last: UInt64
    var commit: Commit
  }

  private var last: UInt64 = 0
  /// Commits under way.
  private var open: Set<UInt64> = []
  /// In the order of their versions.
  private var waiting: [Waiting] = []

  /// Whether no commit is under way or waits.
  var isIdle: Bool { open.isEmpty && waiting.isEmpty }

  /// Begins a commit.
  ///
  /// - Returns: The argument for ``end(_:)``.
  mutating func begin() -> UInt64 {
    last += 1
    open.insert(last)
    return last
  }

  /// Ends a commit, which ``add(_:version:previous:)`` follows if it has succeeded.
  mutating func end(_ ticket: UInt64) {
    open.remove(ticket)
  }

  /// Adds a commit that is over.
  mutating func add(_ commit: Commit, version: CommitVersion, previous: CommitVersion?) {
    let place = waiting.firstIndex { version < $0.version } ?? waiting.endIndex
    waiting.insert(Waiting(version: version, previous: previous, last: last, commit: commit), at: place)
  }

  /// Takes the next commit, if nothing can come before it.
  ///
  /// - Parameter known: The version up to which commits are known; nil if none is. Commits up to it are dropped.
  mutating func next(after known: CommitVersion?) -> Commit? {
    while let first = waiting.first {
      if let known, first.version <= known {
        waiting.removeFirst()
        continue
      }
      if let known, let previous = first.previous, previous <= known { return waiting.removeFirst().commit }
      guard !open.contains(where: { $0 <= first.last }) else { return nil }
      return waiting.removeFirst().commit
    }
    return nil
  }

  /// Drops the commits that wait.
  mutating func clear() {
    waiting = []
  }
}
