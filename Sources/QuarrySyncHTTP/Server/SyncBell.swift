#if HTTP
  import QuarryCore
  import Synchronization

  /// Wakes those who wait for a change of a store. The store is observed once, and only while somebody waits.
  final class SyncBell: Sendable {
    private struct State {
      var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
      var next = 0
      var watch: Task<Void, Never>?
    }

    private let store: Store
    private let state = Mutex(State())

    init(_ store: Store) { self.store = store }

    /// Wakes everybody.
    func ring() {
      for waiter in state.withLock({ Array($0.waiting.values) }) { waiter.yield() }
    }

    /// Rings of the bell from now on.
    func rings() -> SyncRings {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let number = state.withLock { state in
        state.next += 1
        state.waiting[state.next] = continuation
        if state.watch == nil { state.watch = watching() }
        return state.next
      }
      continuation.onTermination = { [weak self] _ in self?.leave(number) }
      return SyncRings(stream: stream, end: { continuation.finish() })
    }

    private func leave(_ number: Int) {
      state.withLock { state in
        state.waiting[number] = nil
        guard state.waiting.isEmpty else { return }
        state.watch?.cancel()
        state.watch = nil
      }
    }

    private func watching() -> Task<Void, Never> {
      let store = store
      return Task { [weak self] in
        while !Task.isCancelled {
          var commits = store.commits().makeAsyncIterator()
          // Those who came before the observation began look again.
          self?.ring()
          do {
            while try await commits.next() != nil { self?.ring() }
            // The store was closed.
            return
          } catch {
            // A store that cannot be read now is observed again later.
            try? await Task.sleep(for: .seconds(1))
          }
        }
      }
    }
  }

  /// The rings that one waiting request receives.
  struct SyncRings: Sendable {
    let stream: AsyncStream<Void>
    let end: @Sendable () -> Void
  }
#endif
