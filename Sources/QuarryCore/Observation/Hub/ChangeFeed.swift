import QuarryBackend
import Synchronization

/// The queue of one observer: the changes of commits that concern it, until it takes them.
///
/// Up to 64 commits wait separately. If there are more, or they take more than 4 MiB, the waiting commits are merged into one. If
/// that is still too large, the feed only records that something changed. Memory is therefore bounded, however slow the observer
/// is.
final class ChangeFeed: Sendable {
  /// The changes that concern an observer.
  struct Interest {
    /// The model whose rows are observed; nil for an observer of all commits.
    var model: ModelID?
    /// The models in which any change concerns the observer.
    var others: Set<ModelID> = []
    /// The capture that each model needs.
    var details: [ModelID: Capture.Detail] = [:]
    /// The one key of the model that is observed.
    var key: Key?
    /// The condition that rows of the model have to fulfil, before or after; nil where any row counts.
    var predicate: CompiledPredicate?
    /// Whether the rows are kept up to date from captured ones, and not read again.
    var keepsRows = false
  }

  /// A waiting commit, or several merged into one.
  struct Pending {
    var version: CommitVersion
    /// The version of the first of the merged commits. Rows that were read after that commit have a part of the changes.
    var first: CommitVersion
    var changes: ChangeSet
    /// Whether the observer takes the change without being notified.
    var isMuted: Bool
  }

  /// The result of an observer's check.
  enum Next {
    case pending(Pending)
    case nothing
    case ended(StorageError?)
  }

  fileprivate struct State {
    var interest: Interest
    var pending: [Pending] = []
    /// The number of waiting commits that were taken.
    var taken = 0
    var byteCount = 0
    var isEnded = false
    var failure: StorageError?
    var waiter: CheckedContinuation<Void, Never>?
    /// Whether ``whenFilled`` was called and no check has found the feed empty since.
    var isCalled = false
    /// Whether the observer could not read the store, and whether it is to try again.
    var isStalled = false
    var isRetryDue = false
  }

  static let mostCommits = 64
  static let mostBytes = 4 << 20

  private let state: Mutex<State>
  /// Called when a commit waits for an observer that is not known to be checking.
  private let whenFilled: (@Sendable () -> Void)?

  init(_ interest: sending Interest, whenFilled: (@Sendable () -> Void)? = nil) {
    state = Mutex(State(interest: interest))
    self.whenFilled = whenFilled
  }

  // MARK: Registration

  /// The criteria that the feed is registered by.
  var registration: (model: ModelID?, key: Key?, others: Set<ModelID>, details: [ModelID: Capture.Detail]) {
    state.withLock { ($0.interest.model, $0.interest.key, $0.interest.others, $0.interest.details) }
  }

  // MARK: Adding

  /// Adds the part of a commit that concerns the observer.
  func offer(_ version: CommitVersion, _ changes: ChangeSet, isMuted: Bool) {
    let wakes = state.withLock { state -> (waiter: CheckedContinuation<Void, Never>?, calls: Bool)? in
      guard !state.isEnded, let relevant = state.interest.relevant(changes) else { return nil }
      state.add(Pending(version: version, first: version, changes: relevant, isMuted: isMuted))
      return state.wake()
    }
    guard let wakes else { return }
    wakes.waiter?.resume()
    if wakes.calls { whenFilled?() }
  }

  /// Ends the feed: waiting commits are no longer delivered.
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

  /// Notes that the observer could not read the store for what it has taken.
  func stall() {
    state.withLock { state in
      state.isStalled = true
      state.isCalled = false
    }
  }

  /// Wakes an observer that could not read the store.
  func retry() {
    let wakes = state.withLock { state -> (waiter: CheckedContinuation<Void, Never>?, calls: Bool)? in
      guard state.isStalled, !state.isEnded else { return nil }
      state.isStalled = false
      state.isRetryDue = true
      return state.wake()
    }
    guard let wakes else { return }
    wakes.waiter?.resume()
    if wakes.calls { whenFilled?() }
  }

  // MARK: Taking

  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Takes the first waiting commit.
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
        defer { state.isRetryDue = false }
        if state.isEnded || state.isRetryDue || state.taken < state.pending.count { return true }
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

  /// Merges the waiting commits into one.
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
  /// The part of a commit that concerns the observer; nil where nothing does.
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
