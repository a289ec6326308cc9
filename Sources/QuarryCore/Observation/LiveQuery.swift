public import Observation
import QuarryBackend
import Synchronization

/// The current objects of a query, kept up to date on an actor: see ``Store/live(_:on:)``.
///
/// It is observable: it notifies a view that has read it, or `withObservationTracking(_:onChange:)`, before it changes. It
/// changes only on its actor, one commit after the other, and not while code there runs. An index is therefore valid until that
/// code awaits something. It may be read anywhere.
public final class LiveQuery<M: Model>: Observable, Sendable {
  private struct State {
    var objects: [M]
    var error: (any Error)?
    var task: Task<Void, Never>?
  }

  private let registrar = ObservationRegistrar()
  private let state: Mutex<State>

  init(_ reader: ChangeReader<M>, on actor: isolated any Actor) throws {
    switch reader.next(reads: true) {
    case .change(let change): state = Mutex(State(objects: change.objects))
    case .ended(let failure): throw failure ?? StorageError.storeClosed
    case .nothing, .needsRead: state = Mutex(State(objects: []))
    }
    // On threads of its own between two changes, so that it waits for no other work on the shared pool.
    let task = Task(executorPreference: CallbackThreads.executor) { [weak self] in
      await Self.follow(QueryChanges { reader }, on: actor) { [weak self] change, failure in
        guard let self else { return false }
        if let change { self.show(change) }
        if let failure { self.show(failure) }
        return true
      }
    }
    state.withLock { $0.task = task }
  }

  deinit {
    state.withLock { $0.task?.cancel() }
  }

  /// Hands on changes on an actor, until the body says no.
  static func follow(
    _ changes: QueryChanges<M>, on actor: isolated any Actor,
    _ body: @Sendable (QueryChange<M>?, (any Error)?) -> Bool
  ) async {
    var iterator = changes.makeAsyncIterator()
    do {
      while let change = try await iterator.next(isolation: actor) {
        guard body(change, nil) else { return }
      }
    } catch {
      _ = body(nil, error)
    }
  }

  private func show(_ change: QueryChange<M>) {
    registrar.withMutation(of: self, keyPath: \.objects) { state.withLock { $0.objects = change.objects } }
  }

  private func show(_ failure: any Error) {
    registrar.withMutation(of: self, keyPath: \.error) { state.withLock { $0.error = failure } }
  }

  /// The objects, in the query's order.
  public var objects: [M] {
    registrar.access(self, keyPath: \.objects)
    return state.withLock { $0.objects }
  }

  /// The error that ended the updates; nil while the objects are kept up to date, and after the store was closed.
  public var error: (any Error)? {
    registrar.access(self, keyPath: \.error)
    return state.withLock { $0.error }
  }
}

extension LiveQuery: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { objects.count }
  public subscript(place: Int) -> M { objects[place] }
  /// The objects as they are now: what changes afterwards is not seen.
  public func makeIterator() -> IndexingIterator<[M]> { objects.makeIterator() }
}
