import QuarryBackend

/// Reads everything through a snapshot of the newest state.
///
/// Where as many snapshots are open as the backend may have, a read waits for the end of another one, as reads wait for threads.
final class SnapshotReadingBackend: BackendLayer, @unchecked Sendable {
  // Unchecked as its superclass is, and for the numbers, which are used under the lock of the condition.
  private let condition = MonotonicCondition()
  /// Reads that are open, and those that have ended.
  private var (open, ended) = (0, 0)

  override var readsRowsInTransactions: Bool { true }

  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    let snapshot = try newest()
    do throws(StorageError) {
      let transaction = try snapshot.beginRead()
      let hooks = EndHooks { [self] in
        snapshot.close()
        noteEnd()
      }
      return ReaderLayer(transaction, hooks)
    } catch {
      snapshot.close()
      noteEnd()
      throw error
    }
  }

  private func newest() throws(StorageError) -> any BackendSnapshot {
    while true {
      let before = condition.withLock {
        open += 1
        return ended
      }
      do throws(StorageError) {
        return try base.snapshot()
      } catch {
        let isFree = condition.withLock {
          open -= 1
          condition.broadcast()
          guard error.code == .limitExceeded else { return false }
          while ended == before, open > 0 { condition.wait() }
          return ended != before
        }
        guard isFree else { throw error }
      }
    }
  }

  private func noteEnd() {
    condition.withLock {
      open -= 1
      ended += 1
      condition.broadcast()
    }
  }
}
