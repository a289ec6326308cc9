public import QuarryBackend
import QuarryQuery

/// A property of a model that leads to other objects: a reference, one that may be nil, or the other side of one.
///
/// - SeeAlso: ``ReadTransaction/fetch(_:with:)``
public protocol Relation: Sendable {
  /// What ``ReadTransaction/fetch(_:with:)`` gives for it.
  associatedtype Loaded

  /// What these relations lead to, in their order, read at once.
  static func load(_ relations: [Self], in transaction: ReadTransaction) throws(StorageError) -> [Loaded]
}

extension Ref: Relation {
  public typealias Loaded = Target

  /// The objects that are referred to.
  ///
  /// - Throws: `missingReference` for one that leads to nothing, which a store that is sound does not have.
  public static func load(_ relations: [Ref], in transaction: ReadTransaction) throws(StorageError) -> [Target] {
    var result: [Target] = []
    result.reserveCapacity(relations.count)
    for (reference, object) in zip(relations, try transaction.targets(of: relations)) {
      guard let object else { throw reference.leadsToNothing }
      result.append(object)
    }
    return result
  }

  var leadsToNothing: StorageError {
    StorageError(
      .missingReference, "there is no \(Target.modelDefinition.name) with the primary key \(key.keyText ?? "?")")
  }
}

extension Optional: Relation where Wrapped: OptionalRelation {
  public typealias Loaded = Wrapped.Target?

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

  /// What these relations lead to, in their order; nil for nil.
  static func loadPresent(_ relations: [Self?], in transaction: ReadTransaction) throws(StorageError) -> [Target?]

  /// What these relations lead to, frozen, in their order; nil for nil.
  static func loadFrozenPresent(
    _ relations: [Self?], in transaction: ReadTransaction
  ) throws(StorageError) -> [Frozen<Target>?]
}

extension Ref: OptionalRelation {
  public static func loadPresent(
    _ relations: [Ref?], in transaction: ReadTransaction
  ) throws(StorageError) -> [Target?] {
    var objects = try transaction.targets(of: relations.compactMap { $0 }).makeIterator()
    return relations.map { $0 == nil ? nil : objects.next() ?? nil }
  }

  public static func loadFrozenPresent(
    _ relations: [Ref?], in transaction: ReadTransaction
  ) throws(StorageError) -> [Frozen<Target>?] {
    var objects = try transaction.frozenTargets(of: relations.compactMap { $0 }).makeIterator()
    return relations.map { $0 == nil ? nil : objects.next() ?? nil }
  }
}

extension Many: Relation {
  public typealias Loaded = [Object]

  public static func load(_ relations: [Many], in transaction: ReadTransaction) throws(StorageError) -> [[Object]] {
    try transaction.referring(relations) { reader, _ throws(StorageError) in try reader.object(Object.self) }
  }
}

extension ReadTransaction {
  /// The objects of the query, in its order, each with what its properties lead to:
  /// `try tx.fetch(Book.all, with: \.author)`.
  ///
  /// - Complexity: One more read for each relation, whatever the number of objects. The objects are in memory at once.
  public func fetch<M: Model, each R: Relation>(
    _ query: Query<M>, with relations: repeat KeyPath<M, each R>
  ) throws(StorageError) -> [(M, repeat (each R).Loaded)] {
    let objects = try fetch(query)
    let loaded = (repeat try (each R).load(objects.map { $0[keyPath: each relations] }, in: self))
    return objects.indices.map { (objects[$0], repeat (each loaded)[$0]) }
  }
}

extension Reading {
  /// The objects of the query, in its order, each with what its properties lead to:
  /// `try store.fetch(Book.all, with: \.author)`.
  public func fetch<M: Model, each R: Relation>(
    _ query: Query<M>, with relations: repeat KeyPath<M, each R>
  ) throws -> [(M, repeat (each R).Loaded)] {
    try read { try $0.fetch(query, with: repeat each relations) }
  }
}
