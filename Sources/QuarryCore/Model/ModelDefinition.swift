/// The stored structure of a model.
public final class ModelDefinition<M: Model>: Sendable {
  /// The number of ``untyped``, here too because every call of a store needs it.
  @usableFromInline let number: Int
  let untyped: AnyModelDefinition
  private let keyPaths: [(PropertyKeyPath<M>, String)]
  /// The properties that have links.
  private let links: [(PropertyKeyPath<M>, String)]
  /// The rules of the model's own; nil where it is not ``Validated``.
  let validator: (@Sendable (M) throws -> Void)?

  /// Creates the definition of a model.
  ///
  /// - Parameters:
  ///   - name: The name of the model in the store.
  ///   - properties: All stored properties.
  ///   - primaryKey: The name of the property that is the primary key.
  ///   - keyMembers: The names of the properties that are the members of a compound key, in their order: ``CompoundKey``. The
  ///     primary key is then the property `_key`, whose type is the key's.
  ///   - indexes: Indexes in addition to the primary key.
  ///   - relations: The other sides of references to this model.
  ///   - generatesKey: Whether an object without a key gets one when it is stored: see ``AttributeOption/generated``.
  ///   - originalName: The name that the model had in the store before it was renamed. Opening a store renames the model
  ///     where it is stored under this name, and none under the new one; its objects and indexes stay.
  ///   - syncName: The name by which the model travels between stores; when nil, the first name that it had in the store.
  ///   - isSynced: Whether `enableSync()` of QuarrySync syncs the model without its being named there.
  public init(
    name: String, properties: [PropertyDefinition<M>], primaryKey: String, keyMembers: [String]? = nil,
    indexes: [IndexDefinition] = [],
    relations: [RelationDefinition<M>] = [], generatesKey: Bool = false, originalName: String? = nil,
    syncName: String? = nil, isSynced: Bool = false
  ) {
    validator = Self.validator()
    untyped = AnyModelDefinition(
      name: name, originalName: originalName, syncName: syncName, properties: properties.map(\.stored),
      primaryKey: primaryKey,
      keyMembers: keyMembers, indexes: indexes, relations: relations.map(\.stored),
      rowValidator: validator.map { Self.rowValidator(name, $0) },
      generatesKey: generatesKey, isSynced: isSynced)
    number = untyped.number
    keyPaths = properties.map { ($0.property, $0.name) }
    links = relations.compactMap { relation in relation.links.map { ($0, relation.stored.name) } }
  }

  /// The name of the model in the store.
  public var name: String { untyped.name }

  /// The stored name of the property with that key path, if it is one.
  ///
  /// - Parameter keyPath: A key path from the model: `\Book.title`.
  /// - Returns: The name; nil for a key path that leads to no stored property.
  /// - Complexity: O(n) in the number of properties.
  public func name(of keyPath: PartialKeyPath<M>) -> String? {
    keyPaths.first { $0.0.matches(keyPath) }?.1
  }

  func name(of keyPath: PropertyKeyPath<M>) -> String? {
    keyPaths.first { $0.0 == keyPath }?.1
  }

  /// The name of the property of the type ``Links`` with that key path, if it is one.
  func linksName(of keyPath: PropertyKeyPath<M>) -> String? {
    links.first { $0.0 == keyPath }?.1
  }

  func linksName(of keyPath: PartialKeyPath<M>) -> String? {
    links.first { $0.0.matches(keyPath) }?.1
  }
}
