package import QuarryBackend

extension KeyValueBackendWriteTransaction {
  package func upsert(
    _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    let table = try tables().table(model)
    guard rows.count > 0 else { return 0 }
    let upsert = Upsert(table, policy)
    if rows.count == 1 {
      state.willWrite(model)
      var added = 0
      try rows.forEach({ (_, row) throws(StorageError) in
        if try self.upsert(row, upsert, isSingle: true) { added = 1 }
      })
      return added
    }
    if store.hasLimits {
      try rows.forEach({ (_, row) throws(StorageError) in
        try checkLimits(RowView(row, table.layout), row, table)
      })
    }
    let isLast = try lastOfEachKey(rows, table)
    state.willWrite(model)
    additions.removeAll()
    return try atomically { () throws(StorageError) in
      var added = 0
      try rows.forEach({ (place, row) throws(StorageError) in
        guard isLast?[place] ?? true else { return }
        if try self.upsert(row, upsert, isSingle: false) { added += 1 }
      })
      try addAll(table)
      return added
    }
  }

  /// The data that all rows of an upsert share.
  private struct Upsert {
    let table: Table
    /// The slots that are replaced, nil for all.
    let slots: [Int]?

    init(_ table: Table, _ policy: UpsertPolicy) {
      self.table = table
      switch policy {
      case .replace: slots = nil
      case .merge(let slots): self.slots = slots
      }
    }
  }

  /// Adds a row or replaces the one with its key.
  ///
  /// - Parameter isSingle: Whether the row is the whole statement. Otherwise its index entries are left in
  ///   ``additions``.
  /// - Returns: Whether it was added.
  private func upsert(
    _ row: UnsafeRawBufferPointer, _ upsert: Upsert, isSingle: Bool
  ) throws(StorageError) -> Bool {
    let table = upsert.table
    let view = try RowView(row, table.layout)
    let key = try entries.primaryKey(view, table)
    if let old = try trees.get(table.tree, key) {
      try replace(old, row, slots: upsert.slots, key, table, isSingle: isSingle)
      return false
    }
    if isSingle {
      try checkLimits(view, row, table)
      try insertOne(row, view, key, table)
    } else {
      try trees.put(table.tree, key, row)
      for index in table.indexes { additions.append(index, try entries.entry(view, key, index, table), key) }
    }
    return true
  }

  /// Which rows of a batch are the last ones with their key; nil when no key is there twice.
  private func lastOfEachKey(_ rows: borrowing RowBatch, _ table: Table) throws(StorageError) -> [Bool]? {
    let keys = ByteArena(capacity: rows.count * 16)
    var isAscending = true
    try rows.forEach({ (place, row) throws(StorageError) in
      keys.append(try entries.primaryKey(RowView(row, table.layout), table))
      if place > 0, !keys[place - 1].precedes(keys[place]) { isAscending = false }
    })
    if isAscending { return nil }
    var isLast = Array(repeating: true, count: keys.count)
    let places = keys.sortedPlaces()
    for (place, next) in zip(places, places.dropFirst()) where keys[place].compare(keys[next]) == 0 {
      isLast[place] = false
    }
    return isLast
  }
}
