// Written by scripts/generate-calls. Change the calls that are marked there.

public import QuarryBackend

extension ReadableStore {
  /// The object with the primary key, or nil when there is none.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func get<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) async throws -> M? {
    try await read { tx in try tx.get(type, key) }
  }

  /// The object that the reference leads to, or nil when there is none or the reference is nil.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func get<M: Model>(_ reference: Ref<M>?) async throws -> M? {
    try await read { tx in try tx.get(reference) }
  }

  /// The objects with these primary keys, in their order; nil where there is none or it cannot be read.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func get<M: Model>(
    _ type: M.Type, keys: sending some Sequence<M.PrimaryKey> & SendableMetatype,
    onUnreadable: sending @escaping (M.PrimaryKey?, StorageError) throws -> Void = { _, error in throw error }
  ) async throws -> [M?] {
    try await read { tx in try tx.get(type, keys: keys, onUnreadable: onUnreadable) }
  }

  /// Whether there is an object with the primary key.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func exists<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) async throws -> Bool {
    try await read { tx in try tx.exists(type, key) }
  }

  /// Whether the selection has an object.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func exists<M: Model>(_ selection: some Selection<M>) async throws -> Bool {
    try await read { tx in try tx.exists(selection) }
  }

  /// The objects of the selection, in its order.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func fetch<M: Model>(
    _ selection: some Selection<M>,
    onUnreadable: sending @escaping (M.PrimaryKey?, StorageError) throws -> Void = { _, error in throw error }
  ) async throws -> [M] {
    try await read { tx in try tx.fetch(selection, onUnreadable: onUnreadable) }
  }

  /// The first object of the selection, or nil when it has none.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func first<M: Model>(
    _ selection: some Selection<M>,
    onUnreadable: sending @escaping (M.PrimaryKey?, StorageError) throws -> Void = { _, error in throw error }
  ) async throws -> M? {
    try await read { tx in try tx.first(selection, onUnreadable: onUnreadable) }
  }

  /// The number of objects in the selection. Limit and offset of a query count.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func count<M: Model>(_ selection: some Selection<M>) async throws -> Int {
    try await read { tx in try tx.count(selection) }
  }

  /// The primary keys of the objects of the selection, in its order.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func keys<M: Model>(
    _ selection: some Selection<M>,
    onUnreadable: sending @escaping (StorageError) throws -> Void = { error in throw error }
  ) async throws -> [M.PrimaryKey] {
    try await read { tx in try tx.keys(selection, onUnreadable: onUnreadable) }
  }

  /// Some columns of the objects of the selection, in its order.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func select<M: Model, each V: Storable>(
    _ selection: some Selection<M>, _ columns: repeat any KeyPath<M.Columns, Column<each V>> & Sendable
  ) async throws -> [(repeat each V)] {
    try await read { tx in try tx.select(selection, repeat each columns) }
  }

  /// Calls the body with each object of the selection, in its order and in bounded memory.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func forEach<M: Model>(
    _ selection: some Selection<M>,
    onUnreadable: sending @escaping (M.PrimaryKey?, StorageError) throws -> Void = { _, error in throw error },
    _ body: sending @escaping (M) throws -> Void
  ) async throws {
    try await read { tx in try tx.forEach(selection, onUnreadable: onUnreadable, body) }
  }

  /// A page of the objects of the selection, and the position of the next one.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func page<M: Model>(
    _ selection: some Selection<M>, size: Int,
    onUnreadable: sending @escaping (M.PrimaryKey?, StorageError) throws -> Void = { _, error in throw error }
  ) async throws -> Page<M> {
    try await read { tx in try tx.page(selection, size: size, onUnreadable: onUnreadable) }
  }

  /// The plan by which the engine would execute the query; of ``Links``, the plan of their ``Links/query``.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func explain<M: Model>(_ selection: some Selection<M>) async throws -> QueryPlan {
    try await read { tx in try tx.explain(selection) }
  }
}
