package import QuarryBackend

extension KeyValueBackendWriteTransaction {
  // MARK: Upsert

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

  /// What is the same for all rows of an upsert.
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
      _ = try trees.put(table.tree, key, row)
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

  // MARK: Update

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
  private func replace(
    _ old: UnsafeRawBufferPointer, _ row: UnsafeRawBufferPointer, slots: [Int]?, _ key: UnsafeRawBufferPointer,
    _ table: Table, isSingle: Bool
  ) throws(StorageError) {
    let new = if let slots { try merger(table).merge(old: old, new: row, slots: slots) } else { row }
    try replace(old, new, key, slots, table, isSingle: isSingle)
  }

  package func update(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    let table = try tables().table(query.model)
    guard !assignments.isEmpty else { return try count(query) }
    if assignments.contains(where: { $0.slot == table.layout.primaryKey }) {
      throw StorageError(
        .invalidQuery, "the primary key is not assigned to", model: table.model.name,
        property: table.model.keyProperty.name)
    }
    let assigner = try RowAssigner(assignments, table.layout, table.model)
    let slots = assignments.map(\.slot)
    let keys = try keys(of: query, table)
    guard keys.count > 0 else { return 0 }
    state.willWrite(query.model)
    if keys.count == 1 {
      let old = try storedRow(keys[0], table)
      try replace(old, assigner.apply(old), keys[0], slots, table, isSingle: true)
      return 1
    }
    additions.removeAll()
    try atomically { () throws(StorageError) in
      for place in 0..<keys.count {
        let old = try storedRow(keys[place], table)
        try replace(old, assigner.apply(old), keys[place], slots, table, isSingle: false)
      }
      try addAll(table)
    }
    return keys.count
  }

  private func storedRow(_ key: UnsafeRawBufferPointer, _ table: Table) throws(StorageError) -> UnsafeRawBufferPointer {
    guard let row = try trees.get(table.tree, key) else { throw .notFound(key, table) }
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
  private func replace(
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
      _ = try trees.put(table.tree, key, new)
      return
    }
    if removals.count == 0 {
      _ = try trees.put(table.tree, key, new)
      return
    }
    try writing { () throws(StorageError) in
      try removeAll()
      _ = try trees.put(table.tree, key, new)
      try addAll(table)
    }
  }

  /// Removes the entries that a row had.
  private func removeAll() throws(StorageError) {
    for place in 0..<removals.count {
      let (index, entry, _) = removals[place]
      _ = try trees.delete(index.tree, entry)
    }
  }

  /// Adds the entries of the statement.
  private func addAll(_ table: Table) throws(StorageError) {
    for place in 0..<additions.count {
      let (index, entry, key) = additions[place]
      try add(index, entry, key, table)
    }
  }

  // MARK: Delete

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

  package func delete(_ query: BoundQuery) throws(StorageError) -> Int {
    let table = try tables().table(query.model)
    if query.limit == nil, query.offset <= 0 {
      let plan = try plan(query, table, ordered: false, counting: true)
      if case .table(let range) = plan.path, plan.residual.isEmpty, range == .all || table.indexes.isEmpty {
        state.willWrite(query.model)
        if range.isEmpty { return 0 }
        return try atomically { () throws(StorageError) in
          // Without a condition everything goes, the indexes whole.
          for index in table.indexes { _ = try trees.delete(index.tree, in: .all) }
          return try trees.delete(table.tree, in: range)
        }
      }
    }
    let keys = try keys(of: query, table)
    guard keys.count > 0 else { return 0 }
    state.willWrite(query.model)
    if keys.count == 1 { return try delete(keys[0], table, isSingle: true) ? 1 : 0 }
    try atomically { () throws(StorageError) in
      for place in 0..<keys.count { _ = try delete(keys[place], table, isSingle: false) }
    }
    return keys.count
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
    removals.removeAll()
    for index in table.indexes { removals.append(index, try entries.entry(view, key, index, table), key) }
    guard isSingle else {
      try removeAll()
      return try trees.delete(table.tree, key)
    }
    return try writing { () throws(StorageError) in
      try removeAll()
      return try trees.delete(table.tree, key)
    }
  }

  /// The primary keys of the rows of a query, fixed before the first of them is changed.
  private func keys(of query: BoundQuery, _ table: Table) throws(StorageError) -> ByteArena {
    let keys = ByteArena(capacity: 4096)
    let found: any RowCursor
    if query.limit == nil, query.offset <= 0 {
      let plan = try plan(query, table, ordered: false)
      found = try ResultCursor(query.model, state, source(plan, table), compile(plan, table))
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
    return keys
  }
}
