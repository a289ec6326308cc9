public import QuarryBackend

extension Store {
  /// The object with the primary key, or nil when there is none: the quick form, without a transaction object.
  ///
  /// - Parameters:
  ///   - type: The model of the object.
  ///   - key: Its primary key.
  /// - Throws: As ``ReadScope/get(_:_:)``; `closed`.
  @inlinable
  public func get<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws -> M? {
    if let outer = try currentTransaction() { return try outer.get(M.self, key) }
    let bound = try context.boundModel(M.self)
    var version = validatedSchemaVersion
    while true {
      var result: M?
      let found: Bool?
      do throws(StorageError) {
        found = try key.withKeyBytes { bytes throws(StorageError) in
          try backend.withRow(bound.model, bytes, schema: version) { row throws(StorageError) in
            result = try ModelReader(row, bound).object(M.self)
          }
        }
      } catch {
        guard isConflict(error) else { throw error }
        return try read { tx in try tx.get(M.self, key) }
      }
      if found != nil { return result }
      // Another connection has changed the schema, perhaps this model.
      version = try revalidateSchema()
    }
  }

  /// Whether a read that has thrown the error is repeated.
  @usableFromInline @inline(never)
  func isConflict(_ error: StorageError) -> Bool { pipeline.isConcurrent && error.code == .conflict }

  /// The transaction of this store that runs on this thread.
  @usableFromInline
  func currentTransaction() throws(StorageError) -> ReadTransaction? {
    try TransactionFrame.transaction(of: identity)
  }
}
