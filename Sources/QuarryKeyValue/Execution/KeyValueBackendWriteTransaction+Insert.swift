package import QuarryBackend

extension KeyValueBackendWriteTransaction {
  package func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    let table = try tables().table(model)
    guard rows.count > 0 else { return }
    state.willWrite(model)
    if rows.count == 1 {
      try rows.forEach({ (_, row) throws(StorageError) in
        let view = try RowView(row, table.layout)
        try checkLimits(view, row, table)
        let key = try entries.primaryKey(view, table)
        if table.hasUniqueIndex {
          if try trees.get(table.tree, key) != nil { throw .duplicateKey(key, table) }
          try insertOne(row, view, key, table)
        } else {
          // The entries of its indexes end with its key, so that they are free when the key is.
          let isNew = try writing { () throws(StorageError) in try trees.insert(table.tree, key, row) }
          guard isNew else { throw .duplicateKey(key, table) }
          try writing { () throws(StorageError) in try addEntries(view, key, table) }
        }
      })
      return
    }
    if store.hasLimits {
      try rows.forEach({ (_, row) throws(StorageError) in
        try checkLimits(RowView(row, table.layout), row, table)
      })
    }
    try atomically { () throws(StorageError) in
      // One tree after the other: a key that is there wins over a value that is there, and each tree stays in the cache.
      try rows.forEach({ (_, row) throws(StorageError) in
        let key = try entries.primaryKey(RowView(row, table.layout), table)
        guard try trees.insert(table.tree, key, row) else { throw .duplicateKey(key, table) }
      })
      for index in table.indexes {
        try rows.forEach({ (_, row) throws(StorageError) in
          let view = try RowView(row, table.layout)
          let key = try entries.primaryKey(view, table)
          try add(index, entries.entry(view, key, index, table), key, table)
        })
      }
    }
  }

  package func getOrInsert(
    _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    let table = try tables().table(model)
    let view = try RowView(row, table.layout)
    let key = try entries.primaryKey(view, table)
    if let stored = try trees.get(table.tree, key) { return stored }
    try checkLimits(view, row, table)
    state.willWrite(model)
    try insertOne(row, view, key, table)
    return nil
  }

  /// Adds a row whose key is free, if its unique values are free too.
  func insertOne(
    _ row: UnsafeRawBufferPointer, _ view: RowView, _ key: UnsafeRawBufferPointer, _ table: Table
  ) throws(StorageError) {
    for index in table.indexes where index.isUnique {
      let entry = try entries.entry(view, key, index, table)
      if try trees.get(index.tree, entry) != nil { throw .uniqueViolation(index, key, table) }
    }
    try writing { () throws(StorageError) in
      try trees.put(table.tree, key, row)
      try addEntries(view, key, table)
    }
  }

  /// Adds the index entries of a row.
  private func addEntries(_ view: RowView, _ key: UnsafeRawBufferPointer, _ table: Table) throws(StorageError) {
    for index in table.indexes { try add(index, entries.entry(view, key, index, table), key, table) }
  }

  /// Adds an index entry.
  ///
  /// - Throws: `uniqueViolation` when another row has it.
  func add(
    _ index: TableIndex, _ entry: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ table: Table
  ) throws(StorageError) {
    if try trees.insert(index.tree, entry, key) { return }
    if index.isUnique { throw .uniqueViolation(index, key, table) }
    throw StorageError(
      .corrupt, "the index \(index.schema.name) has an entry of a row that did not exist", model: table.model.name,
      key: KeyText.text(of: key, table.model))
  }

  /// Compares what will be written with the engine's limits.
  func checkLimits(_ view: RowView, _ row: UnsafeRawBufferPointer, _ table: Table) throws(StorageError) {
    guard let limit = store.maximumValueBytes else { return }
    if row.count > limit {
      throw .limitExceeded("bytes of a row", limit: limit, actual: row.count, model: table.model.name)
    }
    guard store.longKeys != nil else { return }
    if let bound = table.keyBytesBound, bound <= trees.plainLimit { return }
    let key = try entries.primaryKey(view, table)
    try checkLong(key, row.count, "bytes of a row with its key", table)
    for index in table.indexes {
      try checkLimits(entries.entry(view, key, index, table), key, index, table)
    }
  }

  /// Compares an index entry that will be written with the engine's limits.
  func checkLimits(
    _ entry: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ index: TableIndex, _ table: Table
  ) throws(StorageError) {
    try checkLong(entry, key.count, "bytes of an entry of the index \(index.schema.name)", table)
  }

  /// A long key is stored in the value.
  private func checkLong(
    _ key: UnsafeRawBufferPointer, _ valueBytes: Int, _ what: @autoclosure () -> String, _ table: Table
  ) throws(StorageError) {
    guard key.count > trees.plainLimit, let limit = store.maximumValueBytes else { return }
    let bytes = LongKeyFormat.lengthBytes + key.count + valueBytes
    if bytes > limit { throw .limitExceeded(what(), limit: limit, actual: bytes, model: table.model.name) }
  }
}
