// Written by hand: the values are created where the caller is, and only their stored forms go to another thread.

extension Mapping where Scope: ReadableStore {
  /// The value with the primary key, or nil when there is none.
  public func get(_ key: T.Stored.PrimaryKey, isolation: isolated (any Actor)? = #isolation) async throws -> T? {
    try await scope.get(T.Stored.self, key).map { try T(stored: $0) }
  }

  /// The values with these primary keys, in their order; nil where there is none.
  public func get(
    keys: some Sequence<T.Stored.PrimaryKey>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> [T?] {
    try await scope.get(T.Stored.self, keys: Array(keys)).map { try $0.map { try T(stored: $0) } }
  }

  /// The values of the selection, in its order.
  public func fetch(
    _ selection: some Selection<T.Stored>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> [T] {
    try await scope.fetch(selection).map { try T(stored: $0) }
  }

  /// The first value of the selection, or nil when it has none.
  public func first(
    _ selection: some Selection<T.Stored>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> T? {
    try await scope.first(selection).map { try T(stored: $0) }
  }
}

extension Mapping where Scope == Store {
  /// Adds the stored form of the value.
  ///
  /// - Returns: The stored form, with the key that it got where it had none.
  @discardableResult
  public func insert(_ value: T, isolation: isolated (any Actor)? = #isolation) async throws -> T.Stored {
    let stored = try value.stored()
    return try await scope.insert(stored)
  }

  /// Adds the stored forms of the values: all of them, or none when it throws.
  public func insert(
    contentsOf values: some Sequence<T>, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let stored = try values.map { try $0.stored() }
    try await scope.insert(contentsOf: stored)
  }

  /// Adds the stored form of the value, or replaces the object with its primary key.
  ///
  /// - Returns: Whether it was added.
  @discardableResult
  public func upsert(_ value: T, isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
    let stored = try value.stored()
    return try await scope.upsert(stored)
  }

  /// Adds or replaces the stored forms of the values: all of them, or none when it throws.
  ///
  /// - Returns: The number of objects that were added.
  @discardableResult
  public func upsert(
    contentsOf values: some Sequence<T>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Int {
    let stored = try values.map { try $0.stored() }
    return try await scope.upsert(contentsOf: stored)
  }

  /// Replaces the stored object that has the primary key of the value.
  public func update(_ value: T, isolation: isolated (any Actor)? = #isolation) async throws {
    let stored = try value.stored()
    try await scope.update(stored)
  }

  /// Removes the stored object that has the primary key of the value.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  public func delete(_ value: T, isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
    let stored = try value.stored()
    return try await scope.delete(stored)
  }

  /// Removes the stored objects that have the primary keys of the values.
  ///
  /// - Returns: The number of objects that were there.
  @discardableResult
  public func delete(
    contentsOf values: some Sequence<T>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Int {
    let stored = try values.map { try $0.stored().primaryKeyValue }
    return try await scope.delete(T.Stored.self, keys: stored)
  }
}
