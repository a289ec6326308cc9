import QuarryBackend

extension WriteScope {
  /// Removes the object with the primary key of this object.
  ///
  /// - Parameter object: Only its primary key counts; the stored object may have other values.
  /// - Returns: Whether it was there.
  /// - Throws: `referenced` when another object refers to it by a rule that denies it. `iterationActive` when a cursor over the
  ///   model is open; `schemaMismatch` when the store was not opened for the model. On a store also as
  ///   ``Store/write(author:retry:timeout:alone:_:)-swift.method``.
  /// - Complexity: One removal with its index entries, and one look-up for each property that may refer to the object.
  // calls: async
  @discardableResult
  @inlinable
  public func delete<M: Model>(_ object: M) throws -> Bool {
    try writing(asOneStatement: true) { tx throws(StorageError) in try tx.deleteOne(M.self, object.primaryKeyValue) }
  }

  /// Removes the object with the primary key.
  ///
  /// - Parameters:
  ///   - type: The model of the object.
  ///   - key: Its primary key.
  /// - Returns: Whether it was there.
  /// - Throws: As ``delete(_:)``.
  // calls: async
  @discardableResult
  @inlinable
  public func delete<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws -> Bool {
    try writing(asOneStatement: true) { tx throws(StorageError) in try tx.deleteOne(M.self, key) }
  }

  /// Removes the objects with these primary keys.
  ///
  /// - Parameters:
  ///   - type: The model of the objects.
  ///   - keys: Their primary keys. The sequence may read and write in the transaction.
  /// - Returns: The number of objects that were there.
  /// - Throws: `referenced` when another object refers to one of them by a rule that denies it; otherwise as ``delete(_:)``.
  // calls: async
  @discardableResult
  public func delete<M: Model>(_ type: M.Type, keys: some Sequence<M.PrimaryKey>) throws -> Int {
    try writing { tx throws(StorageError) in
      let binding = try tx.context.binding(M.self)
      try tx.checkWrite(binding.model)
      return try tx.statement { () throws(StorageError) in
        tx.willRead(keys)
        let encoded = try tx.encodedKeys(keys)
        try tx.checkUse(binding.model)
        return try tx.deleteRows(binding.model, encoded)
      }
    }
  }

  /// Removes every object of the selection.
  ///
  /// - Parameter selection: A query, the ``Many`` of an object, or its ``Links``; limit and offset of a query count.
  /// - Returns: The number of objects.
  /// - Throws: `referenced` when another object refers to one of them by a rule that denies it. `invalidQuery`, `unsupported` or
  ///   `limitExceeded` for a query that cannot be executed; otherwise as ``delete(_:)``.
  // calls: async
  @discardableResult
  public func delete<M: Model>(_ selection: some Selection<M>) throws -> Int {
    try writing { tx throws(StorageError) in
      let binding = try tx.context.binding(M.self)
      try tx.checkWrite(binding.model)
      return try tx.deleteRows(tx.bind(selection.query, binding))
    }
  }
}

extension WriteTransaction {
  @inlinable
  func deleteOne<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws(StorageError) -> Bool {
    let binding = try context.binding(M.self)
    try checkWrite(binding.model)
    return try deleteRow(binding.model, key)
  }
}
