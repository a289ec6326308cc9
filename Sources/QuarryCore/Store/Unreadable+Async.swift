public import QuarryBackend

// Each does what the synchronous form does, on a thread of its own; the closure runs there.

extension Reading {
  /// The objects of the query that can be read, in its order.
  ///
  /// - Parameter onUnreadable: See ``ReadTransaction/fetch(_:onUnreadable:)``.
  public func fetch<M: Model>(
    _ query: Query<M>, onUnreadable: sending @escaping (M.PrimaryKey?, StorageError) throws -> Void
  ) async throws -> [M] {
    try await read { try $0.fetch(query, onUnreadable: onUnreadable) }
  }

  /// The first object of the query that can be read, or nil when there is none.
  ///
  /// - Parameter onUnreadable: See ``ReadTransaction/fetch(_:onUnreadable:)``.
  public func first<M: Model>(
    _ query: Query<M>, onUnreadable: sending @escaping (M.PrimaryKey?, StorageError) throws -> Void
  ) async throws -> M? {
    try await read { try $0.first(query, onUnreadable: onUnreadable) }
  }

  /// The primary keys of the query's objects that can be read, in its order.
  ///
  /// - Parameter onUnreadable: See ``ReadTransaction/keys(_:onUnreadable:)``.
  public func keys<M: Model>(
    _ query: Query<M>, onUnreadable: sending @escaping (StorageError) throws -> Void
  ) async throws -> [M.PrimaryKey] {
    try await read { try $0.keys(query, onUnreadable: onUnreadable) }
  }

  /// A page of the query's objects, and where the next one begins.
  ///
  /// - Parameter onUnreadable: See ``ReadTransaction/page(_:size:onUnreadable:)``.
  public func page<M: Model>(
    _ query: Query<M>, size: Int, onUnreadable: sending @escaping (M.PrimaryKey?, StorageError) throws -> Void
  ) async throws -> Page<M> {
    try await read { try $0.page(query, size: size, onUnreadable: onUnreadable) }
  }
}
