import QuarryBackend

// What the hub knows of commits and feeds. All of it is guarded by the hub's lock.

extension ObservationHub.State {
  var isIdle: Bool { feeds.isEmpty && holders == 0 }

  /// - Returns: Whether a thread has to begin to empty the box.
  mutating func put(_ commit: ObservationHub.Commit) -> Bool {
    guard !isIdle else { return false }
    var commit = commit
    if let known = version {
      // No writer of this store has committed in between.
      if commit.previous.map({ $0 > known }) ?? true { commit.changes = .unknown }
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
    for (model, detail) in place.details { addDemand(detail, of: model, 1, most) }
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
    for (model, detail) in place.details { addDemand(detail, of: model, -1, most) }
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

  mutating func addDemand(_ detail: Capture.Detail, of model: ModelID, _ count: Int, _ most: Capture.Detail) {
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
