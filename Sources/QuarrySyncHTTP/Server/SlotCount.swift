#if HTTP
  import Synchronization

  /// Counts what happens at once, up to a limit.
  final class SlotCount: Sendable {
    private let used = Mutex(0)
    private let most: Int

    init(_ most: Int) { self.most = most }

    func take() -> Bool {
      used.withLock { used in
        guard used < most else { return false }
        used += 1
        return true
      }
    }

    /// Takes a place, and waits a while for one: many who are woken at once get theirs one after another.
    func take(within time: Duration) async throws -> Bool {
      let end = ContinuousClock.now + time
      while !take() {
        guard ContinuousClock.now < end else { return false }
        try await Task.sleep(for: .milliseconds(.random(in: 5...25)))
      }
      return true
    }

    func giveBack() { used.withLock { $0 -= 1 } }
  }
#endif
