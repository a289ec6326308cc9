/// A choice of objects of one model: a ``Query``, the ``Many`` of an object, or its ``Links``.
///
/// Calls that choose objects take any of them: `tx.fetch(Book.all)`, `tx.sum(author.books, of: \.price)`, `tx.keys(book.tags)`.
/// Calls that read ``Links`` read them in their order, each object as often as it is there. Calls that change objects change each
/// once.
public protocol Selection<Object>: Sendable {
  /// The model of the objects.
  associatedtype Object: Model

  /// The objects as a query, in the order of that query.
  var query: Query<Object> { get }
  /// The list whose order counts, in which an object may come twice; nil where the order is the query's.
  var list: Links<Object>? { get }
}

extension Selection {
  /// No list: the order is the query's.
  @inlinable public var list: Links<Object>? { nil }
}

extension Selection {
  /// The query, for a call that needs its order.
  ///
  /// - Throws: `invalidQuery` for a list, whose order is another.
  func inOrderOfQuery(_ call: String) throws(StorageError) -> Query<Object> {
    guard list == nil else {
      throw StorageError(
        .invalidQuery, "links in their own order have no \(call): write .query or .sorted(by:) after the links",
        model: Object.modelDefinition.name)
    }
    return query
  }
}

extension Query: Selection {
  /// The model of the query.
  public typealias Object = M

  /// The query itself.
  @inlinable public var query: Query<M> { self }
}

extension Many: Selection {}

extension Links: Selection {
  /// The model of the objects in the list.
  public typealias Object = Target

  /// The list itself.
  public var list: Links<Target>? { self }
}
