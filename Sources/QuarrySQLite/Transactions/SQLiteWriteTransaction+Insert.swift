import CSQLite
import QuarryBackend

extension SQLiteWriteTransaction {
  func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    let model = try usableModel(model)
    guard rows.count > 0 else { return }
    try checkSizes(model, rows)
    if rows.count == 1 {
      // One statement of SQLite is atomic by itself.
      do throws(StorageError) {
        try rows.forEach { (_, row) throws(StorageError) in try insert(model, row) }
      } catch {
        throw noted(error)
      }
    } else {
      do throws(StorageError) {
        try insertAll(model, rows)
      } catch {
        // The batch's error does not depend on the order of its rows: a duplicate key is reported first.
        if error.code == .uniqueViolation { try throwDuplicateKey(model, rows) }
        throw error
      }
    }
    hasChanged = true
  }

  /// Inserts rows: all of them, or none when it throws.
  func insertAll(_ model: SQLiteModel, _ rows: borrowing RowBatch) throws(StorageError) {
    if rows.count >= SQLiteGroupInsert.fewestRows {
      do throws(StorageError) {
        return try atomically { () throws(StorageError) in try insertInGroups(model, rows) }
      } catch {
        // Again one by one, for the error of the row that was refused.
        if isEnded { throw error }
      }
    }
    let statement = try model.insert(connection)
    try atomically { () throws(StorageError) in
      try rows.forEach { (_, row) throws(StorageError) in try run(statement, model, row) }
    }
  }

  private func insertInGroups(_ model: SQLiteModel, _ rows: borrowing RowBatch) throws(StorageError) {
    let statement = try model.insert(connection)
    let group = try model.insertGroup(connection)
    let grouped = rows.count - rows.count % group.rows.count
    var place = 0
    try rows.forEach { (index, row) throws(StorageError) in
      guard index < grouped else { return try run(statement, model, row) }
      let (plan, scratch) = group.rows[place]
      try SQLiteColumnCodec.bind(
        try RowView(row, model.table.layout), model.table.layout, plan, group.statement, scratch)
      place += 1
      guard place == group.rows.count else { return }
      place = 0
      try group.statement.run()
    }
  }

  func insert(_ model: SQLiteModel, _ row: UnsafeRawBufferPointer) throws(StorageError) {
    try run(try model.insert(connection), model, row)
  }

  @inline(__always)
  func run(
    _ statement: SQLiteStatement, _ model: SQLiteModel, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) {
    let view = try RowView(row, model.table.layout)
    try SQLiteColumnCodec.bind(view, model.table.layout, model.table.insertPlan, statement, model.scratch)
    let result = sqlite3_step(statement.handle)
    guard result == SQLITE_DONE else { throw refused(model, view, statement.failure(result)) }
    statement.reset()
  }

  /// The error for a row that was refused.
  func refused(_ model: SQLiteModel, _ row: RowView, _ error: StorageError) -> StorageError {
    guard error.code == .uniqueViolation || error.code == .duplicateKey, connection.isInTransaction else {
      return error.with(model: model.table.model.name)
    }
    let conflict = SQLiteConflict(connection: connection, model: model)
    do throws(StorageError) {
      if try connection.exists(model, keyOf: row) { return conflict.duplicateKey(row) }
    } catch {
      return error
    }
    return conflict.violation(row)
  }

  /// Throws `duplicateKey` if a row of the batch has the key of a stored row or of another in the batch.
  private func throwDuplicateKey(_ model: SQLiteModel, _ rows: borrowing RowBatch) throws(StorageError) {
    var seen: Set<Key> = []
    let keys = KeyWriter()
    try rows.forEach { (_, row) throws(StorageError) in
      let view = try RowView(row, model.table.layout)
      keys.removeAll()
      try keys.append(view, model.table.key.slot, model.table.layout, isDescending: false, isLast: true)
      let isRepeated = !seen.insert(keys.key).inserted
      let isStored = try connection.exists(model, keyOf: view)
      if isRepeated || isStored {
        throw SQLiteConflict(connection: connection, model: model).duplicateKey(view)
      }
    }
  }

  func getOrInsert(
    _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    let model = try usableModel(model)
    try checkSize(model, row)
    do throws(StorageError) {
      let view = try RowView(row, model.table.layout)
      if let stored = try stored(model, keyOf: view) { return stored }
      try insert(model, row)
    } catch {
      throw noted(error)
    }
    hasChanged = true
    return nil
  }

  /// The stored row with the primary key of this row, in the model's buffer.
  func stored(_ model: SQLiteModel, keyOf row: RowView) throws(StorageError) -> UnsafeRawBufferPointer? {
    let keys = model.scratch.keys
    keys.removeAll()
    try keys.append(row, model.table.key.slot, model.table.layout, isDescending: false, isLast: true)
    return try connection.row(model, keys.bytes)
  }
}
