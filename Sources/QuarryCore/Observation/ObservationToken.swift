import QuarryBackend
public import QuarryQuery
import Synchronization

/// What ends an observation: see ``Store/observe(_:onError:_:)``. One that is let go ends it, too.
public final class ObservationToken: Sendable {
  private let observer: QueryObserver
  private let delivery: any Delivery

  init(_ observer: QueryObserver, _ delivery: any Delivery) {
    self.observer = observer
    self.delivery = delivery
  }

  deinit {
    cancel()
  }

  /// Ends the observation: the closure is not called any more. A call of it that has begun on another thread goes on to its
  /// end. A second call does nothing.
  public func cancel() {
    delivery.cancel()
    observer.cancel()
  }

  /// By what a write names who is not told of it.
  var feed: Int { observer.feedNumber }
}

/// Calls a closure with changes.
protocol Delivery: AnyObject, Sendable {
  func cancel()
}

/// Calls a closure with the changes of one query, one after the other, on a thread that it has for that time.
final class CallbackDelivery<Object: Sendable>: Delivery {
  private struct State {
    var reader: ChangeReader<Object>?
    var isCancelled = false
    var isRunning = false
    /// Whether there may be more than what is being looked at.
    var hasMore = false
  }

  private let state = Mutex(State())
  private let body: @Sendable (QueryChange<Object>) throws -> Void
  private let onError: @Sendable (any Error) -> Void

  init(
    _ body: @escaping @Sendable (QueryChange<Object>) throws -> Void, _ onError: @escaping @Sendable (any Error) -> Void
  ) {
    self.body = body
    self.onError = onError
  }

  /// Begins with what the reader has.
  func begin(_ reader: ChangeReader<Object>) {
    state.withLock { $0.reader = reader }
    schedule()
  }

  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      state.reader = nil
    }
  }

  /// Sees to it that the closure is called with what there is, on another thread.
  func schedule() {
    let starts = state.withLock { state in
      guard state.reader != nil else { return false }
      state.hasMore = true
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if starts { CallbackThreads.shared.run { self.deliver() } }
  }

  private func deliver() {
    while true {
      let reader = state.withLock { state -> ChangeReader<Object>? in
        guard state.hasMore, let reader = state.reader else {
          state.isRunning = false
          return nil
        }
        state.hasMore = false
        return reader
      }
      guard let reader else { return }
      if let failure = deliver(reader) {
        let wasCancelled = state.withLock { $0.isCancelled }
        cancel()
        reader.observer.cancel()
        if !wasCancelled { onError(failure) }
      }
    }
  }

  /// - Returns: Why there is nothing more to deliver.
  private func deliver(_ reader: ChangeReader<Object>) -> (any Error)? {
    while true {
      switch reader.next(reads: true) {
      case .nothing, .needsRead: return nil
      case .ended(let failure): return failure
      case .change(let change):
        guard !state.withLock({ $0.isCancelled }) else { return nil }
        do {
          try body(change)
        } catch {
          return error
        }
      }
    }
  }
}

/// The threads on which closures are called: more than one, because a closure may wait for anything.
enum CallbackThreads {
  static let shared = TransactionThreads(name: "quarry.observer", limit: 256)
  /// Tasks that prefer to run there.
  static let executor = Executor()

  final class Executor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      shared.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}

extension Store {
  /// Calls a closure with the objects of a query, and then with the change of each commit that changes them, as
  /// ``changes(of:)-(Query<M>)`` gives them: one call after the other, in the order of commits, on a thread of its own. The
  /// closure may write to the store: what it writes is told of after the call. It may cancel its token.
  ///
  /// - Parameters:
  ///   - onError: Is called once when the observation has ended by an error: one that the closure has thrown, or why the
  ///     query cannot be read any more. Not when it is cancelled, or the store closed.
  ///   - body: Is called with each change, and first with the objects as they are.
  /// - Returns: What ends the observation, when it is cancelled or let go.
  /// - Throws: What fetching the query throws; `closed`.
  public func observe<M: Model>(
    _ query: Query<M>, onError: @escaping @Sendable (any Error) -> Void = { _ in },
    _ body: @escaping @Sendable (QueryChange<M>) throws -> Void
  ) throws -> ObservationToken {
    try observe(onError, body) { try objectChanges(query, nil, whenFilled: $0) }
  }

  /// Calls a closure with the changes of some columns of a query's objects.
  public func observe<M: Model, V: Storable, each W: Storable>(
    _ query: Query<M>, keyPaths first: KeyPath<M.Columns, Column<V>>,
    _ others: repeat KeyPath<M.Columns, Column<each W>>, onError: @escaping @Sendable (any Error) -> Void = { _ in },
    _ body: @escaping @Sendable (QueryChange<M>) throws -> Void
  ) throws -> ObservationToken {
    let names = M.names(of: first, repeat each others)
    return try observe(onError, body) { try objectChanges(query, names, whenFilled: $0) }
  }

  /// Calls a closure with the object of that primary key, and then with each change of it.
  public func observe<M: Model>(
    _ type: M.Type, _ key: M.PrimaryKey, onError: @escaping @Sendable (any Error) -> Void = { _ in },
    _ body: @escaping @Sendable (ObjectChange<M>) throws -> Void
  ) throws -> ObservationToken {
    let taken: @Sendable (QueryChange<M>) throws -> Void = { change in
      if let change = ObjectChange(change) { try body(change) }
    }
    return try observe(onError, taken) { try objectChanges(M.self, key, nil, whenFilled: $0) }
  }

  /// Calls a closure with the objects of a query by names, as records, and then with each change of them.
  public func observe(
    _ query: QueryTree, onError: @escaping @Sendable (any Error) -> Void = { _ in },
    _ body: @escaping @Sendable (QueryChange<Record>) throws -> Void
  ) throws -> ObservationToken {
    try observe(onError, body) { try recordChanges(query, whenFilled: $0) }
  }

  private func observe<Object: Sendable>(
    _ onError: @escaping @Sendable (any Error) -> Void,
    _ body: @escaping @Sendable (QueryChange<Object>) throws -> Void,
    _ begin: (@escaping @Sendable () -> Void) throws -> ChangeReader<Object>
  ) throws -> ObservationToken {
    let delivery = CallbackDelivery(body, onError)
    let reader = try begin { [weak delivery] in delivery?.schedule() }
    delivery.begin(reader)
    return ObservationToken(reader.observer, delivery)
  }

  /// Writes, and does not tell of it those whose tokens are named: their lists take the change without a word, as who has
  /// made the change there already wants it. See ``write(timeout:alone:_:)-swift.method``.
  ///
  /// One that is more than 64 commits behind may be told of it with the rest.
  ///
  /// - Throws: `reentrant` inside a transaction of this store: a commit is told of as a whole.
  @discardableResult
  public func write<R>(
    withoutNotifying tokens: [ObservationToken], timeout: Double? = nil, _ body: (WriteTransaction) throws -> R
  ) throws -> R {
    try checkOpen()
    if try joined() != nil {
      throw StorageError(.reentrant, "a write of which somebody is not told, inside a transaction of the same store")
    }
    try checkWritable()
    let muted = Set(tokens.map(\.feed))
    return try write(timeout ?? busyTimeout, WriteMode(muted: muted), body)
  }

  /// Writes, on a thread of its own, and does not tell of it those whose tokens are named.
  @discardableResult
  public func write<R>(
    withoutNotifying tokens: [ObservationToken], timeout: Double? = nil,
    _ body: sending @escaping (WriteTransaction) throws -> sending R
  ) async throws -> sending R {
    try await queuedWrite(Handover(body), timeout, WriteMode(muted: Set(tokens.map(\.feed)))).value
  }
}
