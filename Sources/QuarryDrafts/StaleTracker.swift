import Observation
import QuarryBackend
import QuarryCore
import Synchronization

/// An object as a draft has read it, to compare with the store.
protocol DraftBase: Sendable {
  var id: ObjectID { get }
  func isStale(in transaction: ReadTransaction) throws -> Bool
}

struct TypedDraftBase<M: Model>: DraftBase {
  let id: ObjectID
  let row: Row?
  let form: ObjectForm<M>

  func isStale(in transaction: ReadTransaction) throws -> Bool {
    guard let stored = try transaction.get(M.self, id.primaryKey(M.self)) else { return row != nil }
    guard let row else { return true }
    return try !form.differences(row, form.row(stored)).isEmpty
  }
}

/// Follows the commits of a store, and finds the objects of a draft that others have changed.
final class StaleTracker: Observable, Sendable {
  private struct Answer: Sendable {
    var id: ObjectID
    var number: Int
    var isStale: Bool
  }

  private struct State {
    /// The objects of the draft, and how often each was read: an answer about an earlier reading is not taken.
    var bases: [ObjectID: (base: any DraftBase, number: Int)] = [:]
    var count = 0
    var stale: Set<ObjectID> = []
    /// Whether the draft is being saved: its own commit is not that of others.
    var isHeld = false
    var hasMissed = false
    var error: (any Error)?
    var task: Task<Void, Never>?
  }

  private let registrar = ObservationRegistrar()
  private let state = Mutex(State())
  private let store: Store

  /// - Parameter actor: The actor on which the set changes; nil for any thread.
  init(_ store: Store, _ bases: [any DraftBase], on actor: (any Actor)?) {
    self.store = store
    for base in bases { note(base) }
    let commits = store.commits().makeAsyncIterator()
    // On threads of its own between two commits, so that it waits for no other work on the shared pool.
    let task = Task(executorPreference: CallbackThreads.executor) { [weak self] in
      await Self.follow(commits, of: store, for: { [weak self] in self }, on: actor)
    }
    state.withLock { $0.task = task }
    look()
  }

  deinit {
    state.withLock { $0.task?.cancel() }
  }

  /// Takes the answers on the actor, one commit after the other.
  private static func follow(
    _ commits: Commits.Iterator, of store: Store, for tracker: @Sendable () -> StaleTracker?,
    on actor: isolated (any Actor)?
  ) async {
    var commits = commits
    do {
      while let commit = try await commits.next(isolation: actor) {
        guard let bases = tracker()?.concerned(commit) else { return }
        if bases.isEmpty { continue }
        let answers = try await store.read { tx in try Self.compare(bases, in: tx) }
        tracker()?.take(answers)
      }
    } catch {
      if !(error is CancellationError) { tracker()?.fail(error) }
    }
  }

  var stale: Set<ObjectID> {
    registrar.access(self, keyPath: \.stale)
    return state.withLock { $0.stale }
  }

  /// The error that ended the updates.
  var error: (any Error)? {
    registrar.access(self, keyPath: \.error)
    return state.withLock { $0.error }
  }

  // MARK: - What the draft says

  /// Adds an object that was read just now. It is compared after it was added, so that no commit since is missed.
  func add(_ base: any DraftBase) {
    look(at: [(base, note(base))])
  }

  @discardableResult
  private func note(_ base: any DraftBase) -> Int {
    state.withLock { state in
      state.count += 1
      state.bases[base.id] = (base, state.count)
      return state.count
    }
  }

  /// Takes other objects in place of all that are here.
  func replace(_ bases: [any DraftBase]) {
    state.withLock { $0.bases = [:] }
    for base in bases { note(base) }
    let known = Set(bases.map(\.id))
    change { $0.intersection(known) }
    if !bases.isEmpty { look() }
  }

  /// Begins a save of the draft.
  func hold() {
    state.withLock { $0.isHeld = true }
  }

  func release() {
    let hasMissed = state.withLock { state in
      state.isHeld = false
      defer { state.hasMissed = false }
      return state.hasMissed
    }
    if hasMissed { look() }
  }

  // MARK: - What the store says

  /// Compares all objects with the store, on this thread.
  private func look() {
    look(at: state.withLock { Array($0.bases.values) })
  }

  private func look(at bases: [(base: any DraftBase, number: Int)]) {
    do {
      take(try store.read { tx in try Self.compare(bases, in: tx) })
    } catch {
      fail(error)
    }
  }

  private static func compare(
    _ bases: [(base: any DraftBase, number: Int)], in transaction: ReadTransaction
  ) throws -> [Answer] {
    try bases.map { Answer(id: $0.base.id, number: $0.number, isStale: try $0.base.isStale(in: transaction)) }
  }

  private func concerned(_ commit: CommitChange) -> [(base: any DraftBase, number: Int)] {
    state.withLock { state in
      if commit.isUnknown { return Array(state.bases.values) }
      var result: [(base: any DraftBase, number: Int)] = []
      for change in commit.models {
        if change.isUnknown {
          result += state.bases.values.filter { $0.base.id.model == change.model }
          continue
        }
        for key in change.inserted + change.updated + change.deleted {
          if let base = state.bases[ObjectID(model: change.model, key: key)] { result.append(base) }
        }
      }
      return result
    }
  }

  private func take(_ answers: [Answer]) {
    let valid = state.withLock { state -> [(id: ObjectID, isStale: Bool)] in
      guard !state.isHeld else {
        state.hasMissed = true
        return []
      }
      return answers.filter { state.bases[$0.id]?.number == $0.number }.map { ($0.id, $0.isStale) }
    }
    change { stale in
      var stale = stale
      for (id, isStale) in valid { if isStale { stale.insert(id) } else { stale.remove(id) } }
      return stale
    }
  }

  private func change(_ body: (Set<ObjectID>) -> Set<ObjectID>) {
    let old = state.withLock { $0.stale }
    guard body(old) != old else { return }
    registrar.withMutation(of: self, keyPath: \.stale) { state.withLock { $0.stale = body($0.stale) } }
  }

  private func fail(_ failure: any Error) {
    registrar.withMutation(of: self, keyPath: \.error) { state.withLock { $0.error = failure } }
  }
}
