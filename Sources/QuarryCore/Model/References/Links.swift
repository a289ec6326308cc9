import QuarryBackend
import QuarryQuery

/// A list of objects that one object is linked with: many to many, and ordered.
///
/// ```swift
/// @Model struct Book {
///   let id: Int
///   var title: String
///   @Relationship var tags: Links<Tag>
/// }
/// ```
///
/// It knows the key of its owner and nothing else. The links are rows of a model of their own, `Book_tags`, which is created with
/// the model. A removed object takes its links along, on either side. It is read by `tx.fetch(book.tags)`, in the list's order.
/// It is used where a query is, in the order of primary keys unless another is requested: `book.tags.where {
/// $0.name.hasPrefix("n") }`. It is changed by ``append(_:in:)`` and the calls next to it.
///
/// The other side is ``Many``, with `inverse: \Book.tags`.
public struct Links<Target: Model>: Sendable {
  /// The owner's model and the property, for errors.
  let ownerModel: String
  let property: String
  /// The owner's key, or the error that replaces it.
  let owner: Result<Value, StorageError>

  /// The links of an object.
  ///
  /// - Parameters:
  ///   - owner: The object that has the list.
  ///   - property: The name of the property, as it is in the model's definition.
  public init<Owner: Model>(of owner: Owner, _ property: String) {
    ownerModel = Owner.modelDefinition.name
    self.property = property
    do throws(StorageError) {
      self.owner = .success(try owner.primaryKeyValue.storedValue())
    } catch {
      self.owner = .failure(error)
    }
  }

  /// The name of the model of the links.
  var model: String { LinkDefinition.name(ownerModel, property) }

  /// The objects, as a query, in the order of their primary keys.
  public var query: Query<Target> {
    var query = Query<Target>()
    switch owner {
    case .success(let key):
      query.tree.links = LinkSource(
        model: model, property: LinkDefinition.owner, linked: LinkDefinition.target, key: key)
    case .failure(let error): query.failure = error
    }
    return query
  }

  /// Adds a condition that objects must fulfil.
  ///
  /// - Parameter condition: The condition, with the columns of the model: `{ $0.year > 1970 }`.
  /// - Returns: A query, in the order of primary keys.
  public func `where`(@ConditionBuilder _ condition: (Target.Columns) -> Condition) -> Query<Target> {
    query.where(condition)
  }

  /// Adds a condition that objects must fulfil, written as in NSPredicate.
  ///
  /// - Parameters:
  ///   - format: The condition: `"year >= %@ AND title BEGINSWITH %@"`.
  ///   - arguments: The values for `%@` and `%K`, in their order.
  /// - Returns: A query, in the order of primary keys.
  /// - Throws: `invalidQuery` with the position when it does not parse; `unsupported` for words of NSPredicate that Quarry does
  ///   not have; `invalidValue` for an argument that has no stored form.
  public func `where`(_ format: String, _ arguments: (any Storable)?...) throws -> Query<Target> {
    try query.where(format, arguments: arguments)
  }

  /// Sorts by the column.
  ///
  /// - Parameters:
  ///   - column: The column: `\.title`.
  ///   - order: Whether the order goes from the least value to the greatest, or the other way.
  /// - Returns: A query in that order; objects with equal values are in the order of primary keys.
  public func sorted<V: Storable>(
    by column: KeyPath<Target.Columns, Column<V>>, order: SortDirection = .forward
  ) -> Query<Target> {
    query.sorted(by: column, order: order)
  }
}
