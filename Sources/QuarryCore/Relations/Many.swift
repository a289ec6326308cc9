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
  /// The name of the property that refers, or of that of the link model which has the owner's key.
  @usableFromInline let property: String
  /// The model of the links; nil for the other side of a reference.
  let linkModel: String?
  /// The owner's key, or why there is none.
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
  public init<Owner: Model>(of owner: Owner, inverse: KeyPath<Object, Ref<Owner>?>) {
    self.init(owner.primaryKeyValue, inverse)
  }

  /// The objects that have the owner in their links.
  public init<Owner: Model>(of owner: Owner, inverse: KeyPath<Object, Links<Owner>>) {
    property = LinkDefinition.target
    let name = Object.modelDefinition.linksName(of: inverse)
    linkModel = LinkDefinition.name(Object.modelDefinition.name, name ?? "")
    do throws(StorageError) {
      if name == nil { throw StorageError(.schemaMismatch, "the inverse of a relation is no links") }
      self.owner = .success(try owner.primaryKeyValue.storedValue())
    } catch {
      self.owner = .failure(error)
    }
  }

  private init(_ key: some Storable, _ inverse: PartialKeyPath<Object>) {
    linkModel = nil
    property = Object.modelDefinition.name(of: inverse) ?? ""
    do throws(StorageError) {
      if property.isEmpty { throw StorageError(.schemaMismatch, "the inverse of a relation is no stored property") }
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

  /// Only objects that fulfil the condition.
  public func `where`(@ConditionBuilder _ condition: (Object.Columns) -> Condition) -> Query<Object> {
    query.where(condition)
  }

  /// Only objects that fulfil a condition written as in NSPredicate.
  public func `where`(_ format: String, _ arguments: (any Storable)?...) throws(StorageError) -> Query<Object> {
    try query.where(format, arguments: arguments)
  }

  /// In the order of the column.
  public func sorted<V: Storable>(
    by column: KeyPath<Object.Columns, Column<V>>, order: SortDirection = .forward
  ) -> Query<Object> {
    query.sorted(by: column, order: order)
  }
}

extension ReadTransaction {
  /// The object that the reference leads to, or nil when there is none.
  @inlinable
  public func get<M: Model>(_ reference: Ref<M>) throws(StorageError) -> M? { try get(M.self, reference.key) }

  /// The object that the reference leads to, or nil when there is no reference.
  @inlinable
  public func get<M: Model>(_ reference: Ref<M>?) throws(StorageError) -> M? {
    guard let reference else { return nil }
    return try get(M.self, reference.key)
  }

  /// The objects, in the order of their primary keys.
  public func fetch<M: Model>(_ objects: Many<M>) throws(StorageError) -> [M] { try fetch(objects.query) }

  /// The first of the objects in the order of their primary keys, or nil when there are none.
  public func first<M: Model>(_ objects: Many<M>) throws(StorageError) -> M? { try first(objects.query) }

  /// The number of the objects.
  public func count<M: Model>(_ objects: Many<M>) throws(StorageError) -> Int { try count(objects.query) }

  /// Whether there is one of the objects.
  public func exists<M: Model>(_ objects: Many<M>) throws(StorageError) -> Bool { try exists(objects.query) }

  /// The primary keys of the objects.
  public func keys<M: Model>(_ objects: Many<M>) throws(StorageError) -> [M.PrimaryKey] { try keys(objects.query) }
}

extension WriteTransaction {
  /// Removes the objects.
  ///
  /// - Returns: How many there were.
  /// - Throws: `referenced` for one that another object refers to by a rule that denies it.
  @discardableResult
  public func delete<M: Model>(_ objects: Many<M>) throws(StorageError) -> Int { try delete(objects.query) }
}

extension Reading {
  /// The object that the reference leads to, or nil when there is none.
  @inlinable
  public func get<M: Model>(_ reference: Ref<M>) throws -> M? { try read { try $0.get(reference) } }

  /// The object that the reference leads to, or nil when there is no reference.
  @inlinable
  public func get<M: Model>(_ reference: Ref<M>?) throws -> M? { try read { try $0.get(reference) } }

  /// The objects, in the order of their primary keys.
  public func fetch<M: Model>(_ objects: Many<M>) throws -> [M] { try read { try $0.fetch(objects) } }

  /// The number of the objects.
  public func count<M: Model>(_ objects: Many<M>) throws -> Int { try read { try $0.count(objects) } }

  /// Whether there is one of the objects.
  public func exists<M: Model>(_ objects: Many<M>) throws -> Bool { try read { try $0.exists(objects) } }

  /// The object that the reference leads to, or nil when there is none.
  public func get<M: Model>(_ reference: Ref<M>) async throws -> M? { try await read { try $0.get(reference) } }

  /// The object that the reference leads to, or nil when there is no reference.
  public func get<M: Model>(_ reference: Ref<M>?) async throws -> M? { try await read { try $0.get(reference) } }

  /// The objects, in the order of their primary keys.
  public func fetch<M: Model>(_ objects: Many<M>) async throws -> [M] { try await read { try $0.fetch(objects) } }

  /// The number of the objects.
  public func count<M: Model>(_ objects: Many<M>) async throws -> Int { try await read { try $0.count(objects) } }

  /// Whether there is one of the objects.
  public func exists<M: Model>(_ objects: Many<M>) async throws -> Bool { try await read { try $0.exists(objects) } }
}
