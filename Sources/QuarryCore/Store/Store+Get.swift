extension Store {
  /// The object with the primary key, or nil when there is none: the quick form, without a transaction object.
  @inlinable
  public func get<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws -> M? {
    if let outer = joined() { return try outer.get(M.self, key) }
    let binding = try binding(M.self)
    var result: M?
    _ = try key.withKeyBytes { bytes throws(StorageError) in
      try backend.withRow(binding.model, bytes) { row throws(StorageError) in
        result = try ModelReader(row, binding).object(M.self)
      }
    }
    return result
  }

  /// The transaction of this store that runs on this thread.
  @usableFromInline
  func joined() -> ReadTransaction? {
    TransactionFrame.transaction(of: identity)
  }
}
