public import QuarryBackend

/// What can be read in one call, each in a transaction of its own: stores and frozen stores.
///
/// Each call has two forms. Where code may suspend, the asynchronous one is chosen, which runs on a thread of its own, so
/// that no task waits on the shared pool; elsewhere the other one.
public protocol Reading: Sendable {
  /// Reads in one committed state.
  func read<R>(_ body: (ReadTransaction) throws -> R) throws -> R
  /// Reads in one committed state, on a thread of its own.
  func read<R>(_ body: sending @escaping (ReadTransaction) throws -> sending R) async throws -> sending R
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
  public func exists<M: Model>(_ query: Query<M>) throws -> Bool {
    try read { try $0.exists(query) }
  }

  /// The objects of the query, in its order.
  @inlinable
  public func fetch<M: Model>(_ query: Query<M>) throws -> [M] {
    try read { try $0.fetch(query) }
  }

  /// Every object of the model, in the order of primary keys.
  @inlinable
  public func fetch<M: Model>(_ type: M.Type) throws -> [M] {
    try read { try $0.fetch(M.self) }
  }

  /// The objects of the query, sorted in memory by a closure. Limit and offset of the query choose before the sort.
  public func fetch<M: Model>(_ query: Query<M>, sortedBy areInIncreasingOrder: (M, M) throws -> Bool) throws -> [M] {
    try read { try $0.fetch(query, sortedBy: areInIncreasingOrder) }
  }

  /// The first object of the query, or nil when it gives none.
  @inlinable
  public func first<M: Model>(_ query: Query<M>) throws -> M? {
    try read { try $0.first(query) }
  }

  /// The number of objects that the query gives.
  public func count<M: Model>(_ query: Query<M>) throws -> Int {
    try read { try $0.count(query) }
  }

  /// The number of objects of the model.
  public func count<M: Model>(_ type: M.Type) throws -> Int {
    try read { try $0.count(M.self) }
  }

  /// The primary keys of the query's objects, in its order.
  public func keys<M: Model>(_ query: Query<M>) throws -> [M.PrimaryKey] {
    try read { try $0.keys(query) }
  }

  /// Some columns of the query's objects, in its order. Other columns are not read.
  public func select<M: Model, each V: Storable>(
    _ query: Query<M>, _ columns: repeat KeyPath<M.Columns, Column<each V>>
  ) throws -> [(repeat each V)] {
    try read { try $0.select(query, repeat each columns) }
  }

  /// Calls the body with each object of the query, in its order and in bounded memory.
  public func forEach<M: Model>(_ query: Query<M>, _ body: (M) throws -> Void) throws {
    try read { try $0.forEach(query, body) }
  }

  /// The objects of the query, in its order, frozen.
  @inlinable
  public func frozen<M: Model>(_ query: Query<M>) throws -> [Frozen<M>] {
    try read { try $0.frozen(query) }
  }

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
  public func explain<M: Model>(_ query: Query<M>) throws -> QueryPlan {
    try read { try $0.explain(query) }
  }
}
