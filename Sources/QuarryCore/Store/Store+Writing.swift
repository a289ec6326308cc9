public import Foundation

extension Store {
  /// Adds an object, in a transaction of its own. See ``WriteTransaction/insert(_:)``.
  @inlinable
  public func insert<M: Model>(_ object: M) throws {
    if makesRowsAhead { return try insertAhead(object) }
    try writeCall { try $0.insert(object) }
  }

  /// Adds objects: all of them, or none when it throws.
  @inlinable
  public func insert<M: Model>(contentsOf objects: some Sequence<M>) throws {
    try write { try $0.insert(contentsOf: objects) }
  }

  /// Adds objects and says how far it is: all of them, or none when it throws or the progress is cancelled.
  public func insert<M: Model>(contentsOf objects: some Sequence<M>, progress: Progress) throws {
    try write { try $0.insert(contentsOf: objects, progress: progress) }
  }

  /// Adds the object, or replaces the one with its primary key.
  ///
  /// - Returns: Whether the object was added.
  @discardableResult
  @inlinable
  public func upsert<M: Model>(_ object: M) throws -> Bool {
    try writeCall { try $0.upsert(object) }
  }

  /// Adds or replaces objects: all of them, or none when it throws.
  ///
  /// - Returns: How many were added.
  @discardableResult
  @inlinable
  public func upsert<M: Model>(contentsOf objects: some Sequence<M>) throws -> Int {
    try write { try $0.upsert(contentsOf: objects) }
  }

  /// Adds or replaces objects and says how far it is: all of them, or none when it throws or the progress is cancelled.
  ///
  /// - Returns: How many were added.
  @discardableResult
  public func upsert<M: Model>(contentsOf objects: some Sequence<M>, progress: Progress) throws -> Int {
    try write { try $0.upsert(contentsOf: objects, progress: progress) }
  }

  /// Adds the object, or, where there is one with its primary key, replaces only these columns of it.
  ///
  /// - Returns: Whether the object was added.
  @discardableResult
  public func upsert<M: Model, each V: Storable>(
    _ object: M, updating columns: repeat KeyPath<M.Columns, Column<each V>>
  ) throws -> Bool {
    try write { try $0.upsert(object, updating: repeat each columns) }
  }

  /// The stored object with the primary key of this one, or this one after adding it.
  @inlinable
  public func getOrInsert<M: Model>(_ object: M) throws -> M {
    try write { try $0.getOrInsert(object) }
  }

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

  /// Replaces the stored object that has the primary key of this one.
  @inlinable
  public func update<M: Model>(_ object: M) throws {
    try writeCall { try $0.update(object) }
  }

  /// Replaces the stored object if it is still as it was read; throws `conflict` when it is not.
  @inlinable
  public func update<M: Model>(_ object: M, ifUnchangedFrom old: M) throws {
    try writeCall { try $0.update(object, ifUnchangedFrom: old) }
  }

  /// Replaces the stored object if a column still has the expected value; throws `conflict` when it has not.
  public func update<M: Model, V: Storable>(_ object: M, ifStored column: KeyPath<M.Columns, Column<V>>, is value: V)
    throws
  {
    try write { try $0.update(object, ifStored: column, is: value) }
  }

  /// Changes every object of the query with a closure.
  ///
  /// - Returns: How many objects the query gave.
  @discardableResult
  @inlinable
  public func update<M: Model>(_ query: Query<M>, _ change: (inout M) throws -> Void) throws -> Int {
    try write { try $0.update(query, change) }
  }

  /// Changes columns of the object with the primary key by assignments that the engine makes itself.
  @inlinable
  public func assign<M: Model>(_ type: M.Type, _ key: M.PrimaryKey, _ assign: (inout Assignments<M>) -> Void) throws {
    try write { try $0.assign(M.self, key, assign) }
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
  public func delete<M: Model>(_ object: M) throws -> Bool {
    try writeCall { try $0.delete(object) }
  }

  /// Removes the object with the primary key.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  @inlinable
  public func delete<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws -> Bool {
    try writeCall { try $0.delete(M.self, key) }
  }

  /// Removes the objects with these primary keys.
  ///
  /// - Returns: How many there were.
  @discardableResult
  @inlinable
  public func delete<M: Model>(_ type: M.Type, keys: some Sequence<M.PrimaryKey>) throws -> Int {
    try write { try $0.delete(M.self, keys: keys) }
  }

  /// Removes every object of the query.
  ///
  /// - Returns: How many there were.
  @discardableResult
  @inlinable
  public func delete<M: Model>(_ query: Query<M>) throws -> Int {
    try write { try $0.delete(query) }
  }

  /// Removes every object of the model.
  ///
  /// - Returns: How many there were.
  @discardableResult
  @inlinable
  public func deleteAll<M: Model>(_ type: M.Type) throws -> Int {
    try write { try $0.deleteAll(M.self) }
  }
}
