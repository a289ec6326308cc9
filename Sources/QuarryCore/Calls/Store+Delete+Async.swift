// Written by scripts/generate-calls. Change the calls that are marked there.

extension Store {
  /// Removes the object with the primary key of this object.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func delete<M: Model>(_ object: M) async throws -> Bool {
    try await writeOneCall { tx in try tx.delete(object) }
  }

  /// Removes the object with the primary key.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func delete<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) async throws -> Bool {
    try await writeOneCall { tx in try tx.delete(type, key) }
  }

  /// Removes the objects with these primary keys.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func delete<M: Model>(_ type: M.Type, keys: sending some Sequence<M.PrimaryKey> & SendableMetatype)
    async throws -> Int
  {
    try await writeCall { tx in try tx.delete(type, keys: keys) }
  }

  /// Removes every object of the selection.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func delete<M: Model>(_ selection: some Selection<M>) async throws -> Int {
    try await writeCall { tx in try tx.delete(selection) }
  }
}
