// Written by hand: the values are created where the caller is, and only their stored forms go to another thread.

extension Mapping where Scope: ReadableStore {
  /// The value with the primary key, or nil when there is none.
  ///
  /// - Parameters:
  ///   - key: The primary key of the stored form.
  ///   - isolation: The actor of the caller, where the value is created.
  /// - Throws: As ``get(_:)``; `CancellationError` when the task was cancelled before the call began.
  public func get(_ key: T.Stored.PrimaryKey, isolation: isolated (any Actor)? = #isolation) async throws -> T? {
    try await scope.get(T.Stored.self, key).map { try T(stored: $0) }
  }

  /// The values with these primary keys, in their order; nil where there is none.
  ///
  /// - Parameter keys: The primary keys of the stored forms.
  /// - Throws: As ``get(keys:)``; `CancellationError` when the task was cancelled before the call began.
  public func get(
    keys: some Sequence<T.Stored.PrimaryKey>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> [T?] {
    try await scope.get(T.Stored.self, keys: Array(keys)).map { try $0.map { try T(stored: $0) } }
  }

  /// The values of the selection, in its order.
  ///
  /// - Parameter selection: The stored forms: a query, the ``Many`` of an object, or its ``Links``.
  /// - Throws: As ``fetch(_:onUnreadable:)``; `CancellationError` when the task was cancelled before the call began.
  public func fetch(
    _ selection: some Selection<T.Stored>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> [T] {
    try await scope.fetch(selection).map { try T(stored: $0) }
  }

  /// The first value of the selection, or nil when it has none.
  ///
  /// - Parameter selection: The stored forms, as in a fetch.
  /// - Throws: As ``first(_:)``; `CancellationError` when the task was cancelled before the call began.
  public func first(
    _ selection: some Selection<T.Stored>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> T? {
    try await scope.first(selection).map { try T(stored: $0) }
  }
}

extension Mapping where Scope == Store {
  /// Adds the stored form of the value.
  ///
  /// - Parameter value: The value, whose stored form is created where the caller is.
  /// - Returns: The stored form, with the key that it got where it had none.
  /// - Throws: As ``insert(_:)``; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func insert(_ value: T, isolation: isolated (any Actor)? = #isolation) async throws -> T.Stored {
    let stored = try value.stored()
    return try await scope.insert(stored)
  }

  /// Adds the stored forms of the values: all of them, or none when it throws.
  ///
  /// - Throws: As ``insert(contentsOf:)``; `CancellationError` when the task was cancelled before the call began.
  public func insert(
    contentsOf values: some Sequence<T>, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let stored = try values.map { try $0.stored() }
    try await scope.insert(contentsOf: stored)
  }

  /// Adds the stored form of the value, or replaces the object with its primary key.
  ///
  /// - Returns: Whether it was added.
  /// - Throws: As ``upsert(_:)``; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func upsert(_ value: T, isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
    let stored = try value.stored()
    return try await scope.upsert(stored)
  }

  /// Adds or replaces the stored forms of the values: all of them, or none when it throws.
  ///
  /// - Returns: The number of objects that were added.
  /// - Throws: As ``upsert(contentsOf:)``; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func upsert(
    contentsOf values: some Sequence<T>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Int {
    let stored = try values.map { try $0.stored() }
    return try await scope.upsert(contentsOf: stored)
  }

  /// Replaces the stored object that has the primary key of the value.
  ///
  /// - Throws: As ``update(_:)``; `CancellationError` when the task was cancelled before the call began.
  public func update(_ value: T, isolation: isolated (any Actor)? = #isolation) async throws {
    let stored = try value.stored()
    try await scope.update(stored)
  }

  /// Removes the stored object that has the primary key of the value.
  ///
  /// - Returns: Whether it was there.
  /// - Throws: As ``delete(_:)``; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func delete(_ value: T, isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
    let stored = try value.stored()
    return try await scope.delete(stored)
  }

  /// Removes the stored objects that have the primary keys of the values.
  ///
  /// - Returns: The number of objects that were there.
  /// - Throws: As ``delete(contentsOf:)``; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func delete(
    contentsOf values: some Sequence<T>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Int {
    let stored = try values.map { try $0.stored().primaryKeyValue }
    return try await scope.delete(T.Stored.self, keys: stored)
  }
}
