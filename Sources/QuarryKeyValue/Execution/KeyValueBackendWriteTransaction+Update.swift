package import QuarryBackend

extension KeyValueBackendWriteTransaction {
  package func update(
    _ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]?, expected: UnsafeRawBufferPointer?,
    expectedSlots: [Int]?
  ) throws(StorageError) {
    let table = try tables().table(model)
    let key = try entries.primaryKey(RowView(row, table.layout), table)
    guard let old = try trees.get(table.tree, key) else { throw .notFound(key, table) }
    if let expected, try merger(table).differ(old, expected, slots: expectedSlots) { throw .conflict(key, table) }
    state.willWrite(model)
    try replace(old, row, slots: slots, key, table, isSingle: true)
  }

  /// Replaces these slots of a row, all of them for nil.
  func replace(
    _ old: UnsafeRawBufferPointer, _ row: UnsafeRawBufferPointer, slots: [Int]?, _ key: UnsafeRawBufferPointer,
    _ table: Table, isSingle: Bool
  ) throws(StorageError) {
    let new = if let slots { try merger(table).merge(old: old, new: row, slots: slots) } else { row }
    try replace(old, new, key, slots, table, isSingle: isSingle)
  }

  package func update(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    let table = try tables().table(query.model)
    guard !assignments.isEmpty else { return try count(query) }
    let assigner = try RowAssigner(assignments, table.layout, table.model)
    let slots = assignments.map(\.slot)
    let (keys, index) = try keys(of: query, table)
    guard keys.count > 0 else { return 0 }
    state.willWrite(query.model)
    if keys.count == 1 {
      let old = try storedRow(keys[0], table, index)
      try replace(old, assigner.apply(old), keys[0], slots, table, isSingle: true)
      return 1
    }
    additions.removeAll()
    var bound = StatementRoom.mostAdditions
    try atomically { () throws(StorageError) in
      for place in 0..<keys.count {
        let old = try storedRow(keys[place], table, index)
        try replace(old, assigner.apply(old), keys[place], slots, table, isSingle: false)
        try addEarly(table, past: &bound)
      }
      try addAll(table)
    }
    return keys.count
  }

  /// The row of a key, which an index may have given.
  private func storedRow(
    _ key: UnsafeRawBufferPointer, _ table: Table, _ index: TableIndex?
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    guard let row = try trees.get(table.tree, key) else {
      throw index?.dangling(key, table) ?? .notFound(key, table)
    }
    return row
  }

  /// Replaces a row. Only indexes in which its entry changes are touched.
  ///
  /// - Parameters:
  ///   - old: The stored row, lent by the engine.
  ///   - new: The new row, which the engine does not own.
  ///   - slots: Those that may differ, nil for all; indexes without them keep their entry.
  ///   - isSingle: Whether the row is the whole statement. Otherwise its new entries are left in ``additions``, so that
  ///     they meet no old entry of a row that the statement is still to change.
  func replace(
    _ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer,
    _ slots: [Int]?, _ table: Table, isSingle: Bool
  ) throws(StorageError) {
    if old.count == new.count, old.compare(new) == 0 { return }
    let oldView = try RowView(old, table.layout)
    let newView = try RowView(new, table.layout)
    try checkLimits(newView, new, table)
    removals.removeAll()
    if isSingle { additions.removeAll() }
    for index in table.indexes {
      if let slots, !index.uses(slots) { continue }
      let oldEntry = try entries.entry(oldView, key, index, table)
      let newEntry = try entries.otherEntry(newView, key, index, table)
      if oldEntry.count == newEntry.count, oldEntry.compare(newEntry) == 0 { continue }
      removals.append(index, oldEntry, key)
      additions.append(index, newEntry, key)
      if isSingle, index.isUnique, try trees.get(index.tree, newEntry) != nil {
        throw .uniqueViolation(index, key, table)
      }
    }
    guard isSingle else {
      try removeAll()
      try trees.put(table.tree, key, new)
      return
    }
    if removals.count == 0 {
      try trees.put(table.tree, key, new)
      return
    }
    try writing { () throws(StorageError) in
      try removeAll()
      try trees.put(table.tree, key, new)
      try addAll(table)
    }
  }

  /// Removes the entries that a row had.
  func removeAll() throws(StorageError) {
    for place in 0..<removals.count {
      let (index, entry, _) = removals[place]
      try trees.remove(index.tree, entry)
    }
  }

  /// Adds entries of a statement that has not come to its end, where they take much memory: those of indexes that are not unique.
  /// They end with the keys of their rows, so that no entry of another row is in the way.
  ///
  /// - Parameter bound: The bytes that entries may take, about; doubled where most of them must stay.
  private func addEarly(_ table: Table, past bound: inout Int) throws(StorageError) {
    guard additions.byteCount > bound else { return }
    let kept = EntryList()
    for place in 0..<additions.count {
      let (index, entry, key) = additions[place]
      if index.isUnique { kept.append(index, entry, key) } else { try add(index, entry, key, table) }
    }
    additions.removeAll()
    for place in 0..<kept.count {
      let (index, entry, key) = kept[place]
      additions.append(index, entry, key)
    }
    bound = max(bound, 2 * additions.byteCount)
  }

  /// Adds the entries of the statement.
  func addAll(_ table: Table) throws(StorageError) {
    for place in 0..<additions.count {
      let (index, entry, key) = additions[place]
      try add(index, entry, key, table)
    }
  }

  /// The primary keys of the rows of a query, fixed before the first of them is changed.
  ///
  /// - Returns: The index, too, when its entries gave the keys and no row was read.
  func keys(of query: BoundQuery, _ table: Table) throws(StorageError) -> (keys: ByteArena, index: TableIndex?) {
    let keys = ByteArena(capacity: 4096)
    let found: any RowCursor
    if query.limit == nil, query.offset <= 0 {
      let plan = try plan(query, table, ordered: false)
      if case .index(let index, let ranges) = plan.path, plan.residual.isEmpty {
        try IndexKeys(trees, index, ranges, descending: false).append(to: keys)
        return (keys, index)
      }
      found = try results(query.model, plan, table)
    } else {
      found = try cursor(query)
    }
    try withBatch { batch throws(StorageError) in
      while case let count = try found.fill(batch), count > 0 {
        for place in 0..<count {
          keys.append(try entries.primaryKey(RowView(batch[place], table.layout), table))
        }
      }
    }
    return (keys, nil)
  }
}
