import Dispatch
import QuarryBackend
public import QuarryQuery
import Synchronization

/// A token that ends an observation: see ``Store/observe(_:deliverOn:onError:_:)``. Releasing the token
/// ends the observation, too.
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

  /// Ends the observation: the closure is not called any more. A second call does nothing.
  ///
  /// A call of the closure that has begun on another thread runs to completion.
  public func cancel() {
    delivery.cancel()
    observer.cancel()
  }

  /// The number by which a write excludes this observer from its notifications.
  var feed: Int { observer.feedNumber }
}

/// Where the closures of an observation are called.
public enum ObservationPlace: Sendable, Hashable {
  /// On a thread that the closure has for that time.
  case ownThread
  /// On the main queue, where the main actor runs. The program must be serving it. The next commit waits until the closure
  /// returns.
  case main

  func run(_ body: () throws -> Void) rethrows {
    switch self {
    case .ownThread: try body()
    // The caller has a thread of its own, and nothing waits for it.
    case .main: try DispatchQueue.main.sync(execute: body)
    }
  }
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
    /// Whether there may be more than the changes being delivered.
    var hasMore = false
  }

  private let state = Mutex(State())
  private let body: @Sendable (QueryChange<Object>) throws -> Void
  private let onError: @Sendable (any Error) -> Void
  private let place: ObservationPlace

  init(
    _ place: ObservationPlace, _ body: @escaping @Sendable (QueryChange<Object>) throws -> Void,
    _ onError: @escaping @Sendable (any Error) -> Void
  ) {
    self.place = place
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

  /// Arranges that the closure is called with the available changes, on another thread.
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
        if !wasCancelled { place.run { onError(failure) } }
      }
    }
  }

  /// - Returns: The reason why there is nothing more to deliver.
  private func deliver(_ reader: ChangeReader<Object>) -> (any Error)? {
    while true {
      switch reader.next(reads: true) {
      case .nothing, .needsRead: return nil
      case .ended(let failure): return failure
      case .change(let change):
        do {
          // Looked at where the closure runs: a token that is cancelled there calls it no more.
          try place.run { if !state.withLock({ $0.isCancelled }) { try body(change) } }
        } catch {
          return error
        }
      }
    }
  }
}

/// The threads on which closures are called: more than one, because a closure may wait for anything.
package enum CallbackThreads {
  static let shared = TransactionThreads(name: "quarry.observer", limit: 256)
  /// Tasks that prefer to run there.
  package static let executor = Executor()

  package final class Executor: TaskExecutor {
    package func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      shared.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}

extension Store {
  /// Calls a closure with the objects of a selection, and then with the change of each commit that changes them.
  ///
  /// The changes are the same as in ``changes(of:)-(Query<M>)``. Calls follow each other in the order of commits, on a thread of
  /// their own. The closure may write to the store: it receives its own changes after the call. It may cancel its token.
  ///
  /// - Parameters:
  ///   - selection: A query, the ``Many`` of an object, or its ``Links``.
  ///   - place: Where the closures are called: on a thread of their own, or on the main queue.
  ///   - onError: Called once when the observation has ended by an error: an error of the closure, or the reason why the query
  ///     cannot be read any more. Not called when the observation is cancelled, or the store closed.
  ///   - body: Called with each change, and first with the current objects.
  /// - Returns: A token that ends the observation, when it is cancelled or released.
  /// - Throws: The errors of fetching the query; `closed`.
  public func observe<M: Model>(
    _ selection: some Selection<M>, deliverOn place: ObservationPlace = .ownThread,
    onError: @escaping @Sendable (any Error) -> Void = { _ in },
    _ body: @escaping @Sendable (QueryChange<M>) throws -> Void
  ) throws -> ObservationToken {
    try observe(place, onError, body) { try objectChanges(selection, nil, whenFilled: $0) }
  }

  /// Calls a closure with the changes of some columns of a selection's objects.
  ///
  /// - Parameters:
  ///   - selection: A query, the ``Many`` of an object, or its ``Links``.
  ///   - first: A column whose changes count.
  ///   - others: Further such columns.
  /// - Throws: As ``observe(_:deliverOn:onError:_:)``.
  public func observe<M: Model, V: Storable, each W: Storable>(
    _ selection: some Selection<M>, keyPaths first: KeyPath<M.Columns, Column<V>>,
    _ others: repeat KeyPath<M.Columns, Column<each W>>, deliverOn place: ObservationPlace = .ownThread,
    onError: @escaping @Sendable (any Error) -> Void = { _ in },
    _ body: @escaping @Sendable (QueryChange<M>) throws -> Void
  ) throws -> ObservationToken {
    let names = M.names(of: first, repeat each others)
    return try observe(place, onError, body) { try objectChanges(selection, names, whenFilled: $0) }
  }

  /// Calls a closure with the object of that primary key, and then with each change of it.
  ///
  /// - Parameters:
  ///   - type: The model of the object.
  ///   - key: Its primary key, whether such an object exists or not.
  /// - Throws: As ``observe(_:deliverOn:onError:_:)``.
  public func observe<M: Model>(
    _ type: M.Type, _ key: M.PrimaryKey, deliverOn place: ObservationPlace = .ownThread,
    onError: @escaping @Sendable (any Error) -> Void = { _ in },
    _ body: @escaping @Sendable (ObjectChange<M>) throws -> Void
  ) throws -> ObservationToken {
    let taken: @Sendable (QueryChange<M>) throws -> Void = { change in
      if let change = ObjectChange(change) { try body(change) }
    }
    return try observe(place, onError, taken) { try objectChanges(M.self, key, nil, whenFilled: $0) }
  }

  /// Calls a closure with the objects of a query by names, as records, and then with each change of them.
  ///
  /// - Parameter query: The objects, by the name of their model.
  /// - Throws: As ``observe(_:deliverOn:onError:_:)``; `invalidQuery` for an unknown name.
  public func observe(
    _ query: QueryTree, deliverOn place: ObservationPlace = .ownThread,
    onError: @escaping @Sendable (any Error) -> Void = { _ in },
    _ body: @escaping @Sendable (QueryChange<Record>) throws -> Void
  ) throws -> ObservationToken {
    try observe(place, onError, body) { try recordChanges(query, whenFilled: $0) }
  }

  private func observe<Object: Sendable>(
    _ place: ObservationPlace, _ onError: @escaping @Sendable (any Error) -> Void,
    _ body: @escaping @Sendable (QueryChange<Object>) throws -> Void,
    _ begin: (@escaping @Sendable () -> Void) throws -> ChangeReader<Object>
  ) throws -> ObservationToken {
    let delivery = CallbackDelivery(place, body, onError)
    let reader = try begin { [weak delivery] in delivery?.schedule() }
    delivery.begin(reader)
    return ObservationToken(reader.observer, delivery)
  }

  /// Writes without notifying the observers of the given tokens. See ``write(author:retry:timeout:alone:_:)-swift.method``.
  ///
  /// Their lists take the change without a notification, for a caller that has already made the change there. An observer that is
  /// more than 64 commits behind may receive the change with the others.
  ///
  /// - Parameters:
  ///   - tokens: The tokens of the observers that already have the change.
  ///   - timeout: Seconds to wait for other writers; the store's own when nil.
  ///   - body: Writes in the given transaction.
  /// - Returns: The result of the body.
  /// - Throws: `reentrant` inside a transaction of this store: observers are notified of a commit as a whole. Otherwise as
  ///   ``write(author:retry:timeout:alone:_:)-swift.method``.
  @discardableResult
  public func write<R>(
    withoutNotifying tokens: [ObservationToken], timeout: Double? = nil, _ body: (WriteTransaction) throws -> R
  ) throws -> R {
    try checkOpen()
    if try currentTransaction() != nil {
      throw StorageError(.reentrant, "write(withoutNotifying:) inside a transaction of the same store")
    }
    try checkWritable()
    let muted = Set(tokens.map(\.feed))
    return try write(timeout ?? busyTimeout, WriteMode(muted: muted), body)
  }

  /// Writes, on a thread of its own, without notifying the observers of the given tokens.
  ///
  /// - Parameters:
  ///   - tokens: The tokens of the observers that already have the change.
  ///   - timeout: Seconds to wait for other writers; the store's own when nil.
  ///   - body: Writes in the given transaction, on the thread that runs it.
  /// - Returns: The result of the body.
  /// - Throws: As ``write(author:retry:timeout:alone:_:)-swift.method``; `CancellationError` when the task was cancelled before
  ///   the write began.
  @discardableResult
  public func write<R>(
    withoutNotifying tokens: [ObservationToken], timeout: Double? = nil,
    _ body: sending @escaping (WriteTransaction) throws -> sending R
  ) async throws -> sending R {
    try await queuedWrite(TransferBox(body), timeout, WriteMode(muted: Set(tokens.map(\.feed)))).value
  }
}
