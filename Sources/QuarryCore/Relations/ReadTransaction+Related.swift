import QuarryBackend
import QuarryQuery

// The reads behind `with:`: one for each relation, whatever the number of objects.

extension ReadTransaction {
  /// The objects that references lead to, in their order; nil where there is none.
  func targets<M: Model>(of references: [Ref<M>]) throws(StorageError) -> [M?] {
    try targets(of: references) { keys throws(StorageError) in try get(M.self, encoded: keys) }
  }

  /// What references lead to, in their order; nil where there is none.
  ///
  /// - Parameter read: Reads the objects of different keys. It is not called without any.
  func targets<M: Model, R>(
    of references: [Ref<M>], _ read: ([Key]) throws(StorageError) -> [R?]
  ) throws(StorageError) -> [R?] {
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
    let objects = try read(keys)
    return wanted.map { objects[$0] }
  }

  /// What is made of the objects of each, in the order of their primary keys.
  ///
  /// - Parameter make: Makes it of a row, which is lent for the call.
  func referring<M: Model, R>(
    _ relations: [Many<M>], _ make: (ModelReader, UnsafeRawBufferPointer) throws(StorageError) -> R
  ) throws(StorageError) -> [[R]] {
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
    var found: [[R]] = Array(repeating: [], count: values.count)
    let query = Query<M>().adding(.oneOf(.property(PropertyPath(first.property)), values))
    let cursor = try rows(query, binding)
    beginCoding()
    defer { endCoding() }
    try cursor.forEach { row throws(StorageError) in
      let reader = try ModelReader(row, binding)
      writer.removeAll()
      try writer.append(reader.row, binding.layout.slots[slot], binding.layout, isDescending: false, isLast: true)
      if let place = places[writer.key] { found[place].append(try make(reader, row)) }
      return true
    }
    return wanted.map { found[$0] }
  }
}
