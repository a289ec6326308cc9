import QuarryBackend

// What is stored of a value is made, and values are made of what is stored, where the caller is: they need not be
// Sendable. Only what is stored goes to another thread.

extension Reading {
  /// The object with the primary key, mapped, or nil when there is none.
  public func get<T: Mapped>(_ type: T.Type, _ key: T.Stored.PrimaryKey) throws -> T? {
    try get(T.Stored.self, key).map { try T(stored: $0) }
  }

  /// The objects with these primary keys, mapped, in their order; nil where there is none.
  public func get<T: Mapped>(_ type: T.Type, keys: some Sequence<T.Stored.PrimaryKey>) throws -> [T?] {
    try get(T.Stored.self, keys: keys).map { try $0.map { try T(stored: $0) } }
  }

  /// The objects of the query, mapped, in its order.
  public func fetch<T: Mapped>(_ query: Query<T.Stored>, as type: T.Type) throws -> [T] {
    try read { try $0.fetch(query, as: T.self) }
  }

  /// The first object of the query, mapped, or nil when it gives none.
  public func first<T: Mapped>(_ query: Query<T.Stored>, as type: T.Type) throws -> T? {
    try first(query).map { try T(stored: $0) }
  }

  /// Calls the body with each object of the query, mapped, in its order and in bounded memory.
  public func forEach<T: Mapped>(_ query: Query<T.Stored>, as type: T.Type, _ body: (T) throws -> Void) throws {
    try read { try $0.forEach(query, as: T.self, body) }
  }

  /// The object with the primary key, mapped, or nil when there is none.
  public func get<T: Mapped>(
    _ type: T.Type, _ key: T.Stored.PrimaryKey, isolation: isolated (any Actor)? = #isolation
  ) async throws -> T? {
    try await get(T.Stored.self, key).map { try T(stored: $0) }
  }

  /// The objects with these primary keys, mapped, in their order; nil where there is none.
  public func get<T: Mapped>(
    _ type: T.Type, keys: some Sequence<T.Stored.PrimaryKey>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> [T?] {
    try await get(T.Stored.self, keys: Array(keys)).map { try $0.map { try T(stored: $0) } }
  }

  /// The objects of the query, mapped, in its order.
  public func fetch<T: Mapped>(
    _ query: Query<T.Stored>, as type: T.Type, isolation: isolated (any Actor)? = #isolation
  ) async throws -> [T] {
    try await fetch(query).map { try T(stored: $0) }
  }

  /// The first object of the query, mapped, or nil when it gives none.
  public func first<T: Mapped>(
    _ query: Query<T.Stored>, as type: T.Type, isolation: isolated (any Actor)? = #isolation
  ) async throws -> T? {
    try await first(query).map { try T(stored: $0) }
  }
}

extension Store {
  /// Adds what is stored of the value.
  public func insert<T: Mapped>(_ value: T) throws {
    try insert(value.stored())
  }

  /// Adds what is stored of the values: all of it, or nothing when it throws.
  public func insert<T: Mapped>(contentsOf values: some Sequence<T>) throws {
    try insert(contentsOf: values.map { try $0.stored() })
  }

  /// Adds what is stored of the value, or replaces the object with its primary key.
  ///
  /// - Returns: Whether it was added.
  @discardableResult
  public func upsert<T: Mapped>(_ value: T) throws -> Bool {
    try upsert(value.stored())
  }

  /// Adds or replaces what is stored of the values: all of it, or nothing when it throws.
  ///
  /// - Returns: How many were added.
  @discardableResult
  public func upsert<T: Mapped>(contentsOf values: some Sequence<T>) throws -> Int {
    try upsert(contentsOf: values.map { try $0.stored() })
  }

  /// Replaces the stored object that has the primary key of the value's.
  public func update<T: Mapped>(_ value: T) throws {
    try update(value.stored())
  }

  /// Removes the stored object that has the primary key of the value's.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  public func delete<T: Mapped>(_ value: T) throws -> Bool {
    try delete(value.stored())
  }

  /// Removes the stored objects that have the primary keys of the values'.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func delete<T: Mapped>(contentsOf values: some Sequence<T>) throws -> Int {
    try delete(T.Stored.self, keys: values.map { try $0.stored().primaryKeyValue })
  }

  /// Adds what is stored of the value.
  public func insert<T: Mapped>(_ value: T, isolation: isolated (any Actor)? = #isolation) async throws {
    let stored = try value.stored()
    try await insert(stored)
  }

  /// Adds what is stored of the values: all of it, or nothing when it throws.
  public func insert<T: Mapped>(contentsOf values: some Sequence<T>, isolation: isolated (any Actor)? = #isolation)
    async throws
  {
    let stored = try values.map { try $0.stored() }
    try await insert(contentsOf: stored)
  }

  /// Adds what is stored of the value, or replaces the object with its primary key.
  ///
  /// - Returns: Whether it was added.
  @discardableResult
  public func upsert<T: Mapped>(_ value: T, isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
    let stored = try value.stored()
    return try await upsert(stored)
  }

  /// Adds or replaces what is stored of the values: all of it, or nothing when it throws.
  ///
  /// - Returns: How many were added.
  @discardableResult
  public func upsert<T: Mapped>(contentsOf values: some Sequence<T>, isolation: isolated (any Actor)? = #isolation)
    async throws -> Int
  {
    let stored = try values.map { try $0.stored() }
    return try await upsert(contentsOf: stored)
  }

  /// Replaces the stored object that has the primary key of the value's.
  public func update<T: Mapped>(_ value: T, isolation: isolated (any Actor)? = #isolation) async throws {
    let stored = try value.stored()
    try await update(stored)
  }

  /// Removes the stored object that has the primary key of the value's.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  public func delete<T: Mapped>(_ value: T, isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
    let stored = try value.stored()
    return try await delete(stored)
  }

  /// Removes the stored objects that have the primary keys of the values'.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func delete<T: Mapped>(contentsOf values: some Sequence<T>, isolation: isolated (any Actor)? = #isolation)
    async throws -> Int
  {
    let stored = try values.map { try $0.stored().primaryKeyValue }
    return try await delete(T.Stored.self, keys: stored)
  }
}
