public import QuarryBackend
import Synchronization

/// The objects that a commit changed, by their keys. See ``Store/commits()``.
public struct CommitChange: Sendable {
  /// The changes to the objects of one model.
  public struct ModelChange: Sendable, Hashable {
    /// The name of the model.
    public var model: String
    /// Whether objects have changed of which the keys are not known: the three lists are empty then.
    public var isUnknown = false
    /// The primary keys of objects that were added, in their order.
    public var inserted: [Value] = []
    /// The primary keys of objects that were changed, in their order.
    public var updated: [Value] = []
    /// The primary keys of objects that were removed, in their order.
    public var deleted: [Value] = []
  }

  /// The state that the commit created; for several merged commits, the state of the last one.
  public var version: CommitVersion
  /// Whether it is not known what changed: another process wrote, another store on the same place, or the models were
  /// changed. `models` is empty then.
  public var isUnknown: Bool
  /// The models that changed, in the order of their names' bytes.
  public var models: [ModelChange]

  /// The change of one model; nil where it has none.
  public subscript(model: String) -> ModelChange? {
    models.first { $0.model.utf8.elementsEqual(model.utf8) }
  }
}

/// The commits of a store, from the creation of an iterator on. See ``Store/commits()``.
public struct Commits: AsyncSequence, Sendable {
  public typealias Element = CommitChange

  let store: Store

  public func makeAsyncIterator() -> Iterator { Iterator(observer: CommitObserver(store)) }

  /// Waits for commits.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    let observer: CommitObserver

    /// The next commit, waited for; nil when the task was cancelled or the store closed.
    ///
    /// - Throws: As ``next(isolation:)``.
    public mutating func next() async throws -> CommitChange? {
      try await next(isolation: nil)
    }

    /// The next commit, waited for; nil when the task was cancelled or the store closed.
    ///
    /// - Parameter actor: The actor on which the caller continues; nil for none.
    /// - Throws: The reason why the commits cannot be observed, or not any more: an error of reading the store, such as `corrupt`
    ///   or `io`. Nothing follows an error.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> CommitChange? {
      let observer = observer
      while !Task.isCancelled {
        switch observer.take() {
        case .ended(let failure):
          if let failure { throw failure }
          return nil
        case .nothing: await observer.wait(isolation: actor)
        case .pending(let pending):
          return try await Store.onThread { try observer.commit(pending) }
        }
      }
      observer.cancel()
      return nil
    }
  }
}

extension Store {
  /// The commits of the store that change something, in their order, from the beginning of the iteration on.
  ///
  /// Each has, for each model, the keys of the objects that were added, changed and removed. A consumer that is more than 64
  /// commits behind receives the commits since its last one as one.
  public func commits() -> Commits { Commits(store: self) }
}

/// Takes the commits of a store for one consumer.
final class CommitObserver: Sendable {
  private let store: Store
  private let feed: ChangeFeed
  private let number: Int?

  init(_ store: Store) {
    self.store = store
    feed = ChangeFeed(ChangeFeed.Interest())
    do throws(StorageError) {
      number = try store.observe(feed)
    } catch {
      number = nil
      feed.end(error.code == .closed ? nil : error)
    }
  }

  deinit {
    cancel()
  }

  func cancel() {
    feed.end()
    if let number { store.observation.remove(number) }
  }

  func take() -> ChangeFeed.Next { feed.take() }

  func wait(isolation actor: isolated (any Actor)?) async {
    await withTaskCancellationHandler(
      operation: { await feed.wait(isolation: actor) }, onCancel: { cancel() }, isolation: actor)
  }

  /// The commit with names and keys; nil when the store was closed meanwhile. After an error nothing more is delivered.
  func commit(_ pending: ChangeFeed.Pending) throws(StorageError) -> CommitChange? {
    do throws(StorageError) {
      return try describe(pending)
    } catch {
      cancel()
      if error.code == .closed { return nil }
      throw error
    }
  }

  private func describe(_ pending: ChangeFeed.Pending) throws(StorageError) -> CommitChange {
    var commit = CommitChange(version: pending.version, isUnknown: pending.changes.isUnknown, models: [])
    guard !commit.isUnknown else { return commit }
    let schema: Schema
    do throws(StorageError) {
      schema = try store.readingNewest { tx throws(StorageError) in tx.backend.schema }
    } catch {
      guard error.code == .schemaMismatch else { throw error }
      commit.isUnknown = true
      return commit
    }
    for (id, changes) in pending.changes.models {
      guard let model = schema.model(id: id), !model.isInternal else { continue }
      var change = CommitChange.ModelChange(model: model.name)
      switch changes {
      case .unknown: change.isUnknown = true
      case .objects(let objects):
        for object in objects {
          let key = try object.key.value(of: model.keyProperty.type)
          switch object.kind {
          case .insertion: change.inserted.append(key)
          case .update: change.updated.append(key)
          case .deletion: change.deleted.append(key)
          }
        }
      }
      commit.models.append(change)
    }
    commit.models.sort { $0.model.utf8.lexicographicallyPrecedes($1.model.utf8) }
    return commit
  }
}
