public import QuarryBackend

extension Reading {
  /// The object with the primary key, or nil when there is none.
  public func get<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) async throws -> M? {
    try await read { try $0.get(M.self, key) }
  }

  /// The objects with these primary keys, in their order; nil where there is none.
  public func get<M: Model>(_ type: M.Type, keys: sending some Sequence<M.PrimaryKey> & SendableMetatype) async throws
    -> [M?]
  {
    try await read { try $0.get(M.self, keys: keys) }
  }

  /// Whether there is an object with the primary key.
  public func exists<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) async throws -> Bool {
    try await read { try $0.exists(M.self, key) }
  }

  /// Whether the query gives an object.
  public func exists<M: Model>(_ query: Query<M>) async throws -> Bool {
    try await read { try $0.exists(query) }
  }

  /// The objects of the query, in its order.
  public func fetch<M: Model>(_ query: Query<M>) async throws -> [M] {
    try await read { try $0.fetch(query) }
  }

  /// Every object of the model, in the order of primary keys.
  public func fetch<M: Model>(_ type: M.Type) async throws -> [M] {
    try await read { try $0.fetch(M.self) }
  }

  /// The objects of the query, sorted in memory by a closure. Limit and offset of the query choose before the sort.
  public func fetch<M: Model>(_ query: Query<M>, sortedBy areInIncreasingOrder: sending @escaping (M, M) throws -> Bool)
    async throws -> [M]
  {
    try await read { try $0.fetch(query, sortedBy: areInIncreasingOrder) }
  }

  /// The first object of the query, or nil when it gives none.
  public func first<M: Model>(_ query: Query<M>) async throws -> M? {
    try await read { try $0.first(query) }
  }

  /// The number of objects that the query gives.
  public func count<M: Model>(_ query: Query<M>) async throws -> Int {
    try await read { try $0.count(query) }
  }

  /// The number of objects of the model.
  public func count<M: Model>(_ type: M.Type) async throws -> Int {
    try await read { try $0.count(M.self) }
  }

  /// The primary keys of the query's objects, in its order.
  public func keys<M: Model>(_ query: Query<M>) async throws -> [M.PrimaryKey] {
    try await read { try $0.keys(query) }
  }

  /// Some columns of the query's objects, in its order. Other columns are not read.
  public func select<M: Model, each V: Storable>(
    _ query: Query<M>, _ columns: repeat any KeyPath<M.Columns, Column<each V>> & Sendable
  ) async throws -> [(repeat each V)] {
    try await read { try $0.select(query, repeat each columns) }
  }

  /// Calls the body with each object of the query, in its order and in bounded memory.
  public func forEach<M: Model>(_ query: Query<M>, _ body: sending @escaping (M) throws -> Void) async throws {
    try await read { try $0.forEach(query, body) }
  }

  /// The objects of the query, in its order, frozen.
  public func frozen<M: Model>(_ query: Query<M>) async throws -> [Frozen<M>] {
    try await read { try $0.frozen(query) }
  }

  /// The object with the primary key, frozen, or nil when there is none.
  public func frozen<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) async throws -> Frozen<M>? {
    try await read { try $0.frozen(M.self, key) }
  }

  /// A page of the query's objects, and where the next one begins.
  public func page<M: Model>(_ query: Query<M>, size: Int) async throws -> Page<M> {
    try await read { try $0.page(query, size: size) }
  }

  /// How the engine would execute the query.
  public func explain<M: Model>(_ query: Query<M>) async throws -> QueryPlan {
    try await read { try $0.explain(query) }
  }
}
