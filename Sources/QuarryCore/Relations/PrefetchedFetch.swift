public import QuarryBackend
import QuarryQuery

/// A property of a model that leads to other objects: a reference, one that may be nil, or the other side of one.
///
/// - SeeAlso: ``ReadScope/fetch(_:with:)``
public protocol Relation: Sendable {
  /// The result of ``ReadScope/fetch(_:with:)`` for it.
  associatedtype Loaded

  /// The objects that these relations lead to, in their order, read at once.
  ///
  /// - Parameters:
  ///   - relations: The values of the property, one for each object.
  ///   - transaction: The transaction that reads the objects.
  /// - Returns: A result for each of the relations.
  /// - Throws: `invalidValue` or `missingValue` when a type of an object refuses a stored value. `missingReference` for a
  ///   reference that leads to nothing, which a sound store does not have; `schemaMismatch` when the store was not opened for the
  ///   model; `corrupt`, `io`.
  /// - Complexity: A fixed number of reads, whatever the number of relations.
  static func load(_ relations: [Self], in transaction: ReadTransaction) throws(StorageError) -> [Loaded]
}

extension Ref: Relation {
  public typealias Loaded = Target

  /// The objects that are referred to.
  ///
  /// - Parameters:
  ///   - relations: The references; several may lead to one object.
  ///   - transaction: The transaction that reads the objects.
  /// - Throws: `invalidValue` or `missingValue` when a type of an object refuses a stored value. `missingReference` for a
  ///   reference that leads to nothing, which a sound store does not have; `schemaMismatch` when the store was not opened for the
  ///   model; `corrupt`, `io`.
  @inlinable
  public static func load(_ relations: [Ref], in transaction: ReadTransaction) throws(StorageError) -> [Target] {
    let (keys, places) = try transaction.distinctKeys(of: relations)
    let objects = try transaction.objects(Target.self, keys)
    var result: [Target] = []
    result.reserveCapacity(relations.count)
    for number in relations.indices {
      guard let object = objects[places[number]] else { throw relations[number].leadsToNothing }
      result.append(object)
    }
    return result
  }

  @usableFromInline var leadsToNothing: StorageError {
    StorageError(
      .missingReference, "there is no \(Target.modelDefinition.name) with the primary key \(key.keyText ?? "?")")
  }
}

extension Optional: Relation where Wrapped: OptionalRelation {
  public typealias Loaded = Wrapped.Target?

  @inlinable
  public static func load(
    _ relations: [Wrapped?], in transaction: ReadTransaction
  ) throws(StorageError) -> [Wrapped.Target?] {
    try Wrapped.loadPresent(relations, in: transaction)
  }
}

/// A relation that may be nil: ``Ref``.
public protocol OptionalRelation: Relation {
  /// The model of the object that it leads to.
  associatedtype Target: Model

  /// The objects that these relations lead to, in their order; nil for nil.
  ///
  /// - Parameters:
  ///   - relations: The values of the property, one for each object.
  ///   - transaction: The transaction that reads the objects.
  /// - Throws: As ``Relation/load(_:in:)``.
  static func loadPresent(_ relations: [Self?], in transaction: ReadTransaction) throws(StorageError) -> [Target?]

  /// The objects that these relations lead to, frozen, in their order; nil for nil.
  ///
  /// - Parameters:
  ///   - relations: The values of the property, one for each object.
  ///   - transaction: The transaction that reads the objects.
  /// - Throws: As ``FrozenRelation/loadFrozen(_:in:)``.
  static func loadFrozenPresent(
    _ relations: [Self?], in transaction: ReadTransaction
  ) throws(StorageError) -> [Frozen<Target>?]
}

extension Ref: OptionalRelation {
  @inlinable
  public static func loadPresent(
    _ relations: [Ref?], in transaction: ReadTransaction
  ) throws(StorageError) -> [Target?] {
    let (keys, places) = try transaction.distinctKeys(of: relations.compactMap { $0 })
    let objects = try transaction.objects(Target.self, keys)
    return spread(relations, places, objects)
  }

  public static func loadFrozenPresent(
    _ relations: [Ref?], in transaction: ReadTransaction
  ) throws(StorageError) -> [Frozen<Target>?] {
    let (keys, places) = try transaction.distinctKeys(of: relations.compactMap { $0 })
    return spread(relations, places, try transaction.frozenObjects(Target.self, keys))
  }

  /// The objects of references, of which the existing ones have a place each; nil for nil.
  @inlinable
  static func spread<R>(_ relations: [Ref?], _ places: [Int], _ objects: [R?]) -> [R?] {
    var next = 0
    var result: [R?] = []
    result.reserveCapacity(relations.count)
    for relation in relations {
      guard relation != nil, next < places.count else {
        result.append(nil)
        continue
      }
      result.append(objects[places[next]])
      next += 1
    }
    return result
  }
}

extension Many: Relation {
  public typealias Loaded = [Object]

  @inlinable
  public static func load(_ relations: [Many], in transaction: ReadTransaction) throws(StorageError) -> [[Object]] {
    guard !relations.isEmpty else { return [] }
    if let (keys, lists) = try transaction.linking(relations) {
      let objects = try transaction.objects(Object.self, keys)
      return lists.map { $0.compactMap { objects[$0] } }
    }
    let rows = try transaction.referring(to: relations)
    var found: [[Object]] = Array(repeating: [], count: rows.count)
    transaction.beginCoding()
    defer { transaction.endCoding() }
    try rows.cursor.forEach { row throws(StorageError) in
      let reader = try ModelReader(row, rows.binding)
      let place = try rows.place(of: reader.row)
      if place < found.count { found[place].append(try reader.object(Object.self)) }
      return true
    }
    return rows.places.map { found[$0] }
  }
}
