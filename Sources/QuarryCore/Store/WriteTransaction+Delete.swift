public import QuarryBackend

extension WriteTransaction {
  /// Removes the object with the primary key of this one.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  public func delete<M: Model>(_ object: M) throws(StorageError) -> Bool {
    try delete(M.self, object.primaryKeyValue)
  }

  /// Removes the object with the primary key.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  @inlinable
  public func delete<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws(StorageError) -> Bool {
    let binding = try store.binding(M.self)
    try checkWrite(binding.model)
    return try deleteRow(binding.model, key)
  }

  /// Removes the objects with these primary keys.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func delete<M: Model>(_ type: M.Type, keys: some Sequence<M.PrimaryKey>) throws(StorageError) -> Int {
    let binding = try store.binding(M.self)
    try checkWrite(binding.model)
    return try statement { () throws(StorageError) in
      let encoded = try encodedKeys(keys)
      try checkUse(binding.model)
      return try deleteRows(binding.model, encoded)
    }
  }

  /// Removes every object of the query.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func delete<M: Model>(_ query: Query<M>) throws(StorageError) -> Int {
    let binding = try store.binding(M.self)
    try checkWrite(binding.model)
    return try deleteRows(bind(query, binding))
  }

  /// Removes every object of the model.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func deleteAll<M: Model>(_ type: M.Type) throws(StorageError) -> Int {
    try delete(Query(M.self))
  }
}
