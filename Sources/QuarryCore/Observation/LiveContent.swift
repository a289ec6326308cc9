import Observation
import QuarryBackend
import Synchronization

/// What is shown of an observed query, kept up to date on an actor.
///
/// It changes only on its actor, one commit after the other. It may be read anywhere.
final class LiveContent<Object: Sendable, Content: Sendable>: Observable, Sendable {
  private struct State {
    var content: Content
    var version: CommitVersion
    var error: (any Error)?
    var task: Task<Void, Never>?
  }

  private let registrar = ObservationRegistrar()
  private let state: Mutex<State>
  private let reader: ChangeReader<Object>
  private let actor: any Actor
  private let make: @Sendable (QueryChange<Object>) -> Content

  /// - Parameter make: Makes what is shown from a change.
  init(
    _ reader: ChangeReader<Object>, on actor: isolated any Actor,
    _ make: @escaping @Sendable (QueryChange<Object>) -> Content
  ) throws {
    guard case .change(let first) = try reader.first() else { throw StorageError.storeClosed }
    state = Mutex(State(content: make(first), version: first.version))
    self.reader = reader
    self.actor = actor
    self.make = make
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
  private static func follow(
    _ changes: QueryChanges<Object>, on actor: isolated any Actor,
    _ body: @Sendable (QueryChange<Object>?, (any Error)?) -> Bool
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

  private func show(_ change: QueryChange<Object>) {
    // A change that was read before the one that is shown is part of it.
    guard state.withLock({ $0.version < change.version }) else { return }
    let content = make(change)
    registrar.withMutation(of: self, keyPath: \.content) {
      state.withLock {
        $0.content = content
        $0.version = change.version
      }
    }
  }

  private func show(_ failure: any Error) {
    registrar.withMutation(of: self, keyPath: \.error) { state.withLock { $0.error = failure } }
  }

  var content: Content {
    registrar.access(self, keyPath: \.content)
    return state.withLock { $0.content }
  }

  var error: (any Error)? {
    registrar.access(self, keyPath: \.error)
    return state.withLock { $0.error }
  }

  /// Brings the content to the newest state of the store.
  ///
  /// - Throws: The error that ended the updates.
  func settle() async throws {
    let reader = reader
    let next = try await Store.onThread { reader.newest() }
    try await show(next, on: actor)
  }

  private func show(_ next: ChangeReader<Object>.Next, on actor: isolated any Actor) throws {
    switch next {
    case .change(let change): show(change)
    case .ended(let failure?): show(failure)
    case .ended(nil), .nothing, .needsRead: break
    }
    if let error = state.withLock({ $0.error }) { throw error }
  }
}
