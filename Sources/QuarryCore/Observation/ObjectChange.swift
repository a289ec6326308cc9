import QuarryBackend
import QuarryQuery

/// The effect of a commit on one observed object. See ``Store/changes(of:_:)``.
public enum ObjectChange<Object: Sendable>: Sendable {
  /// The object as it was found when it began to be observed; nil where there was none.
  case initial(Object?)
  /// An object with the key exists now and did not before.
  case inserted(Object)
  /// The object is another: the names of the properties that differ, in their order.
  case changed(old: Object, new: Object, properties: [String])
  /// The object was removed. Another one with its key is `inserted`.
  case deleted(Object)

  /// The object as it is now; nil where there is none.
  public var object: Object? {
    switch self {
    case .initial(let object): object
    case .inserted(let object), .changed(_, let object, _): object
    case .deleted: nil
    }
  }

  /// The change of a query that gives one object at most.
  init?(_ change: QueryChange<Object>) {
    if change.isInitial {
      self = .initial(change.objects.first)
    } else if let update = change.updates.first {
      self = .changed(old: update.old, new: update.new, properties: update.properties)
    } else if let insertion = change.insertions.first {
      self = .inserted(insertion.object)
    } else if let deletion = change.deletions.first {
      self = .deleted(deletion.object)
    } else {
      return nil
    }
  }
}

/// The changes of one object. See ``Store/changes(of:_:)``.
public struct ObjectChanges<Object: Sendable>: AsyncSequence, Sendable {
  public typealias Element = ObjectChange<Object>

  let base: QueryChanges<Object>

  public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

  /// Waits for changes.
  public struct Iterator: AsyncIteratorProtocol {
    var base: QueryChanges<Object>.Iterator

    /// The next change, waited for; nil when the task was cancelled or the store closed.
    ///
    /// - Throws: As ``next(isolation:)``.
    public mutating func next() async throws -> ObjectChange<Object>? {
      try await next(isolation: nil)
    }

    /// The next change, waited for; nil when the task was cancelled or the store closed.
    ///
    /// - Parameter actor: The actor on which the caller continues; nil for none.
    /// - Throws: The reason why the object cannot be observed, or not any more: an error of reading it. Nothing follows an error.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ObjectChange<Object>? {
      while let change = try await base.next(isolation: actor) {
        if let change = ObjectChange(change) { return change }
      }
      return nil
    }
  }
}

extension Store {
  /// The changes of the object with the primary key: first its current state, then one change for each commit that affects it.
  ///
  /// The first change has the object, or says that there is none. A commit affects the object when it changes, removes or adds
  /// it.
  ///
  /// - Parameters:
  ///   - type: The model of the object.
  ///   - key: Its primary key, whether such an object exists or not.
  /// - Returns: A sequence that observes from its first element on. An error of reading the object ends it.
  public func changes<M: Model>(of type: M.Type, _ key: M.PrimaryKey) -> ObjectChanges<M> {
    ObjectChanges(base: QueryChanges { [self] in try objectChanges(M.self, key, nil) })
  }

  /// The changes of some columns of the object with the primary key.
  ///
  /// - Parameters:
  ///   - type: The model of the object.
  ///   - key: Its primary key.
  ///   - first: A column whose changes count.
  ///   - others: Further such columns.
  public func changes<M: Model, V: Storable, each W: Storable>(
    of type: M.Type, _ key: M.PrimaryKey, keyPaths first: KeyPath<M.Columns, Column<V>>,
    _ others: repeat KeyPath<M.Columns, Column<each W>>
  ) -> ObjectChanges<M> {
    let names = M.names(of: first, repeat each others)
    return ObjectChanges(base: QueryChanges { [self] in try objectChanges(M.self, key, names) })
  }

  func objectChanges<M: Model>(
    _ type: M.Type, _ key: M.PrimaryKey, _ names: [String]?, whenFilled: (@Sendable () -> Void)? = nil
  ) throws -> ChangeReader<M> {
    let binding = try context.binding(M.self)
    var query = Query(M.self)
    query.tree.predicate = .compare(
      .property(PropertyPath(binding.schema.keyProperty.name)), .equal, .value(try key.storedValue()))
    return try objectChanges(
      query, names, key: try key.withKeyBytes { Key(copying: $0) }, whenFilled: whenFilled)
  }
}
