#if HTTP
  import AsyncHTTPClient
  public import Foundation
  import QuarryBackend
  public import QuarryCore
  import QuarrySync
  public import ServiceLifecycle
  import Synchronization

  /// Keeps a store in step with one that is served over HTTP: its own changes go at once, and those of others come when they
  /// are made.
  ///
  /// ```swift
  /// let runner = try SyncRunner(store, with: .http("https://notes.example.org/sync", token: token))
  /// try await runner.run()
  /// ```
  ///
  /// Without a network it tries again, after pauses that grow to five minutes. The store can be used meanwhile.
  public final class SyncRunner: Service, Sendable {
    /// The state of a runner as a value.
    public struct Status: Sendable, Hashable {
      /// What a runner does.
      public enum Phase: String, Sendable, Hashable {
        /// It does not run.
        case stopped
        /// It exchanges changes.
        case exchanging
        /// It waits for changes.
        case waiting
        /// It waits for the next try after a problem.
        case pausing
      }

      /// What the runner does.
      public var phase = Phase.stopped
      /// The number of this store's entries that the server did not have when they were last compared.
      public var pending = 0
      /// When both last knew the same; nil until then.
      public var lastAgreed: Date?
      /// What keeps the stores from exchanging changes; nil where nothing does.
      public var problem: SyncProblem?
      /// When it tries again after a problem.
      public var nextTry: Date?
    }

    private struct State {
      var status = Status()
      var isRunning = false
      var listeners: [Int: AsyncStream<Status>.Continuation] = [:]
      var next = 0
    }

    /// The times that one listens before a whole exchange.
    private static let mostNews = 100
    private static let mostListening = Duration.seconds(600)

    private let store: Store
    private let sync: StoreSync
    private let remote: SyncRemote
    private let wait: Duration
    private let longestPause: Duration
    private let state = Mutex(State())

    /// A runner for a store.
    ///
    /// - Parameters:
    ///   - store: The store, for which `enableSync` was called.
    ///   - remote: The served store.
    ///   - wait: How long one request waits at the server for changes; the server may wait less.
    ///   - longestPause: The longest pause between two tries without a connection.
    /// - Throws: `notFound` for a store that is not synced.
    public init(
      _ store: Store, with remote: SyncRemote, wait: Duration = .seconds(25), longestPause: Duration = .seconds(300)
    ) throws {
      guard let sync = store.sync else { throw StorageError.notSynced }
      self.store = store
      self.sync = sync
      self.remote = remote
      self.wait = wait
      self.longestPause = longestPause
    }

    /// The state now.
    public var status: Status { state.withLock { $0.status } }

    /// The state now, and each later one. A slow consumer misses states, but not the last.
    public func statuses() -> AsyncStream<Status> {
      let (stream, continuation) = AsyncStream.makeStream(of: Status.self, bufferingPolicy: .bufferingNewest(1))
      state.withLock { state in
        state.next += 1
        let number = state.next
        state.listeners[number] = continuation
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.listeners[number] = nil } }
        continuation.yield(state.status)
      }
      return stream
    }

    /// Exchanges changes until the task is cancelled or shuts down.
    ///
    /// - Throws: `closed` when the store was closed; `reentrant` when it runs already.
    public func run() async throws {
      let begins = state.withLock { state in
        defer { state.isRunning = true }
        return !state.isRunning
      }
      guard begins else { throw StorageError(.reentrant, "the runner runs already") }
      defer {
        state.withLock { $0.isRunning = false }
        change { $0.phase = .stopped }
      }
      do {
        try await cancelWhenGracefulShutdown { [self] in
          try await HTTPClient.withHTTPClient(configuration: remote.configuration()) { client in
            try await loop(RemoteExchange(sync: sync, wire: HTTPWire(client: client, remote: remote, attempts: 1)))
          }
        }
      } catch is CancellationError {
        return
      }
    }

    private func loop(_ exchange: RemoteExchange) async throws {
      var failures = 0
      while true {
        try Task.checkCancellation()
        do {
          change {
            $0.phase = .exchanging
            $0.nextTry = nil
          }
          let outcome = try await exchange.run()
          try await note(outcome)
          if outcome.agrees { failures = 0 }
          guard outcome.problem == nil, outcome.agrees || outcome.rounds > 1 else {
            failures += 1
            try await pause(failures)
            continue
          }
          change { $0.phase = .waiting }
          try await waits(exchange, outcome.theirs)
        } catch let error as StorageError where error.code == .closed {
          throw error
        } catch {
          try Task.checkCancellation()
          failures += 1
          let known = error as? SyncProblem ?? (error as? StorageError).flatMap { SyncProblem($0) }
          let problem = known ?? SyncProblem(ofStore: error)
          change { $0.problem = problem }
          try await notePending(nil)
          try await pause(failures)
        }
      }
    }

    private func note(_ outcome: RemoteExchange.Outcome) async throws {
      try await notePending(outcome.theirs)
      change {
        $0.problem = outcome.problem
        if outcome.agrees { $0.lastAgreed = Date() }
      }
    }

    private func notePending(_ theirs: SyncHello?) async throws {
      let pending = try await Store.onThread { [sync] in
        try theirs.map { try sync.pending(for: $0.knowledge) } ?? sync.status().pending
      }
      change { $0.pending = pending }
    }

    private func pause(_ failures: Int) async throws {
      let time = Backoff.pause(failures, longest: longestPause)
      let parts = time.components
      change {
        $0.phase = .pausing
        $0.nextTry = Date() + (Double(parts.seconds) + Double(parts.attoseconds) / 1e18)
      }
      try await Task.sleep(for: time)
    }

    /// Takes what the server gets and sends what this store gets, until something needs a whole exchange.
    private func waits(_ exchange: RemoteExchange, _ theirs: SyncHello) async throws {
      let server = KnownServer(theirs.knowledge)
      try await withThrowingTaskGroup(of: Void.self) { group in
        defer { group.cancelAll() }
        group.addTask { [self] in try await listen(exchange, server) }
        group.addTask { [self] in try await speak(exchange, server) }
        try await group.next()
      }
    }

    /// Waits at the server, again and again. Ends where what came could not be taken, and from time to time, so that the log is
    /// trimmed.
    private func listen(_ exchange: RemoteExchange, _ server: KnownServer) async throws {
      let seconds = max(1, Int(wait.components.seconds))
      let end = ContinuousClock.now + Self.mostListening
      var taken = 0
      while taken < Self.mostNews, ContinuousClock.now < end {
        let news = try await exchange.poll(seconds: seconds)
        if let news {
          guard news.hasMoved else { return }
          server.note(news.vector)
          taken += 1
        }
        guard news?.isComplete ?? true else { continue }
        if try await Store.onThread({ [sync] in try !sync.hasNews(for: server.knowledge) }) {
          change { $0.lastAgreed = Date() }
        }
      }
    }

    /// Sends the store's own changes, while the other task waits at the server.
    private func speak(_ exchange: RemoteExchange, _ server: KnownServer) async throws {
      // Observed before the store is looked at: no commit is missed in between.
      var commits = store.commits().makeAsyncIterator()
      while true {
        while try await !Store.onThread({ [sync] in try sync.hasNews(for: server.knowledge) }) {
          guard try await commits.next() != nil else {
            try Task.checkCancellation()
            throw StorageError(.closed, "the store was closed")
          }
        }
        change { $0.phase = .exchanging }
        let outcome = try await exchange.run()
        try await note(outcome)
        guard outcome.agrees else { return }
        server.set(outcome.theirs.knowledge)
        change { $0.phase = .waiting }
      }
    }

    private func change(_ body: (inout Status) -> Void) {
      state.withLock { state in
        let before = state.status
        body(&state.status)
        guard state.status != before else { return }
        for listener in state.listeners.values { listener.yield(state.status) }
      }
    }
  }

  /// What a runner knows of its server.
  private final class KnownServer: Sendable {
    private let state: Mutex<Knowledge>

    init(_ knowledge: Knowledge) { state = Mutex(knowledge) }

    var knowledge: Knowledge { state.withLock { $0 } }

    func set(_ knowledge: Knowledge) { state.withLock { $0 = knowledge } }

    func note(_ vector: VersionVector) {
      state.withLock { $0.vector.merge(vector) { $0.hlc > $1.hlc ? $0 : $1 } }
    }
  }
#endif
