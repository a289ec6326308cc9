public import QuarryBackend
import QuarryQuery

/// The objects that refer to one object: the other side of a ``Ref``, which nothing is stored for.
///
/// ```swift
/// @Model struct Author {
///   let id: Int
///   var name: String
///   @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: Many<Book>
/// }
/// ```
///
/// It knows the key of its owner and nothing else, so it costs nothing to have. It is used where a query is:
/// `tx.fetch(author.books)`, `tx.count(author.books)`, `author.books.where { $0.year > 1970 }.sorted(by: \.title)`.
public struct Many<Object: Model>: Sendable {
  /// The name of the property that refers, or of the link model's property that has the owner's key.
  @usableFromInline let property: String
  /// The model of the links; nil for the other side of a reference.
  let linkModel: String?
  /// The owner's key, or the error that replaces it.
  @usableFromInline let owner: Result<Value, StorageError>

  /// The objects whose reference leads to the owner.
  ///
  /// - Parameters:
  ///   - owner: The object that they refer to.
  ///   - inverse: The property that refers.
  public init<Owner: Model>(of owner: Owner, inverse: KeyPath<Object, Ref<Owner>>) {
    self.init(owner.primaryKeyValue, inverse)
  }

  /// The objects whose reference, which may be nil, leads to the owner.
  ///
  /// - Parameters:
  ///   - owner: The object that they refer to.
  ///   - inverse: The property that refers.
  public init<Owner: Model>(of owner: Owner, inverse: KeyPath<Object, Ref<Owner>?>) {
    self.init(owner.primaryKeyValue, inverse)
  }

  /// The objects that have the owner in their links.
  ///
  /// - Parameters:
  ///   - owner: The object that they are linked with.
  ///   - inverse: The property that has the links.
  public init<Owner: Model>(of owner: Owner, inverse: KeyPath<Object, Links<Owner>>) {
    property = LinkDefinition.target
    let name = Object.modelDefinition.linksName(of: inverse)
    linkModel = LinkDefinition.name(Object.modelDefinition.name, name ?? "")
    do throws(StorageError) {
      if name == nil { throw StorageError(.schemaMismatch, "the inverse of a relation is not a Links property") }
      self.owner = .success(try owner.primaryKeyValue.storedValue())
    } catch {
      self.owner = .failure(error)
    }
  }

  private init(_ key: some Storable, _ inverse: PartialKeyPath<Object>) {
    linkModel = nil
    property = Object.modelDefinition.name(of: inverse) ?? ""
    do throws(StorageError) {
      if property.isEmpty { throw StorageError(.schemaMismatch, "the inverse of a relation is not a stored property") }
      owner = .success(try key.storedValue())
    } catch {
      owner = .failure(error)
    }
  }

  /// The objects, as a query: those whose reference has the owner's key.
  public var query: Query<Object> {
    var query = Query<Object>()
    switch owner {
    case .success(let key) where linkModel != nil:
      query.tree.links = LinkSource(
        model: linkModel ?? "", property: property, linked: LinkDefinition.owner, key: key)
    case .success(let key):
      query = query.adding(.compare(.property(PropertyPath(property)), .equal, .value(key)))
    case .failure(let error): query.failure = error
    }
    return query
  }

  /// Adds a condition that objects must fulfil.
  ///
  /// - Parameter condition: The condition, with the columns of the model: `{ $0.year > 1970 }`.
  /// - Returns: A query, in the order of primary keys.
  public func `where`(@ConditionBuilder _ condition: (Object.Columns) -> Condition) -> Query<Object> {
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
  public func `where`(_ format: String, _ arguments: (any Storable)?...) throws -> Query<Object> {
    try query.where(format, arguments: arguments)
  }

  /// Sorts by the column.
  ///
  /// - Parameters:
  ///   - column: The column: `\.title`.
  ///   - order: Whether the order goes from the least value to the greatest, or the other way.
  /// - Returns: A query in that order; objects with equal values are in the order of primary keys.
  public func sorted<V: Storable>(
    by column: KeyPath<Object.Columns, Column<V>>, order: SortDirection = .forward
  ) -> Query<Object> {
    query.sorted(by: column, order: order)
  }
}
