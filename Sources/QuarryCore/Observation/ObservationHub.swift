import QuarryBackend
import Synchronization

/// Hands the commits of one store to its observers.
///
/// A writer puts the changes of its commit into a box and continues. Another thread empties the box and selects the observers
/// that each commit concerns. Commits go through in their order: each writer takes a number when it has begun, and a later
/// writer's commit waits for the earlier ones. If a version is more than one greater than the one before, another connection has
/// committed in between. Then it is only known that something changed.
final class ObservationHub: Sendable {
  /// A commit in the form in which it is handed on.
  fileprivate struct Commit {
    var version: CommitVersion
    var changes: ChangeSet
    /// The feeds that take it without a notification.
    var muted: Set<Int>
    /// The captured part of it.
    var capture: Capture
  }

  fileprivate struct State {
    var feeds: [Int: ChangeFeed] = [:]
    var lastFeed = 0
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
  /// Held by a commit where commits do not come in the order in which transactions began.
  private let commitTurn = Mutex(())

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
  func commit(
    _ ticket: UInt64?, _ capture: Capture, withoutNotifying muted: Set<Int>,
    _ body: () throws(StorageError) -> CommitResult
  ) throws(StorageError) {
    guard hasManyWriters, isObserved.load(ordering: .sequentiallyConsistent) else {
      let result: CommitResult
      do throws(StorageError) {
        result = try body()
      } catch {
        abandon(ticket)
        throw error
      }
      finish(ticket, result, capture, muted)
      return
    }
    try commitTurn.withLock { _ throws(StorageError) in finish(nil, try body(), capture, muted) }
  }

  /// Ends a write that has committed nothing.
  func abandon(_ ticket: UInt64?) {
    if let ticket { release(ticket, nil) }
  }

  private func finish(_ ticket: UInt64?, _ result: CommitResult, _ capture: Capture, _ muted: Set<Int>) {
    let commit = Commit(version: result.version, changes: result.changes, muted: muted, capture: capture)
    if let ticket { return release(ticket, commit) }
    guard isObserved.load(ordering: .sequentiallyConsistent) else { return }
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
      guard state.nextRelease > state.lastTicket, let known = state.version, known < version else { return false }
      return state.put(Commit(version: version, changes: .unknown, muted: [], capture: .none))
    }
    if starts { empty() }
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
  func hold(_ models: Set<ModelID>, _ newest: () throws(StorageError) -> CommitVersion) throws(StorageError) {
    let isFirst = try state.withLock { state throws(StorageError) in
      if state.isClosed { throw .storeClosed }
      let isFirst = state.isIdle
      state.holders += 1
      for model in models { state.want(.touched, of: model, 1, detail) }
      isObserved.store(true, ordering: .sequentiallyConsistent)
      return isFirst
    }
    guard isFirst else { return }
    do throws(StorageError) {
      try noteFirst(newest)
    } catch {
      letGo(models)
      throw error
    }
  }

  /// Ends what ``hold(_:_:)`` began.
  func letGo(_ models: Set<ModelID>) {
    let watch = state.withLock { state -> (any CommitWatch)? in
      guard state.holders > 0 else { return nil }
      state.holders -= 1
      for model in models { state.want(.touched, of: model, -1, detail) }
      return state.isIdle ? idle(&state) : nil
    }
    watch?.wake()
  }

  /// Whether no commit after one version, up to another, has touched any of the models. They have been held since before the
  /// first.
  func hasLeft(_ models: Set<ModelID>, after version: CommitVersion, upTo newest: CommitVersion) -> Bool {
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

extension ObservationHub.State {
  var isIdle: Bool { feeds.isEmpty && holders == 0 }

  /// - Returns: Whether a thread has to begin to empty the box.
  mutating func put(_ commit: ObservationHub.Commit) -> Bool {
    guard !isIdle else { return false }
    var commit = commit
    if let known = version {
      // No writer of this store has committed in between.
      if commit.version > CommitVersion(known.rawValue &+ 1) { commit.changes = .unknown }
      version = Swift.max(known, commit.version)
    } else {
      commit.changes = .unknown
      version = commit.version
    }
    commit.markUncaptured(demand)
    if commit.changes.isUnknown { lastUnknown = commit.version }
    for model in commit.changes.models.keys { touches[model] = commit.version }
    guard !commit.changes.isEmpty, !feeds.isEmpty else { return false }
    box.append(commit)
    defer { isEmptying = true }
    return !isEmptying
  }

  /// The feeds that a commit may concern.
  func concerned(by changes: ChangeSet) -> [Int: ChangeFeed] {
    if changes.isUnknown { return feeds }
    var concerned = ofAll
    for (model, changes) in changes.models {
      if let feeds = byModel[model] { concerned.merge(feeds) { first, _ in first } }
      guard let ofKeys = byKey[model] else { continue }
      guard case .objects(let objects) = changes else {
        for feeds in ofKeys.values { concerned.merge(feeds) { first, _ in first } }
        continue
      }
      for object in objects {
        if let feeds = ofKeys[object.key] { concerned.merge(feeds) { first, _ in first } }
      }
    }
    return concerned
  }

  /// - Parameter most: The changes that the engine captures.
  mutating func add(_ feed: ChangeFeed, _ number: Int, _ most: Capture.Detail) {
    feeds[number] = feed
    let place = feed.registration
    for (model, detail) in place.details { want(detail, of: model, 1, most) }
    guard let model = place.model else {
      ofAll[number] = feed
      wantAll(most)
      return
    }
    for other in place.others { byModel[other, default: [:]][number] = feed }
    if let key = place.key {
      byKey[model, default: [:]][key, default: [:]][number] = feed
    } else {
      byModel[model, default: [:]][number] = feed
    }
  }

  mutating func remove(_ feed: ChangeFeed, _ number: Int, _ most: Capture.Detail) {
    feeds[number] = nil
    let place = feed.registration
    for (model, detail) in place.details { want(detail, of: model, -1, most) }
    if ofAll.removeValue(forKey: number) != nil { wantAll(most) }
    for other in place.others { byModel[other]?[number] = nil }
    guard let model = place.model else { return }
    if let key = place.key {
      byKey[model]?[key]?[number] = nil
      if byKey[model]?[key]?.isEmpty == true { byKey[model]?[key] = nil }
    } else {
      byModel[model]?[number] = nil
    }
  }

  mutating func want(_ detail: Capture.Detail, of model: ModelID, _ count: Int, _ most: Capture.Detail) {
    wanted[model, default: [:]][detail, default: 0] += count
    if wanted[model]?[detail] == 0 { wanted[model]?[detail] = nil }
    if wanted[model]?.isEmpty == true { wanted[model] = nil }
    updateDemand(of: model, most)
  }

  private mutating func updateDemand(of model: ModelID, _ most: Capture.Detail) {
    demand.models[model] = wanted[model]?.keys.max().map { Swift.min(most, Swift.max($0, demand.others)) }
  }

  private mutating func wantAll(_ most: Capture.Detail) {
    demand.others = ofAll.isEmpty ? .none : Swift.min(.keys, most)
    for model in wanted.keys { updateDemand(of: model, most) }
  }
}

extension ObservationHub.Commit {
  /// An observer may have begun to observe a model after the transaction had begun: its changes to that model are not known.
  fileprivate mutating func markUncaptured(_ demand: Capture) {
    guard !changes.isUnknown else { return }
    if capture.others < demand.others {
      changes = .unknown
      return
    }
    for (model, detail) in demand.models where capture.detail(of: model) < detail { changes.models[model] = .unknown }
  }
}
