public import Observation
import QuarryBackend
import Synchronization

/// The objects of a query as they are, kept up to date on an actor: see ``Store/live(_:on:)``.
///
/// It is observable: a view, or ``withObservationTracking(_:onChange:)``, that has looked at it is told before it changes.
/// It changes on its actor alone, one commit after the other, and not while code there runs; so an index is good for as long
/// as that code does not wait. It may be read anywhere.
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
    // On threads of its own between two changes, so that it waits for nobody on the shared pool.
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

  /// Why the objects are not kept up to date any more; nil while they are, and after the store was closed.
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
