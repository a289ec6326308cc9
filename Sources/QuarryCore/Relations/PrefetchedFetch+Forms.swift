public import QuarryBackend
import QuarryQuery

/// A relation whose objects can be read frozen.
///
/// - SeeAlso: ``ReadScope/frozen(_:with:)``
public protocol FrozenRelation: Relation {
  /// The result of ``ReadScope/frozen(_:with:)`` for it.
  associatedtype LoadedFrozen

  /// The objects that these relations lead to, in their order, read at once.
  ///
  /// - Parameters:
  ///   - relations: The values of the property, one for each object.
  ///   - transaction: The transaction that reads the objects.
  /// - Returns: A result for each of the relations.
  /// - Throws: `missingReference` for a reference that leads to nothing, which a sound store does not have; `schemaMismatch` when
  ///   the store was not opened for the model; `corrupt`, `io`.
  /// - Complexity: A fixed number of reads, whatever the number of relations.
  static func loadFrozen(
    _ relations: [Self], in transaction: ReadTransaction
  ) throws(StorageError) -> [LoadedFrozen]
}

extension Ref: FrozenRelation {
  /// The objects that are referred to, frozen.
  ///
  /// - Throws: As ``FrozenRelation/loadFrozen(_:in:)``.
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
