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
    for (reference, object) in zip(relations, try transaction.objects(of: relations)) {
      guard let object else {
        throw StorageError(
          .missingReference,
          "there is no \(Target.modelDefinition.name) with the primary key \(reference.key.keyText ?? "?")")
      }
      result.append(object)
    }
    return result
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
}

extension Ref: OptionalRelation {
  public static func loadPresent(
    _ relations: [Ref?], in transaction: ReadTransaction
  ) throws(StorageError) -> [Target?] {
    var objects = try transaction.objects(of: relations.compactMap { $0 }).makeIterator()
    return relations.map { $0 == nil ? nil : objects.next() ?? nil }
  }
}

extension Many: Relation {
  public typealias Loaded = [Object]

  public static func load(_ relations: [Many], in transaction: ReadTransaction) throws(StorageError) -> [[Object]] {
    try transaction.objects(of: relations)
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

  /// The objects that references lead to, in their order; nil where there is none.
  fileprivate func objects<M: Model>(of references: [Ref<M>]) throws(StorageError) -> [M?] {
    // Each object is read once. Keys are told apart by their bytes, as the store does it.
    var places: [Key: Int] = [:]
    var keys: [Key] = []
    var wanted: [Int] = []
    wanted.reserveCapacity(references.count)
    for reference in references {
      let key = try encodedKey(reference.key)
      let place = places[key] ?? keys.count
      if place == keys.count {
        places[key] = place
        keys.append(key)
      }
      wanted.append(place)
    }
    guard !keys.isEmpty else { return [] }
    let objects = try get(M.self, encoded: keys)
    return wanted.map { objects[$0] }
  }

  /// The objects of each, in the order of their primary keys.
  fileprivate func objects<M: Model>(of relations: [Many<M>]) throws(StorageError) -> [[M]] {
    guard let first = relations.first else { return [] }
    let binding = try store.binding(M.self)
    guard let slot = binding.schema.slot(named: first.property) else {
      throw StorageError(.invalidQuery, "there is no property \(first.property)", model: binding.name)
    }
    let property = binding.schema.properties[slot]
    let writer = KeyWriter()
    var places: [Key: Int] = [:]
    var values: [Value] = []
    var wanted: [Int] = []
    wanted.reserveCapacity(relations.count)
    for relation in relations {
      let value = try relation.owner.get()
      writer.removeAll()
      try writer.append(value, type: property.type, isOptional: property.isOptional, isDescending: false, isLast: true)
      let place = places[writer.key] ?? values.count
      if place == values.count {
        places[writer.key] = place
        values.append(value)
      }
      wanted.append(place)
    }
    var found: [[M]] = Array(repeating: [], count: values.count)
    let query = Query<M>().adding(.oneOf(.property(PropertyPath(first.property)), values))
    let cursor = try rows(query, binding)
    beginCoding()
    defer { endCoding() }
    try cursor.forEach { row throws(StorageError) in
      let reader = try ModelReader(row, binding)
      writer.removeAll()
      try writer.append(reader.row, binding.layout.slots[slot], binding.layout, isDescending: false, isLast: true)
      if let place = places[writer.key] { found[place].append(try reader.object(M.self)) }
      return true
    }
    return wanted.map { found[$0] }
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
