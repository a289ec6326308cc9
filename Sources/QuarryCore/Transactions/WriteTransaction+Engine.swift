public import QuarryBackend

// The single place through which all writes of a transaction reach the engine, whichever call they come from. Work that concerns
// every write belongs here. In a schema without references each function is the engine's call and nothing more.

extension WriteTransaction {
  /// Adds the rows, which get keys where they have none; no rows is a no-op.
  ///
  /// - Parameter mayFollow: Whether more rows of the same statement come, to which these may refer:
  ///   ``settleReferences(from:)`` ends it.
  /// - Returns: The number of keys that were given.
  @inlinable @discardableResult
  func insertRows(
    _ model: ModelID, _ rows: inout RowBatch, mayFollow: Bool = false
  ) throws(StorageError) -> Int {
    let given = try keys?.assign(model, &rows) ?? 0
    if let references { try checkReferences(references, model, rows, mayFollow: mayFollow) }
    if rows.count > 0 { try writer.insert(model, rows) }
    return given
  }

  /// Adds or replaces the rows, which get keys where they have none; none is nothing to do.
  ///
  /// - Returns: The number of added rows.
  @inlinable
  func upsertRows(
    _ model: ModelID, _ rows: inout RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    try keys?.assign(model, &rows)
    if let references { try checkReferences(references, model, rows, policy) }
    return rows.count > 0 ? try writer.upsert(model, rows, policy) : 0
  }

  /// The stored row with the primary key of this one, which it has, or nil when this one was added.
  @inlinable
  func getOrInsertRow(
    _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try keys?.note(model, row)
    if let references { try checkReferences(references, model, row, slots: nil, unlessStored: true) }
    return try writer.getOrInsert(model, row)
  }

  /// Replaces slots of a stored row, all when nil, if its bytes of the expected ones are still those.
  @inlinable
  func updateRow(
    _ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]? = nil, expected: UnsafeRawBufferPointer? = nil,
    expectedSlots: [Int]? = nil
  ) throws(StorageError) {
    if let keys { try keys.check(model, row, slots: slots) }
    if let references { try checkReferences(references, model, row, slots: slots, unlessStored: false) }
    try writer.update(model, row, slots: slots, expected: expected, expectedSlots: expectedSlots)
  }

  /// - Returns: The number of rows that existed, without those removed by delete rules.
  @inlinable
  func deleteRows(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    if let references { return try delete(references, model, keys) }
    return try writer.delete(model, keys)
  }

  /// Removes the row with the key, which is not copied where the schema has no references.
  ///
  /// - Returns: Whether there was one.
  @inlinable
  func deleteRow(_ model: ModelID, _ key: some Storable) throws(StorageError) -> Bool {
    if let references { return try delete(references, model, [encodedKey(key)]) == 1 }
    beginCoding()
    defer { endCoding() }
    return try key.withKeyBytes { bytes throws(StorageError) in try writer.delete(model, key: bytes) }
  }

  /// - Returns: The number of the query's rows.
  @inlinable
  func updateRows(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    if let references { try checkReferences(references, query, assignments) }
    return try writer.update(query, assignments)
  }

  /// - Returns: The number of the query's rows, without those removed by delete rules.
  @inlinable
  func deleteRows(_ query: BoundQuery) throws(StorageError) -> Int {
    if let references { return try delete(references, query) }
    return try writer.delete(query)
  }
}
