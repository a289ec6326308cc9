import CSQLite
import QuarryBackend

extension SQLiteWriteTransaction {
  func upsert(
    _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    let model = try usableModel(model)
    guard rows.count > 0 else { return 0 }
    try checkSizes(model, rows)
    if case .merge(let slots) = policy {
      for slot in slots { _ = try model.table.column(slot) }
    }
    let hasUnique = model.table.model.indexes.contains(where: \.isUnique)
    do throws(StorageError) {
      let added: Int
      switch policy {
      case .replace:
        // Either statement for a single row is atomic by itself.
        added =
          rows.count == 1
          ? try addOrReplace(model, rows)
          : try atomically { () throws(StorageError) in
            try addOrReplace(model, rows)
          }
      case .merge(let slots):
        // Of rows with one key the last counts, which is not what merging one after the other would give.
        added = try rebuild(model, rows, slots)
      }
      hasChanged = true
      return added
    } catch {
      let error = noted(error)
      guard hasUnique, error.code == .uniqueViolation, !isEnded, case .replace = policy else { throw error }
    }
    // A value may have been in use only until a later row of the batch: that is checked when all are in.
    let added = try rebuild(model, rows, nil)
    hasChanged = true
    return added
  }

  /// Inserts rows or replaces those with their keys.
  ///
  /// - Returns: How many were inserted.
  private func addOrReplace(_ model: SQLiteModel, _ rows: borrowing RowBatch) throws(StorageError) -> Int {
    var added = 0
    try rows.forEach { (_, row) throws(StorageError) in
      if try addOrReplace(model, row) { added += 1 }
    }
    return added
  }

  /// Inserts a row, or replaces the one with its key.
  ///
  /// - Returns: Whether it was inserted.
  private func addOrReplace(_ model: SQLiteModel, _ row: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    let table = model.table
    let view = try RowView(row, table.layout)
    let add = try model.add(connection)
    try SQLiteColumnCodec.bind(view, table.layout, table.insertPlan, add, model.scratch)
    let result = sqlite3_step(add.handle)
    guard result == SQLITE_DONE else { throw add.failure(result) }
    add.reset()
    if connection.changes == 1 { return true }
    let replace = try model.replace(connection)
    try SQLiteColumnCodec.bind(keyOf: view, table, replace, model.scratch)
    try SQLiteColumnCodec.bind(view, table.layout, table.replacePlan, replace, model.scratch)
    try replace.run()
    return false
  }

  /// Upserts by taking the old rows away before the new ones come, so that only the end counts for uniqueness.
  ///
  /// - Parameter slots: The slots that are replaced in rows that exist; nil for all.
  private func rebuild(
    _ model: SQLiteModel, _ rows: borrowing RowBatch, _ slots: [Int]?
  ) throws(StorageError) -> Int {
    let table = model.table
    let merger = RowMerger(table.layout)
    defer { withExtendedLifetime(merger) {} }
    // The last row of each key.
    var last: [Key: Int] = [:]
    let keys = KeyWriter()
    try rows.forEach { (place, row) throws(StorageError) in
      keys.removeAll()
      try keys.append(
        try RowView(row, table.layout), table.key.slot, table.layout, isDescending: false, isLast: true)
      last[keys.key] = place
    }
    let chosen = Set(last.values)
    var results = RowBatch()
    var added = 0
    try rows.forEach { (place, row) throws(StorageError) in
      guard chosen.contains(place) else { return }
      let view = try RowView(row, table.layout)
      if let old = try stored(model, keyOf: view) {
        results.append(
          try slots.map { (slots) throws(StorageError) in
            try merger.merge(old: old, new: row, slots: slots)
          } ?? row)
      } else {
        added += 1
        results.append(row)
      }
    }
    try replaceAll(model, results)
    return added
  }

  /// Takes the rows with the keys of these away, and inserts these.
  func replaceAll(_ model: SQLiteModel, _ rows: borrowing RowBatch) throws(StorageError) {
    try atomically { () throws(StorageError) in
      let delete = try model.delete(connection)
      try rows.forEach { (_, row) throws(StorageError) in
        let view = try RowView(row, model.table.layout)
        try SQLiteColumnCodec.bind(keyOf: view, model.table, delete, model.scratch)
        try delete.run()
      }
      try rows.forEach { (_, row) throws(StorageError) in try insert(model, row) }
    }
  }
}
