public import QuarryBackend

extension ReadScope {
  /// The objects of the selection, in its order, frozen.
  ///
  /// - Parameter selection: A query, the ``Many`` of an object, or its ``Links``.
  /// - Throws: `corrupt` when a stored row is damaged; `invalidQuery`, `unsupported` or `limitExceeded` for a query that cannot
  ///   be executed; `io`. A value that its type refuses throws when the frozen object is read.
  /// - Complexity: O(n) in the number of objects. Their rows are copied as they are stored, and are in memory at once.
  // calls: async
  @inlinable
  public func frozen<M: Model>(_ selection: some Selection<M>) throws -> [Frozen<M>] {
    try reading { tx throws(StorageError) in try tx.frozenObjects(selection) }
  }

  /// The object with the primary key, frozen, or nil when there is none.
  ///
  /// - Parameters:
  ///   - type: The model of the object.
  ///   - key: Its primary key.
  /// - Throws: `corrupt` when the stored row is damaged; `io`.
  // calls: async
  @inlinable
  public func frozen<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws -> Frozen<M>? {
    try reading { tx throws(StorageError) in
      let binding = try tx.context.binding(M.self)
      tx.beginCoding()
      defer { tx.endCoding() }
      guard let row = try tx.row(key, binding) else { return nil }
      return Frozen(slab: try FrozenSlab.holding(row, binding), offset: 0, count: row.count)
    }
  }

  /// The objects of the selection, in its order, frozen, each with the objects that its properties lead to:
  /// `try tx.frozen(Book.all, with: \.author)`.
  ///
  /// - Parameters:
  ///   - selection: A query, the ``Many`` of an object, or its ``Links``.
  ///   - relations: Properties of the model that lead to other objects: ``Ref``, ``Many`` or ``Links``, optional or not.
  /// - Throws: `corrupt` when a stored row is damaged; `invalidValue` when a type of the objects refuses a stored value.
  /// - Complexity: One more read for each relation, whatever the number of objects. Each object of the selection is created once
  ///   to read its relations.
  public func frozen<M: Model, each R: FrozenRelation>(
    _ selection: some Selection<M>, with relations: repeat KeyPath<M, each R>
  ) throws -> [(Frozen<M>, repeat (each R).LoadedFrozen)] {
    try reading { tx throws(StorageError) in
      let frozen = try tx.frozenObjects(selection)
      var objects: [M] = []
      objects.reserveCapacity(frozen.count)
      for object in frozen { objects.append(try object.thawed()) }
      let loaded = (repeat try (each R).loadFrozen(PropertyPlace(each relations).values(of: objects), in: tx))
      return frozen.indices.map { (frozen[$0], repeat (each loaded)[$0]) }
    }
  }

  /// The objects of the selection, in its order, each with the objects that a property leads to:
  /// `try tx.fetch(Book.all, with: \.author)`.
  ///
  /// - Parameters:
  ///   - selection: A query, the ``Many`` of an object, or its ``Links``.
  ///   - relation: A property of the model that leads to other objects.
  /// - Throws: As ``fetch(_:onUnreadable:)``.
  /// - Complexity: One more read, whatever the number of objects. The objects are in memory at once.
  // calls: async where R.Loaded: Sendable
  @inlinable
  public func fetch<M: Model, R: Relation>(
    _ selection: some Selection<M>, with relation: KeyPath<M, R>
  ) throws -> [(M, R.Loaded)] {
    try reading { tx throws(StorageError) in
      let objects = try tx.objects(of: selection)
      let loaded = try R.load(PropertyPlace(relation).values(of: objects), in: tx)
      var result: [(M, R.Loaded)] = []
      result.reserveCapacity(objects.count)
      for number in objects.indices { result.append((objects[number], loaded[number])) }
      return result
    }
  }

  /// The objects of the selection, in its order, each with the objects that its properties lead to:
  /// `try tx.fetch(Book.all, with: \.author, \.tags)`.
  ///
  /// - Parameters:
  ///   - selection: A query, the ``Many`` of an object, or its ``Links``.
  ///   - first: A property of the model that leads to other objects.
  ///   - second: Another such property.
  ///   - others: Further ones; the results have their objects in the same order.
  /// - Throws: As ``fetch(_:onUnreadable:)``.
  /// - Complexity: One more read for each relation, whatever the number of objects. The objects are in memory at once.
  // calls: async where First.Loaded: Sendable, Second.Loaded: Sendable, repeat (each R).Loaded: Sendable
  @inlinable
  public func fetch<M: Model, First: Relation, Second: Relation, each R: Relation>(
    _ selection: some Selection<M>, with first: KeyPath<M, First>, _ second: KeyPath<M, Second>,
    _ others: repeat KeyPath<M, each R>
  ) throws -> [(M, First.Loaded, Second.Loaded, repeat (each R).Loaded)] {
    try reading { tx throws(StorageError) in
      let objects = try tx.objects(of: selection)
      let one = try First.load(PropertyPlace(first).values(of: objects), in: tx)
      let two = try Second.load(PropertyPlace(second).values(of: objects), in: tx)
      let loaded = (repeat try (each R).load(PropertyPlace(each others).values(of: objects), in: tx))
      return objects.indices.map { (objects[$0], one[$0], two[$0], repeat (each loaded)[$0]) }
    }
  }
}

extension ReadTransaction {
  @inlinable
  final func frozenObjects<M: Model>(_ selection: some Selection<M>) throws(StorageError) -> [Frozen<M>] {
    if selection.list != nil { return try frozenList(selection) }
    let query = selection.query
    let binding = try context.binding(M.self)
    var result: [Frozen<M>] = []
    let slabs = FrozenSlabs(binding)
    try rows(query, binding).forEach(makeRoom: { result.reserveCapacity($0) }) { row throws(StorageError) in
      result.append(try slabs.freeze(row))
      return true
    }
    return result
  }

  @usableFromInline
  final func frozenList<M: Model>(_ selection: some Selection<M>) throws(StorageError) -> [Frozen<M>] {
    let binding = try context.binding(M.self)
    var result: [Frozen<M>] = []
    let slabs = FrozenSlabs(binding)
    try forEachRow(of: selection, binding) { row throws(StorageError) in result.append(try slabs.freeze(row)) }
    return result
  }
}
