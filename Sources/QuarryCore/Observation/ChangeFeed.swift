import QuarryBackend
import Synchronization

/// What waits for one observer: the changes of commits that concern it, until it takes them.
///
/// Up to 64 commits wait each for itself. Of more, or of more than 4 MiB, those that wait become one; if that is still too
/// large, it is only known that something changed. So memory is bounded, however slow the observer is.
final class ChangeFeed: Sendable {
  /// What concerns an observer.
  struct Interest {
    /// The model whose rows are observed; nil for one who is told of all commits.
    var model: ModelID?
    /// The models that a change of anything in them concerns.
    var others: Set<ModelID> = []
    /// What is captured of each model.
    var details: [ModelID: Capture.Detail] = [:]
    /// The one key of the model that is observed.
    var key: Key?
    /// What rows of the model have to fulfil, before or after; nil where any may.
    var predicate: CompiledPredicate?
    /// Whether the rows are kept up to date from captured ones, and not read again.
    var keepsRows = false
  }

  /// A commit that waits, or several as one.
  struct Pending {
    var version: CommitVersion
    var changes: ChangeSet
    /// Whether the observer takes the change without telling of it.
    var isMuted: Bool
  }

  /// What an observer finds when it looks.
  enum Next {
    case pending(Pending)
    case nothing
    case ended(StorageError?)
  }

  fileprivate struct State {
    var interest: Interest
    var pending: [Pending] = []
    /// How many of those that wait were taken.
    var taken = 0
    var byteCount = 0
    var isEnded = false
    var failure: StorageError?
    var waiter: CheckedContinuation<Void, Never>?
    /// Whether ``whenFilled`` was called and nothing was found to be there since.
    var isCalled = false
  }

  static let mostCommits = 64
  static let mostBytes = 4 << 20

  private let state: Mutex<State>
  /// Is called when something waits for who is not known to be looking.
  private let whenFilled: (@Sendable () -> Void)?

  init(_ interest: sending Interest, whenFilled: (@Sendable () -> Void)? = nil) {
    state = Mutex(State(interest: interest))
    self.whenFilled = whenFilled
  }

  // MARK: Whom it is for

  /// What the feed is registered by.
  var registration: (model: ModelID?, key: Key?, others: Set<ModelID>, details: [ModelID: Capture.Detail]) {
    state.withLock { ($0.interest.model, $0.interest.key, $0.interest.others, $0.interest.details) }
  }

  // MARK: What comes

  /// Takes what concerns the observer of a commit.
  func offer(_ version: CommitVersion, _ changes: ChangeSet, isMuted: Bool) {
    let wakes = state.withLock { state -> (waiter: CheckedContinuation<Void, Never>?, calls: Bool)? in
      guard !state.isEnded, let relevant = state.interest.relevant(changes) else { return nil }
      state.add(Pending(version: version, changes: relevant, isMuted: isMuted))
      return state.wake()
    }
    guard let wakes else { return }
    wakes.waiter?.resume()
    if wakes.calls { whenFilled?() }
  }

  /// Ends the feed: what waits is not given any more.
  func end(_ failure: StorageError? = nil) {
    let wakes = state.withLock { state -> (waiter: CheckedContinuation<Void, Never>?, calls: Bool)? in
      guard !state.isEnded else { return nil }
      state.isEnded = true
      state.failure = failure
      state.pending = []
      state.interest.predicate = nil
      return state.wake()
    }
    guard let wakes else { return }
    wakes.waiter?.resume()
    if wakes.calls { whenFilled?() }
  }

  // MARK: What goes

  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Takes the first that waits.
  func take() -> Next {
    state.withLock { state in
      if state.isEnded {
        defer { state.failure = nil }
        return .ended(state.failure)
      }
      guard state.taken < state.pending.count else {
        state.pending.removeAll(keepingCapacity: state.pending.count <= Self.mostCommits)
        state.taken = 0
        state.isCalled = false
        return .nothing
      }
      let pending = state.pending[state.taken]
      state.pending[state.taken].changes = ChangeSet()
      state.taken += 1
      state.byteCount -= pending.changes.byteCount
      return .pending(pending)
    }
  }

  /// Waits until there is something to take, or the feed has ended.
  func wait(isolation actor: isolated (any Actor)?) async {
    await withCheckedContinuation(isolation: actor) { continuation in
      let isThere = state.withLock { state in
        if state.isEnded || state.taken < state.pending.count { return true }
        state.waiter = continuation
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}

extension ChangeFeed.State {
  mutating func add(_ next: ChangeFeed.Pending) {
    pending.append(next)
    byteCount += next.changes.byteCount
    if pending.count - taken > ChangeFeed.mostCommits || byteCount > ChangeFeed.mostBytes { merge() }
  }

  /// Makes one of those that wait.
  private mutating func merge() {
    var merged = pending[taken]
    for next in pending[(taken + 1)...] {
      merged.changes.merge(next.changes)
      merged.version = next.version
      merged.isMuted = merged.isMuted && next.isMuted
    }
    byteCount = merged.changes.byteCount
    if byteCount > ChangeFeed.mostBytes {
      merged.changes = .unknown
      byteCount = 0
    }
    pending = [merged]
    taken = 0
  }

  mutating func wake() -> (waiter: CheckedContinuation<Void, Never>?, calls: Bool) {
    defer {
      waiter = nil
      isCalled = true
    }
    return (waiter, !isCalled)
  }
}

extension ChangeFeed.Interest {
  /// What of a commit concerns the observer; nil where nothing does.
  func relevant(_ changes: ChangeSet) -> ChangeSet? {
    if changes.isUnknown { return changes }
    guard let model else { return changes.isEmpty ? nil : changes }
    if !others.isEmpty, changes.models.keys.contains(where: { others.contains($0) }) { return .unknown }
    guard let own = changes.models[model] else { return nil }
    guard case .objects(let objects) = own else { return .unknown }
    var concerned: [ChangeSet.Change] = []
    do throws(StorageError) {
      for change in objects where try concerns(change) { concerned.append(change) }
    } catch {
      return .unknown
    }
    guard !concerned.isEmpty else { return nil }
    // An engine may capture keys alone.
    let hasRows = concerned.allSatisfy {
      ($0.new != nil) == ($0.kind != .deletion) && ($0.old != nil) == ($0.kind != .insertion)
    }
    return keepsRows && hasRows ? ChangeSet(models: [model: .objects(concerned)]) : .unknown
  }

  private func concerns(_ change: ChangeSet.Change) throws(StorageError) -> Bool {
    if let key { return change.key == key }
    guard let predicate else { return true }
    guard (change.old ?? change.new) != nil else { return true }
    func fulfils(_ row: Row?) throws(StorageError) -> Bool {
      guard let row else { return false }
      return try row.bytes.withBytes { bytes throws(StorageError) in try predicate.matches(bytes) }
    }
    if try fulfils(change.old) { return true }
    return try fulfils(change.new)
  }
}
