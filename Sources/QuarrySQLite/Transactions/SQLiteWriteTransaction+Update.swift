import CSQLite
import QuarryBackend
import QuarrySQL

extension SQLiteWriteTransaction {
  func update(
    _ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]?, expected: UnsafeRawBufferPointer?,
    expectedSlots: [Int]?
  ) throws(StorageError) {
    let model = try usableModel(model)
    try checkSize(model, row)
    do throws(StorageError) {
      let table = model.table
      let view = try RowView(row, table.layout)
      if let expected {
        guard let stored = try stored(model, keyOf: view) else { throw notFound(model, view) }
        if try RowMerger(table.layout).differ(stored, expected, slots: expectedSlots) {
          throw .conflict(table.model.name, key: KeyText.text(of: view, table.layout))
        }
      }
      let found: Bool
      if let slots {
        found = try write(model, view, row, slots)
      } else {
        found = try replace(model, view)
      }
      guard found else { throw notFound(model, view) }
    } catch {
      throw noted(error)
    }
    hasChanged = true
  }

  private func notFound(_ model: SQLiteModel, _ row: RowView) -> StorageError {
    .notFound(model.table.model.name, key: KeyText.text(of: row, model.table.layout))
  }

  /// Replaces all of a row.
  ///
  /// - Returns: Whether there was one.
  private func replace(_ model: SQLiteModel, _ row: RowView) throws(StorageError) -> Bool {
    let statement = try model.replace(connection)
    try SQLiteColumnCodec.bind(keyOf: row, model.table, statement, model.scratch)
    try SQLiteColumnCodec.bind(row, model.table.layout, model.table.replacePlan, statement, model.scratch)
    return try run(statement, model, row)
  }

  private func run(
    _ statement: SQLiteStatement, _ model: SQLiteModel, _ row: RowView
  ) throws(StorageError) -> Bool {
    let result = sqlite3_step(statement.handle)
    guard result == SQLITE_DONE else {
      let error = statement.failure(result)
      guard error.code == .uniqueViolation, connection.isInTransaction else {
        throw error.with(model: model.table.model.name)
      }
      throw SQLiteConflict(connection: connection, model: model).violation(row)
    }
    statement.reset()
    return connection.changes > 0
  }

  /// Writes slots of a row.
  ///
  /// - Returns: Whether there was a row.
  private func write(
    _ model: SQLiteModel, _ view: RowView, _ row: UnsafeRawBufferPointer, _ slots: [Int]
  ) throws(StorageError) -> Bool {
    let table = model.table
    let update = try model.update(slots, connection)
    let statement = update.statement
    try SQLiteColumnCodec.bind(keyOf: view, table, statement, model.scratch)
    try SQLiteColumnCodec.bind(view, table.layout, update.plan, statement, model.scratch)
    if model.scratch.hasNaN {
      // The bits of all NaNs of a row are in one column, so that the row is put together again.
      guard let old = try stored(model, keyOf: view) else { return false }
      // The merger owns the bytes of the merged row.
      let merger = RowMerger(table.layout)
      defer { withExtendedLifetime(merger) {} }
      let merged = try merger.merge(old: old, new: row, slots: slots)
      return try replace(model, try RowView(merged, table.layout))
    }
    return try run(statement, model, view)
  }

  // MARK: By a query

  func update(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    let model = try usableModel(query.model)
    do throws(StorageError) {
      let count: Int
      // A value that does not fit is reported row by row, with the key.
      if let pushed = try SQLiteUpdate(query, assignments, model.table, in: models.state), try fits(pushed) {
        count = try run(pushed, model)
      } else {
        count = try updateRowByRow(query, assignments, model)
      }
      if count > 0 { hasChanged = true }
      return count
    } catch {
      throw noted(error)
    }
  }

  /// Whether all results fit into their columns.
  private func fits(_ update: SQLiteUpdate) throws(StorageError) -> Bool {
    for check in update.checks {
      if try integer(try connection.lease(check.sql, check.values, update.lists)) != nil { return false }
    }
    return true
  }

  private func run(_ update: SQLiteUpdate, _ model: SQLiteModel) throws(StorageError) -> Int {
    guard update.lists.isEmpty, canBeginAgain else { return try run("UPDATE", update) }
    // To be able to undo the statement alone, SQLite would write each changed page into a separate file.
    do throws(StorageError) {
      return try run("UPDATE OR ROLLBACK", update)
    } catch {
      beginAgain()
      throw error
    }
  }

  private func run(_ verb: String, _ update: SQLiteUpdate) throws(StorageError) -> Int {
    let lease = try connection.lease("\(verb) \(update.change)", update.values, update.lists)
    defer { lease.end() }
    guard let statement = lease.statement else { return 0 }
    while try statement.step() {}
    return connection.changes
  }

  /// Reads the rows, works the new ones out and writes them: what SQLite cannot compute with Quarry's meaning.
  private func updateRowByRow(
    _ query: BoundQuery, _ assignments: [BoundAssignment], _ model: SQLiteModel
  ) throws(StorageError) -> Int {
    let assigner = try RowAssigner(assignments, model.table.layout, model.table.model)
    defer { withExtendedLifetime(assigner) {} }
    var results = RowBatch()
    var whole = query
    whole.projection = nil
    // Fixed before the first change.
    let rows = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 64)
    rows.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
    defer { rows.deallocate() }
    let cursor = try rowCursor(whole)
    defer { cursor.close() }
    while true {
      let count = try cursor.fill(rows)
      if count == 0 { break }
      for index in 0..<count { results.append(try assigner.apply(rows[index])) }
    }
    guard results.count > 0 else { return 0 }
    try checkSizes(model, results)
    do throws(StorageError) {
      try atomically { () throws(StorageError) in
        try results.forEach { (_, row) throws(StorageError) in
          _ = try replace(model, try RowView(row, model.table.layout))
        }
      }
    } catch {
      guard error.code == .uniqueViolation, !isEnded else { throw error }
      // A value may have been in use only by a row that is changed later.
      try replaceAll(model, results)
    }
    return results.count
  }
}
