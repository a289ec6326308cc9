import QuarryBackend
import Synchronization

/// Keeps the rows of one observed query up to date, for one consumer, which checks for changes at any time.
final class QueryObserver: Sendable {
  /// The result of a check.
  enum Look {
    /// The rows differ; with the state of the store that has the new ones, and whether the consumer is notified.
    case change(ObservedRows.Change, CommitVersion, isTold: Bool)
    case nothing
    case ended(StorageError?)
    /// The rows have to be read again, which may block: ``look(reads:)`` with true.
    case needsRead
  }

  fileprivate struct State {
    var rows: ObservedRows
    var plan: ObservedQuery.Plan
    /// The state of the store whose rows are here.
    var version: CommitVersion
    /// A commit after which the rows have to be read again.
    var unread: ChangeFeed.Pending?
  }

  let query: ObservedQuery
  private let store: Store
  private let feed: ChangeFeed
  private let number: Int
  private let state: Mutex<State>

  /// Begins to observe, and reads the rows for the first time.
  ///
  /// - Parameter whenFilled: Called when there is something to check, once until a check has found nothing.
  /// - Throws: The errors of reading the query; `closed`.
  init(_ store: Store, _ query: ObservedQuery, whenFilled: (@Sendable () -> Void)? = nil) throws(StorageError) {
    try store.checkOpen()
    self.store = store
    self.query = query
    let (plan, interest) = try store.readingNewest { tx throws(StorageError) in try query.plan(in: tx) }
    let feed = ChangeFeed(interest, whenFilled: whenFilled)
    number = try store.observe(feed)
    self.feed = feed
    do throws(StorageError) {
      // Read after the feed was added, so that no commit is missed.
      let found = try Self.read(query, plan, from: store)
      let rows = try ObservedRows(found.plan.layout, found.plan.kept)
      _ = try rows.replace(with: found.entries)
      names = found.plan.model.properties.map(\.name)
      state = Mutex(State(rows: rows, plan: found.plan, version: found.version))
    } catch {
      store.observation.remove(number)
      throw error
    }
  }

  deinit {
    cancel()
  }

  /// Ends it: no check finds anything from now on.
  func cancel() {
    feed.end()
    store.observation.remove(number)
  }

  /// The feed's number, by which a write excludes this observer from its notifications.
  var feedNumber: Int { number }

  /// The rows as they are here, and the state of the store that has them.
  var rows: (rows: [Row], version: CommitVersion, plan: ObservedQuery.Plan) {
    state.withLock { ($0.rows.entries.map(\.row), $0.version, $0.plan) }
  }

  /// The names of the properties, by their slots.
  let names: [String]

  /// Reads the rows of the newest state. The plan is prepared again if the schema has changed by then.
  private static func read(
    _ query: ObservedQuery, _ known: ObservedQuery.Plan, from store: Store
  ) throws(StorageError) -> (plan: ObservedQuery.Plan, version: CommitVersion, entries: [ObservedRows.Entry]) {
    try store.readingNewest { tx throws(StorageError) in
      let plan = tx.backend.schema.version == known.schemaVersion ? known : try query.plan(in: tx).0
      let rows = try ObservedRows(plan.layout, plan.kept)
      var entries: [ObservedRows.Entry] = []
      try query.read(plan, in: tx) { row throws(StorageError) in entries.append(try rows.entry(row)) }
      if query.list != nil { ObservedRows.tellApart(&entries) }
      return (plan, try tx.backend.version(), entries)
    }
  }

  // MARK: Checking

  /// Checks for the next change of the rows.
  ///
  /// - Parameter reads: Whether the store may be read now.
  func look(reads: Bool) -> Look {
    state.withLock { state in
      while true {
        let pending: ChangeFeed.Pending
        if let unread = state.unread {
          pending = unread
        } else {
          switch feed.take() {
          case .nothing: return .nothing
          case .ended(let failure): return .ended(failure)
          case .pending(let next): pending = next
          }
        }
        state.unread = nil
        // The rows were read after this commit, so they include it.
        guard pending.version > state.version else { continue }
        do throws(StorageError) {
          let change: ObservedRows.Change
          if let changes = state.keptChanges(pending) {
            change = try state.rows.apply(changes)
            state.version = pending.version
          } else if reads {
            change = try readAgain(&state)
          } else {
            state.unread = pending
            return .needsRead
          }
          guard !change.isEmpty else { continue }
          // Rows that were read again may include more commits than the muted one.
          let isMuted = pending.isMuted && state.version == pending.version
          return .change(change, state.version, isTold: !isMuted && state.counts(change))
        } catch {
          if Self.passes(error) {
            state.unread = pending
            feed.stall()
            store.observation.stall(number)
            return .nothing
          }
          cancel()
          return .ended(error.code == .closed ? nil : error)
        }
      }
    }
  }

  /// Reads the rows of the newest state now, ahead of the commits that wait.
  ///
  /// - Returns: As ``look(reads:)``; nothing where the rows are those of the newest state.
  func lookAgain() -> Look {
    state.withLock { state in
      do throws(StorageError) {
        if feed.isEnded { return .nothing }
        guard try state.version < store.newestVersion() else { return .nothing }
        let change = try readAgain(&state)
        return change.isEmpty ? .nothing : .change(change, state.version, isTold: true)
      } catch {
        // The commit is in the feed, or comes into it.
        if Self.passes(error) { return .nothing }
        cancel()
        return .ended(error.code == .closed ? nil : error)
      }
    }
  }

  /// Whether a read may succeed later: a server may start again.
  private static func passes(_ error: StorageError) -> Bool { error.code == .unavailable || error.code == .conflict }

  /// Waits until there is something to check.
  func wait(isolation actor: isolated (any Actor)?) async {
    await withTaskCancellationHandler(
      operation: { await feed.wait(isolation: actor) }, onCancel: { cancel() }, isolation: actor)
  }

  private func readAgain(_ state: inout State) throws(StorageError) -> ObservedRows.Change {
    let (plan, version, entries) = try Self.read(query, state.plan, from: store)
    // Rows of another layout are not compared with those that are here.
    guard plan.model.id == state.plan.model.id, plan.model.properties == state.plan.model.properties else {
      throw StorageError(.schemaMismatch, "the model was changed while it was observed", model: plan.model.name)
    }
    state.plan = plan
    state.version = version
    return try state.rows.replace(with: entries)
  }
}

extension QueryObserver.State {
  /// The changes of a commit by which the rows are kept up to date; nil where they have to be read again.
  fileprivate func keptChanges(_ pending: ChangeFeed.Pending) -> [ChangeSet.Change]? {
    guard plan.kept != nil, !pending.changes.isUnknown, pending.first > version else { return nil }
    switch pending.changes.models[plan.model.id] {
    case nil: return []
    case .objects(let changes)?: return changes
    case .unknown?: return nil
    }
  }

  /// Whether a change concerns the consumer.
  fileprivate func counts(_ change: ObservedRows.Change) -> Bool {
    guard let slots = plan.slots, change.list.isEmpty else { return true }
    return change.updates.contains { update in update.slots.contains { slots.contains($0) } }
  }
}
