public import Observation
import QuarryBackend
import Synchronization

/// An object in its current state, kept up to date on an actor: see ``Store/live(_:_:on:)``.
///
/// ```swift
/// let book = try store.live(Book.self, 7)
/// book.title              // "Emma"; nil once the object was removed
/// ```
///
/// It is observable, and changes on its actor alone.
@dynamicMemberLookup
public final class LiveObject<M: Model>: Observable, Sendable {
  private let query: LiveQuery<M>

  init(_ query: LiveQuery<M>) {
    self.query = query
  }

  /// The object; nil when there is none, not yet or not any more.
  public var value: M? { query.objects.first }

  /// The error that ended the updates; nil while the object is kept up to date, and after the store was closed.
  public var error: (any Error)? { query.error }

  /// Waits until the object has its newest state. See ``LiveQuery/settled()``.
  ///
  /// - Throws: As ``LiveQuery/settled()``.
  public func settled() async throws { try await query.settled() }

  /// A property of the object; nil when there is none.
  public subscript<V>(dynamicMember property: KeyPath<M, V>) -> V? { value?[keyPath: property] }
}

extension Store {
  /// The current objects of a selection, kept up to date on the given actor. Without one, the caller's actor is used.
  ///
  /// - Parameters:
  ///   - selection: A query, the ``Many`` of an object, or its ``Links``.
  ///   - actor: The actor on which the objects change and are read.
  /// - Throws: The errors of fetching the selection; `closed`.
  /// - Complexity: The objects are fetched in this call.
  public func live<M: Model>(
    _ selection: some Selection<M>, on actor: isolated any Actor = #isolation
  ) throws -> LiveQuery<M> {
    try LiveQuery(objectChanges(selection, nil), on: actor)
  }

  /// The current object with the primary key, kept up to date on the given actor. Without one, the caller's actor is used.
  ///
  /// - Parameters:
  ///   - type: The model of the object.
  ///   - key: Its primary key, whether such an object exists or not.
  ///   - actor: The actor on which the object changes and is read.
  /// - Throws: The errors of getting the object; `closed`.
  public func live<M: Model>(
    _ type: M.Type, _ key: M.PrimaryKey, on actor: isolated any Actor = #isolation
  ) throws -> LiveObject<M> {
    LiveObject(try LiveQuery(objectChanges(M.self, key, nil), on: actor))
  }
}
