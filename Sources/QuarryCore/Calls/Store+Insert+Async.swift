// Written by scripts/generate-calls. Change the calls that are marked there.

public import Foundation

extension Store {
  /// Adds an object, which gets a key where it has none and its model generates keys.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func insert<M: Model>(_ object: M) async throws -> M {
    try await writeOneCall { tx in try tx.insert(object) }
  }

  /// Adds objects: all of them, or none when it throws.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func insert<M: Model>(
    contentsOf objects: sending some Sequence<M> & SendableMetatype, progress: Progress? = nil
  ) async throws {
    try await writeCall { tx in try tx.insert(contentsOf: objects, progress: progress) }
  }

  /// Adds objects, and returns them with the keys that they have: all of them are added, or none when it throws.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func insertAndFetch<M: Model>(contentsOf objects: sending some Sequence<M> & SendableMetatype) async throws
    -> [M]
  {
    try await writeCall { tx in try tx.insertAndFetch(contentsOf: objects) }
  }

  /// Adds the object, or replaces the object with its primary key.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func upsert<M: Model>(_ object: M) async throws -> Bool {
    try await writeOneCall { tx in try tx.upsert(object) }
  }

  /// Adds or replaces objects: all of them, or none when it throws. Uniqueness is checked when all objects are in.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func upsert<M: Model>(
    contentsOf objects: sending some Sequence<M> & SendableMetatype, progress: Progress? = nil
  ) async throws -> Int {
    try await writeCall { tx in try tx.upsert(contentsOf: objects, progress: progress) }
  }

  /// Adds the object, or, where an object has its primary key, replaces only these columns of that object.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func upsert<M: Model, each V: Storable>(
    _ object: M, updating columns: repeat any KeyPath<M.Columns, Column<each V>> & Sendable
  ) async throws -> Bool {
    try await writeCall { tx in try tx.upsert(object, updating: repeat each columns) }
  }

  /// The stored object with the primary key of this object, or this object after adding it.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func getOrInsert<M: Model>(_ object: M) async throws -> M {
    try await writeCall { tx in try tx.getOrInsert(object) }
  }

  /// The object with the primary key, or the object that the closure creates, after adding it.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func getOrInsert<M: Model>(_ type: M.Type, _ key: M.PrimaryKey, _ make: sending @escaping () throws -> M)
    async throws -> M
  {
    try await writeCall { tx in try tx.getOrInsert(type, key, make) }
  }

  /// Changes the object with the primary key in place, or the given object where there is none, and stores it.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func upsert<M: Model>(
    _ type: M.Type, _ key: M.PrimaryKey, default object: M, _ change: sending @escaping (inout M) throws -> Void
  ) async throws -> M {
    try await writeCall { tx in try tx.upsert(type, key, default: object, change) }
  }
}
