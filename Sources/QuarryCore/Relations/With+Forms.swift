public import QuarryBackend
import QuarryQuery

/// A relation whose objects can be had frozen.
///
/// - SeeAlso: ``ReadTransaction/frozen(_:with:)``
public protocol FrozenRelation: Relation {
  /// What ``ReadTransaction/frozen(_:with:)`` gives for it.
  associatedtype LoadedFrozen

  /// What these relations lead to, in their order, read at once.
  static func loadFrozen(
    _ relations: [Self], in transaction: ReadTransaction
  ) throws(StorageError) -> [LoadedFrozen]
}

extension Ref: FrozenRelation {
  /// The objects that are referred to, frozen.
  ///
  /// - Throws: `missingReference` for one that leads to nothing, which a store that is sound does not have.
  public static func loadFrozen(
    _ relations: [Ref], in transaction: ReadTransaction
  ) throws(StorageError) -> [Frozen<Target>] {
    let (keys, places) = try transaction.distinctKeys(of: relations)
    let objects = try transaction.frozenObjects(Target.self, keys)
    var result: [Frozen<Target>] = []
    result.reserveCapacity(relations.count)
    for number in relations.indices {
      guard let object = objects[places[number]] else { throw relations[number].leadsToNothing }
      result.append(object)
    }
    return result
  }
}

extension Optional: FrozenRelation where Wrapped: OptionalRelation {
  public static func loadFrozen(
    _ relations: [Wrapped?], in transaction: ReadTransaction
  ) throws(StorageError) -> [Frozen<Wrapped.Target>?] {
    try Wrapped.loadFrozenPresent(relations, in: transaction)
  }
}

extension Many: FrozenRelation {
  public static func loadFrozen(
    _ relations: [Many], in transaction: ReadTransaction
  ) throws(StorageError) -> [[Frozen<Object>]] {
    guard !relations.isEmpty else { return [] }
    if let (keys, lists) = try transaction.linking(relations) {
      let objects = try transaction.frozenObjects(Object.self, keys)
      return lists.map { $0.compactMap { objects[$0] } }
    }
    let rows = try transaction.referring(to: relations)
    var found: [[Frozen<Object>]] = Array(repeating: [], count: rows.count)
    let slabs = FrozenSlabs(rows.binding)
    try rows.cursor.forEach { row throws(StorageError) in
      let object: Frozen<Object> = try slabs.freeze(row)
      let place = try rows.place(of: object.reader.row)
      if place < found.count { found[place].append(object) }
      return true
    }
    return rows.places.map { found[$0] }
  }
}

extension ReadTransaction {
  /// The objects of the query, in its order, frozen, each with what its properties lead to:
  /// `try tx.frozen(Book.all, with: \.author)`.
  ///
  /// - Throws: `corrupt` when a stored row is damaged; `invalidValue` when a type of the objects refuses what is stored.
  /// - Complexity: One more read for each relation, whatever the number of objects, and each object of the query is made
  ///   once to ask it for its relations.
  public func frozen<M: Model, each R: FrozenRelation>(
    _ query: Query<M>, with relations: repeat KeyPath<M, each R>
  ) throws(StorageError) -> [(Frozen<M>, repeat (each R).LoadedFrozen)] {
    let frozen = try frozen(query)
    var objects: [M] = []
    objects.reserveCapacity(frozen.count)
    for object in frozen { objects.append(try object.thawed()) }
    let loaded = (repeat try (each R).loadFrozen(PropertyPlace(each relations).values(of: objects), in: self))
    return frozen.indices.map { (frozen[$0], repeat (each loaded)[$0]) }
  }

  /// The objects of the query, mapped, in its order, each with what the properties of its stored form lead to.
  ///
  /// - Complexity: As of ``fetch(_:with:)``.
  public func fetch<T: Mapped, each R: Relation>(
    _ query: Query<T.Stored>, as type: T.Type, with relations: repeat KeyPath<T.Stored, each R>
  ) throws -> [(T, repeat (each R).Loaded)] {
    let objects = try fetch(query)
    let loaded = (repeat try (each R).load(PropertyPlace(each relations).values(of: objects), in: self))
    var result: [(T, repeat (each R).Loaded)] = []
    result.reserveCapacity(objects.count)
    for place in objects.indices {
      result.append((try T(stored: objects[place]), repeat (each loaded)[place]))
    }
    return result
  }
}

extension FrozenStore {
  /// The objects of the query, in its order, frozen, each with what its properties lead to.
  public func frozen<M: Model, each R: FrozenRelation>(
    _ query: Query<M>, with relations: repeat KeyPath<M, each R>
  ) throws -> [(Frozen<M>, repeat (each R).LoadedFrozen)] {
    try read { try $0.frozen(query, with: repeat each relations) }
  }
}

extension Reading {
  /// The objects of the query, in its order, each with what its properties lead to:
  /// `try await store.fetch(Book.all, with: \.author)`.
  public func fetch<M: Model, each R: Relation>(
    _ query: Query<M>, with relations: repeat any KeyPath<M, each R> & Sendable
  ) async throws -> [(M, repeat (each R).Loaded)] where repeat (each R).Loaded: Sendable {
    try await read { try $0.fetch(query, with: repeat each relations) }
  }

  /// The objects of the query, mapped, in its order, each with what the properties of its stored form lead to.
  public func fetch<T: Mapped, each R: Relation>(
    _ query: Query<T.Stored>, as type: T.Type, with relations: repeat KeyPath<T.Stored, each R>
  ) throws -> [(T, repeat (each R).Loaded)] {
    try read { try $0.fetch(query, as: T.self, with: repeat each relations) }
  }
}
