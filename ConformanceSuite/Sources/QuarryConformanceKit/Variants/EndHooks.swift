public import QuarryBackend

/// Hooks that change nothing and report the end of their transaction once, in whichever way it ends.
public final class EndHooks: TransactionHooks {
  private let onEnd: () -> Void
  private var hasEnded = false

  /// Creates hooks that call the closure once.
  ///
  /// - Parameter onEnd: Is called when the transaction was ended, committed, rolled back or dropped.
  public init(onEnd: @escaping () -> Void) {
    self.onEnd = onEnd
  }

  deinit { ended() }

  private func ended() {
    guard !hasEnded else { return }
    hasEnded = true
    onEnd()
  }

  public func end(_ base: Reader) {
    base.end()
    ended()
  }

  public func commit(_ base: Writer) throws(StorageError) -> CommitResult {
    defer { ended() }
    return try base.commit()
  }

  public func rollback(_ base: Writer) {
    base.rollback()
    ended()
  }
}
