package import QuarryBackend

extension KeyValueBackendWriteTransaction {
  package func delete(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    let table = try tables().table(model)
    guard let first = keys.first else { return 0 }
    state.willWrite(model)
    if keys.count == 1 {
      let isGone = try first.bytes.withBytes { key throws(StorageError) in try delete(key, table, isSingle: true) }
      return isGone ? 1 : 0
    }
    return try atomically { () throws(StorageError) in
      var deleted = 0
      for key in keys {
        let isGone = try key.bytes.withBytes { key throws(StorageError) in try delete(key, table, isSingle: false) }
        if isGone { deleted += 1 }
      }
      return deleted
    }
  }

  package func delete(_ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    let table = try tables().table(model)
    state.willWrite(model)
    return try delete(key, table, isSingle: true)
  }

  package func delete(_ query: BoundQuery) throws(StorageError) -> Int {
    let table = try tables().table(query.model)
    if query.limit == nil, query.offset <= 0 {
      let plan = try plan(query, table, ordered: false, counting: true)
      if case .table(let range) = plan.path, plan.residual.isEmpty, range == .all || table.indexes.isEmpty {
        state.willWrite(query.model)
        if range.isEmpty { return 0 }
        return try atomically { () throws(StorageError) in
          // Without a condition everything goes, the indexes whole.
          for index in table.indexes { try trees.remove(index.tree, in: .all) }
          return try trees.delete(table.tree, in: range)
        }
      }
    }
    let (keys, index) = try keys(of: query, table)
    guard keys.count > 0 else { return 0 }
    state.willWrite(query.model)
    if keys.count == 1 {
      try deleteFound(keys[0], table, index, isSingle: true)
      return 1
    }
    try atomically { () throws(StorageError) in
      for place in 0..<keys.count { try deleteFound(keys[place], table, index, isSingle: false) }
    }
    return keys.count
  }

  /// Removes a row that a query has found, perhaps by an entry of an index alone.
  private func deleteFound(
    _ key: UnsafeRawBufferPointer, _ table: Table, _ index: TableIndex?, isSingle: Bool
  ) throws(StorageError) {
    if try !delete(key, table, isSingle: isSingle), let index { throw index.dangling(key, table) }
  }

  /// Removes a row with its index entries.
  ///
  /// - Returns: Whether it was there.
  private func delete(
    _ key: UnsafeRawBufferPointer, _ table: Table, isSingle: Bool
  ) throws(StorageError) -> Bool {
    if table.indexes.isEmpty, !isSingle || key.count <= trees.plainLimit { return try trees.delete(table.tree, key) }
    guard let row = try trees.get(table.tree, key) else { return false }
    let view = try RowView(row, table.layout)
    // The row is there until the first write. One entry has a buffer of its own, several need the list.
    var entry: UnsafeRawBufferPointer?
    if table.indexes.count == 1 {
      entry = try entries.entry(view, key, table.indexes[0], table)
    } else {
      removals.removeAll()
      for index in table.indexes { removals.append(index, try entries.entry(view, key, index, table), key) }
    }
    if isSingle {
      try writing { () throws(StorageError) in try remove(key, entry, table) }
    } else {
      try remove(key, entry, table)
    }
    return true
  }

  /// Removes a row that is there, with the entry of its one index or those in ``removals``.
  @inline(__always)
  private func remove(
    _ key: UnsafeRawBufferPointer, _ entry: UnsafeRawBufferPointer?, _ table: Table
  ) throws(StorageError) {
    if let entry { try trees.remove(table.indexes[0].tree, entry) } else { try removeAll() }
    try trees.remove(table.tree, key)
  }
}
