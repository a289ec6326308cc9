import QuarryBackend
import QuarryQuery

// The reads behind `with:`: one for each relation, whatever the number of objects.

extension ReadTransaction {
  /// The keys of references, each once, and the place of each reference among them.
  @inlinable
  final func distinctKeys<M: Model>(
    of references: [Ref<M>]
  ) throws(StorageError) -> (keys: [Key], places: [Int]) {
    var distinct = DistinctKeys()
    var places: [Int] = []
    places.reserveCapacity(references.count)
    beginCoding()
    defer { endCoding() }
    for reference in references {
      places.append(try reference.key.withKeyBytes { distinct.place(of: $0) })
    }
    return (distinct.keys, places)
  }

  /// The objects with these keys, in their order; nil where there is none.
  @inlinable
  final func objects<M: Model>(_ type: M.Type, _ keys: [Key]) throws(StorageError) -> [M?] {
    keys.isEmpty ? [] : try get(M.self, encoded: keys)
  }

  /// The objects with these keys, frozen, in their order; nil where there is none.
  final func frozenObjects<M: Model>(_ type: M.Type, _ keys: [Key]) throws(StorageError) -> [Frozen<M>?] {
    guard !keys.isEmpty else { return [] }
    let binding = try context.binding(M.self)
    var result: [Frozen<M>?] = []
    result.reserveCapacity(keys.count)
    let slabs = FrozenSlabs(binding)
    try backend.rows(binding.model, keys) { _, row throws(StorageError) in
      guard let row else { return result.append(nil) }
      result.append(try slabs.freeze(row))
    }
    return result
  }

  /// The rows that refer to owners.
  @usableFromInline
  final func referring<M: Model>(to owners: [Many<M>]) throws(StorageError) -> ReferringRows {
    let binding = try context.binding(M.self)
    let name = owners.first?.property ?? ""
    guard let slot = binding.schema.slot(named: name) else {
      throw .noProperty(name, in: binding.name, among: [])
    }
    let property = binding.schema.properties[slot]
    let writer = KeyWriter()
    var distinct = DistinctKeys()
    var values: [Value] = []
    var places: [Int] = []
    places.reserveCapacity(owners.count)
    for owner in owners {
      let value = try owner.owner.get()
      writer.removeAll()
      try writer.append(value, type: property.type, isOptional: property.isOptional, isDescending: false, isLast: true)
      let place = distinct.place(of: writer.bytes)
      places.append(place)
      if place == values.count { values.append(value) }
    }
    let query = Query<M>().adding(.oneOf(.property(PropertyPath(name)), values))
    return ReferringRows(
      binding: binding, slot: slot, places: places, owners: distinct, cursor: try rows(query, binding))
  }
}

/// Rows that refer to owners, and where their owners are.
@usableFromInline
final class ReferringRows {
  @usableFromInline let binding: ModelBinding
  /// For each requested owner its place among the different ones.
  @usableFromInline let places: [Int]
  @usableFromInline let cursor: any RowCursor
  private let slot: Int
  private var owners: DistinctKeys
  private let writer = KeyWriter()

  init(binding: ModelBinding, slot: Int, places: [Int], owners: DistinctKeys, cursor: any RowCursor) {
    self.binding = binding
    self.slot = slot
    self.places = places
    self.owners = owners
    self.cursor = cursor
  }

  /// The number of different owners.
  @usableFromInline var count: Int { owners.keys.count }

  /// The place of the owner that a row refers to.
  @usableFromInline
  func place(of row: RowView) throws(StorageError) -> Int {
    writer.removeAll()
    try writer.append(row, binding.layout.slots[slot], binding.layout, isDescending: false, isLast: true)
    return owners.place(of: writer.bytes)
  }
}
