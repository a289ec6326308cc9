// Written by scripts/generate-calls. Change the calls that are marked there.

extension Store {
  /// Changes the object with the primary key in place, and writes only the properties that were changed.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func update<M: Model>(
    _ type: M.Type, _ key: M.PrimaryKey, _ change: sending @escaping (inout M) throws -> Void
  ) async throws -> M {
    try await writeCall { tx in try tx.update(type, key, change) }
  }

  /// Replaces the stored object that has the primary key of this object.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func update<M: Model>(_ object: M, ifUnchangedFrom old: M? = nil) async throws {
    try await writeOneCall { tx in try tx.update(object, ifUnchangedFrom: old) }
  }

  /// Replaces the stored object if a column, such as a version number, still has the expected value.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func update<M: Model, V: Storable>(
    _ object: M, ifStored column: any KeyPath<M.Columns, Column<V>> & Sendable, is value: V
  ) async throws {
    try await writeCall { tx in try tx.update(object, ifStored: column, is: value) }
  }

  /// Changes every object of the selection with a closure, which must not write to the model itself.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func update<M: Model>(_ selection: some Selection<M>, _ change: sending @escaping (inout M) throws -> Void)
    async throws -> Int
  {
    try await writeCall { tx in try tx.update(selection, change) }
  }

  /// Changes columns of the object with the primary key by assignments:
  /// `try tx.assign(Book.self, id) { $0.year = 1979 }`.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func assign<M: Model>(
    _ type: M.Type, _ key: M.PrimaryKey, _ assign: sending @escaping (inout Assignments<M>) -> Void
  ) async throws {
    try await writeCall { tx in try tx.assign(type, key, assign) }
  }

  /// Changes columns of every object of the selection by assignments that the engine makes:
  /// `try tx.assign(Book.all) { $0.year += 1 }`.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func assign<M: Model>(
    _ selection: some Selection<M>, _ assign: sending @escaping (inout Assignments<M>) -> Void
  ) async throws -> Int {
    try await writeCall { tx in try tx.assign(selection, assign) }
  }
}
