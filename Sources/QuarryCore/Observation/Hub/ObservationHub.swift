import QuarryBackend
import Synchronization

/// Hands the commits of one store to its observers.
///
/// A writer puts the changes of its commit into a box and continues. Another thread empties the box and selects the observers
/// that each commit concerns. Commits go through in their order. With one writer at a time, each writer takes a number when it has
/// begun, and a later writer's commit waits for the earlier ones. With many writers, ``CommitOrder`` finds the order. If a commit
/// does not directly follow the one before, another connection has committed in between. Then it is only known that something
/// changed.
final class ObservationHub: CommitParticipant {
  /// A commit in the form in which it is handed on.
  struct Commit {
    var version: CommitVersion
    /// The state that it directly follows; nil where that is not known.
    var previous: CommitVersion?
    var changes: ChangeSet
    /// The feeds that take it without a notification.
    var muted: Set<Int>
    /// The captured part of it.
    var capture: Capture
  }

  struct State {
    var feeds: [Int: ChangeFeed] = [:]
    var lastFeed = 0
    /// The feeds whose observers could not read the store.
    var stalled: Set<Int> = []
    /// The feeds of a model, the feeds of one key of it, and the feeds of all commits.
    var byModel: [ModelID: [Int: ChangeFeed]] = [:]
    var byKey: [ModelID: [Key: [Int: ChangeFeed]]] = [:]
    var ofAll: [Int: ChangeFeed] = [:]
    var demand = Capture.none
    /// The number of feeds that need a given level of detail of a model.
    var wanted: [ModelID: [Capture.Detail: Int]] = [:]

    var lastTicket: UInt64 = 0
    var nextRelease: UInt64 = 1
    /// The outcomes of writers; nil for a writer that has committed nothing.
    var finished: [UInt64: Commit?] = [:]
    /// The order of commits where there are many writers.
    var order = CommitOrder<Commit>()
    /// The version of the last commit that was handed on.
    var version: CommitVersion?

    var box: [Commit] = []
    var isEmptying = false
    /// The number of holders that keep results, valid until a commit touches what they depend on.
    var holders = 0
    /// The last commits that touched the models with holders, and the last commit whose changes are not known.
    var touches: [ModelID: CommitVersion] = [:]
    var lastUnknown: CommitVersion?
    var isClosed = false
    var watch: (any CommitWatch)?
  }

  private let state = Mutex(State())
  /// Whether there are observers: the only thing that a write checks if there are none.
  private let isObserved = Atomic(false)
  private let hasManyWriters: Bool
  private let detail: Capture.Detail

  private static let threads = TransactionThreads(name: "quarry.commits", limit: 64)

  init(_ manifest: BackendManifest) {
    hasManyWriters = manifest.writers == .many
    let captures = { (capability: Capability) in manifest.capabilities[capability]?.isSupported == true }
    detail = captures(.captureRows) ? .rows : captures(.captureKeys) ? .keys : .none
  }

  // MARK: - Writers

  /// The changes that a write has to capture.
  var demand: Capture {
    isObserved.load(ordering: .sequentiallyConsistent) ? state.withLock { $0.demand } : .none
  }

  /// Takes the number of a write that has begun; nil without observers.
  func begin() -> UInt64? {
    guard isObserved.load(ordering: .sequentiallyConsistent), !hasManyWriters else { return nil }
    return state.withLock { state in
      state.lastTicket += 1
      return state.lastTicket
    }
  }

  /// Commits, and notifies observers of it.
  ///
  /// - Parameters:
  ///   - ticket: The result of ``begin()``.
  ///   - capture: The value of ``demand`` when the write began.
  @discardableResult
  func commit(
    _ ticket: UInt64?, _ capture: Capture, withoutNotifying muted: Set<Int>,
    _ body: () throws(StorageError) -> CommitResult
  ) throws(StorageError) -> CommitResult {
    if hasManyWriters { return try commitConcurrently(capture, muted, body) }
    let result: CommitResult
    do throws(StorageError) {
      result = try body()
    } catch {
      abandon(ticket)
      throw error
    }
    finish(ticket, result, capture, muted)
    return result
  }

  private func commitConcurrently(
    _ capture: Capture, _ muted: Set<Int>, _ body: () throws(StorageError) -> CommitResult
  ) throws(StorageError) -> CommitResult {
    let isObserved = isObserved.load(ordering: .sequentiallyConsistent)
    let ticket = isObserved ? state.withLock { $0.order.begin() } : nil
    let result: CommitResult
    do throws(StorageError) {
      result = try body()
    } catch {
      if ticket != nil { end(ticket, nil) }
      throw error
    }
    guard ticket != nil || self.isObserved.load(ordering: .sequentiallyConsistent) else { return result }
    let hasChanged = result.previous != result.version || !result.changes.isEmpty
    end(ticket, hasChanged ? commit(result, result.previous, capture, muted) : nil)
    return result
  }

  /// Ends a commit of one of many writers.
  private func end(_ ticket: UInt64?, _ commit: Commit?) {
    let starts = state.withLock { state in
      if let ticket { state.order.end(ticket) }
      if let commit { state.order.add(commit, version: commit.version, previous: commit.previous) }
      var starts = false
      while let next = state.order.next(after: state.version) {
        if state.put(next) { starts = true }
      }
      return starts
    }
    if starts { empty() }
  }

  private func commit(
    _ result: CommitResult, _ previous: CommitVersion?, _ capture: Capture, _ muted: Set<Int>
  ) -> Commit {
    Commit(
      version: result.version, previous: previous, changes: result.changes, muted: muted, capture: capture)
  }

  /// Ends a write that has committed nothing.
  func abandon(_ ticket: UInt64?) {
    if let ticket { release(ticket, nil) }
  }

  private func finish(_ ticket: UInt64?, _ result: CommitResult, _ capture: Capture, _ muted: Set<Int>) {
    guard ticket != nil || isObserved.load(ordering: .sequentiallyConsistent) else { return }
    let number = result.version.rawValue
    let previous = result.previous ?? CommitVersion(number == 0 ? 0 : number - 1)
    let commit = commit(result, previous, capture, muted)
    if let ticket { return release(ticket, commit) }
    let starts = state.withLock { $0.put(commit) }
    if starts { empty() }
  }

  private func release(_ ticket: UInt64, _ commit: Commit?) {
    let starts = state.withLock { state in
      state.finished[ticket] = .some(commit)
      var starts = false
      while let next = state.finished.removeValue(forKey: state.nextRelease) {
        state.nextRelease += 1
        if let next, state.put(next) { starts = true }
      }
      return starts
    }
    if starts { empty() }
  }

  /// Reports a version that another connection has created, unless a write of this store may have created it.
  func noteVersion(_ version: CommitVersion) {
    let starts = state.withLock { state in
      guard state.nextRelease > state.lastTicket, state.order.isIdle, let known = state.version, known < version else {
        return false
      }
      return state.put(Commit(version: version, previous: nil, changes: .unknown, muted: [], capture: .none))
    }
    if starts { empty() }
  }

  /// Notes that the observer of a feed could not read the store.
  func stall(_ number: Int) { state.withLock { _ = $0.stalled.insert(number) } }

  /// Lets observers that could not read the store try again: it answers.
  func retry() {
    let feeds = state.withLock { state -> [ChangeFeed] in
      guard !state.stalled.isEmpty else { return [] }
      defer { state.stalled = [] }
      return state.stalled.compactMap { state.feeds[$0] }
    }
    for feed in feeds { feed.retry() }
  }

  // MARK: - Handing on

  /// Empties the box on another thread.
  private func empty() {
    Self.threads.run { [self] in
      while true {
        let box = state.withLock { state -> [Commit] in
          defer { state.box = [] }
          state.isEmptying = !state.box.isEmpty
          return state.box
        }
        guard !box.isEmpty else { return }
        for commit in box { handOn(commit) }
      }
    }
  }

  private func handOn(_ commit: Commit) {
    let concerned = state.withLock { $0.concerned(by: commit.changes) }
    for (number, feed) in concerned {
      feed.offer(commit.version, commit.changes, isMuted: commit.muted.contains(number))
    }
  }

  // MARK: - Observers

  /// Adds a feed: commits that become visible from now on are offered to it.
  ///
  /// - Parameter newest: Reads the version of the newest state.
  /// - Returns: The feed's number.
  /// - Throws: `closed`; the errors of `newest`.
  func add(_ feed: ChangeFeed, _ newest: () throws(StorageError) -> CommitVersion) throws(StorageError) -> Int {
    let (number, isFirst) = try state.withLock { state throws(StorageError) in
      if state.isClosed { throw .storeClosed }
      state.lastFeed += 1
      let isFirst = state.isIdle
      state.add(feed, state.lastFeed, detail)
      isObserved.store(true, ordering: .sequentiallyConsistent)
      return (state.lastFeed, isFirst)
    }
    guard isFirst else { return number }
    do throws(StorageError) {
      try noteFirst(newest)
    } catch {
      remove(number)
      throw error
    }
    return number
  }

  private func noteFirst(_ newest: () throws(StorageError) -> CommitVersion) throws(StorageError) {
    let version = try newest()
    state.withLock { $0.version = $0.version.map { Swift.max($0, version) } ?? version }
  }

  /// Removes a feed. A second call does nothing.
  func remove(_ number: Int) {
    let watch = state.withLock { state -> (any CommitWatch)? in
      guard let feed = state.feeds[number] else { return nil }
      state.remove(feed, number, detail)
      return state.isIdle ? idle(&state) : nil
    }
    watch?.wake()
  }

  // MARK: - Results that are kept

  /// Begins to remember which commits touch some models.
  ///
  /// - Parameter newest: Reads the version of the newest state.
  func retain(_ models: Set<ModelID>, _ newest: () throws(StorageError) -> CommitVersion) throws(StorageError) {
    let isFirst = try state.withLock { state throws(StorageError) in
      if state.isClosed { throw .storeClosed }
      let isFirst = state.isIdle
      state.holders += 1
      for model in models { state.addDemand(.touched, of: model, 1, detail) }
      isObserved.store(true, ordering: .sequentiallyConsistent)
      return isFirst
    }
    guard isFirst else { return }
    do throws(StorageError) {
      try noteFirst(newest)
    } catch {
      release(models)
      throw error
    }
  }

  /// Ends what ``retain(_:_:)`` began.
  func release(_ models: Set<ModelID>) {
    let watch = state.withLock { state -> (any CommitWatch)? in
      guard state.holders > 0 else { return nil }
      state.holders -= 1
      for model in models { state.addDemand(.touched, of: model, -1, detail) }
      return state.isIdle ? idle(&state) : nil
    }
    watch?.wake()
  }

  /// Whether no commit after one version, up to another, has touched any of the models. They have been held since before the
  /// first.
  func isUnaffected(_ models: Set<ModelID>, after version: CommitVersion, upTo newest: CommitVersion) -> Bool {
    if version == newest { return true }
    return state.withLock { state in
      guard let known = state.version, known >= newest else { return false }
      if let last = state.lastUnknown, last > version { return false }
      return models.allSatisfy { model in state.touches[model].map { $0 <= version } ?? true }
    }
  }

  /// Ends all feeds with an error that concerns the whole store.
  func fail(_ error: StorageError) {
    let (feeds, watch) = state.withLock { state -> ([ChangeFeed], (any CommitWatch)?) in
      let feeds = state.feeds
      for (number, feed) in feeds { state.remove(feed, number, detail) }
      return (Array(feeds.values), state.isIdle ? idle(&state) : nil)
    }
    watch?.wake()
    for feed in feeds { feed.end(error) }
  }

  /// Ends all feeds, and accepts no more.
  func close() {
    let (feeds, watch) = state.withLock { state -> ([ChangeFeed], (any CommitWatch)?) in
      state.isClosed = true
      let feeds = Array(state.feeds.values)
      state.feeds = [:]
      state.byModel = [:]
      state.byKey = [:]
      state.ofAll = [:]
      state.demand = .none
      state.wanted = [:]
      state.holders = 0
      return (feeds, idle(&state))
    }
    watch?.wake()
    for feed in feeds { feed.end() }
  }

  private func idle(_ state: inout State) -> (any CommitWatch)? {
    isObserved.store(false, ordering: .sequentiallyConsistent)
    state.version = nil
    state.order.clear()
    state.touches = [:]
    state.lastUnknown = nil
    defer { state.watch = nil }
    return state.watch
  }

  /// Keeps the watch for commits of other connections, where there is none yet.
  ///
  /// - Returns: Whether it is needed.
  func keep(_ watch: any CommitWatch) -> Bool {
    state.withLock { state in
      guard state.watch == nil, !state.isIdle else { return false }
      state.watch = watch
      return true
    }
  }

  var isWatched: Bool { state.withLock { $0.watch != nil } }

  func isWatched(by watch: any CommitWatch) -> Bool { state.withLock { $0.watch === watch } }
}
