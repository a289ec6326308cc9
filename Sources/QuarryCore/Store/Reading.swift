public import QuarryBackend

/// What can be read in one call, each in a transaction of its own: stores and frozen stores.
public protocol Reading: Sendable {
  /// Reads in one committed state.
  func read<R>(_ body: (ReadTransaction) throws -> R) throws -> R
}

extension Store: Reading {}
extension FrozenStore: Reading {}

extension Reading {
  /// The object with the primary key, or nil when there is none.
  @inlinable
  public func get<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws -> M? {
    try read { try $0.get(M.self, key) }
  }

  /// The objects with these primary keys, in their order; nil where there is none.
  @inlinable
  public func get<M: Model>(_ type: M.Type, keys: some Sequence<M.PrimaryKey>) throws -> [M?] {
    try read { try $0.get(M.self, keys: keys) }
  }

  /// Whether there is an object with the primary key.
  public func exists<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws -> Bool {
    try read { try $0.exists(M.self, key) }
  }

  /// Whether the query gives an object.
  public func exists<M: Model>(_ query: Query<M>) throws -> Bool { try read { try $0.exists(query) } }

  /// The objects of the query, in its order.
  @inlinable
  public func fetch<M: Model>(_ query: Query<M>) throws -> [M] { try read { try $0.fetch(query) } }

  /// Every object of the model, in the order of primary keys.
  @inlinable
  public func fetch<M: Model>(_ type: M.Type) throws -> [M] { try read { try $0.fetch(M.self) } }

  /// The first object of the query, or nil when it gives none.
  @inlinable
  public func first<M: Model>(_ query: Query<M>) throws -> M? { try read { try $0.first(query) } }

  /// The number of objects that the query gives.
  public func count<M: Model>(_ query: Query<M>) throws -> Int { try read { try $0.count(query) } }

  /// The number of objects of the model.
  public func count<M: Model>(_ type: M.Type) throws -> Int { try read { try $0.count(M.self) } }

  /// The primary keys of the query's objects, in its order.
  public func keys<M: Model>(_ query: Query<M>) throws -> [M.PrimaryKey] { try read { try $0.keys(query) } }

  /// The objects of the query, in its order, frozen.
  @inlinable
  public func frozen<M: Model>(_ query: Query<M>) throws -> [Frozen<M>] { try read { try $0.frozen(query) } }

  /// The object with the primary key, frozen, or nil when there is none.
  @inlinable
  public func frozen<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws -> Frozen<M>? {
    try read { try $0.frozen(M.self, key) }
  }

  /// A page of the query's objects, and where the next one begins.
  public func page<M: Model>(_ query: Query<M>, size: Int) throws -> Page<M> {
    try read { try $0.page(query, size: size) }
  }

  /// How the engine would execute the query.
  public func explain<M: Model>(_ query: Query<M>) throws -> QueryPlan { try read { try $0.explain(query) } }
}

extension Store {
  /// The object with the primary key, or nil when there is none: the quick form, without a transaction object.
  @inlinable
  public func get<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws -> M? {
    if let outer = joined() { return try outer.get(M.self, key) }
    let binding = try binding(M.self)
    var result: M?
    _ = try key.withKeyBytes { bytes throws(StorageError) in
      try backend.withRow(binding.model, bytes) { row throws(StorageError) in
        result = try M(reading: ModelReader(row, binding))
      }
    }
    return result
  }

  /// The transaction of this store that runs on this thread.
  @usableFromInline
  func joined() -> ReadTransaction? {
    TransactionFrame.transaction(of: identity)
  }
}

extension Store {
  /// Adds an object, in a transaction of its own. See ``WriteTransaction/insert(_:)``.
  @inlinable
  public func insert<M: Model>(_ object: M) throws { try write { try $0.insert(object) } }

  /// Adds objects: all of them, or none when it throws.
  @inlinable
  public func insert<M: Model>(contentsOf objects: some Sequence<M>) throws {
    try write { try $0.insert(contentsOf: objects) }
  }

  /// Adds the object, or replaces the one with its primary key.
  ///
  /// - Returns: Whether the object was added.
  @discardableResult
  @inlinable
  public func upsert<M: Model>(_ object: M) throws -> Bool { try write { try $0.upsert(object) } }

  /// Adds or replaces objects: all of them, or none when it throws.
  ///
  /// - Returns: How many were added.
  @discardableResult
  @inlinable
  public func upsert<M: Model>(contentsOf objects: some Sequence<M>) throws -> Int {
    try write { try $0.upsert(contentsOf: objects) }
  }

  /// The stored object with the primary key of this one, or this one after adding it.
  @inlinable
  public func getOrInsert<M: Model>(_ object: M) throws -> M { try write { try $0.getOrInsert(object) } }

  /// The object with the primary key, or the one that the closure makes, after adding it.
  @inlinable
  public func getOrInsert<M: Model>(_ type: M.Type, _ key: M.PrimaryKey, _ make: () throws -> M) throws -> M {
    try write { try $0.getOrInsert(M.self, key, make) }
  }

  /// Changes the object with the primary key, writing only the properties that were changed.
  ///
  /// - Returns: The object as it is stored now.
  @discardableResult
  @inlinable
  public func update<M: Model>(_ type: M.Type, _ key: M.PrimaryKey, _ change: (inout M) throws -> Void) throws -> M {
    try write { try $0.update(M.self, key, change) }
  }

  /// Changes columns of the object with the primary key by assignments that the engine makes itself.
  @inlinable
  public func assign<M: Model>(
    _ type: M.Type, _ key: M.PrimaryKey, _ assign: (inout Assignments<M>) -> Void
  ) throws {
    try write { try $0.assign(M.self, key, assign) }
  }

  /// Replaces the stored object that has the primary key of this one.
  @inlinable
  public func update<M: Model>(_ object: M) throws { try write { try $0.update(object) } }

  /// Replaces the stored object if it is still as it was read; throws `conflict` when it is not.
  @inlinable
  public func update<M: Model>(_ object: M, ifUnchangedFrom old: M) throws {
    try write { try $0.update(object, ifUnchangedFrom: old) }
  }

  /// Changes every object of the query with a closure.
  ///
  /// - Returns: How many objects the query gave.
  @discardableResult
  @inlinable
  public func update<M: Model>(_ query: Query<M>, _ change: (inout M) throws -> Void) throws -> Int {
    try write { try $0.update(query, change) }
  }

  /// Changes columns of every object of the query by assignments that the engine makes itself.
  ///
  /// - Returns: How many objects the query gave.
  @discardableResult
  @inlinable
  public func assign<M: Model>(_ query: Query<M>, _ assign: (inout Assignments<M>) -> Void) throws -> Int {
    try write { try $0.assign(query, assign) }
  }

  /// Removes the object with the primary key of this one.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  @inlinable
  public func delete<M: Model>(_ object: M) throws -> Bool { try write { try $0.delete(object) } }

  /// Removes the object with the primary key.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  @inlinable
  public func delete<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws -> Bool {
    try write { try $0.delete(M.self, key) }
  }

  /// Removes every object of the query.
  ///
  /// - Returns: How many there were.
  @discardableResult
  @inlinable
  public func delete<M: Model>(_ query: Query<M>) throws -> Int { try write { try $0.delete(query) } }

  /// Removes every object of the model.
  ///
  /// - Returns: How many there were.
  @discardableResult
  @inlinable
  public func deleteAll<M: Model>(_ type: M.Type) throws -> Int { try write { try $0.deleteAll(M.self) } }
}
