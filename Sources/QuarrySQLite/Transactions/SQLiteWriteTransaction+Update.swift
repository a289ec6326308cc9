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
      // What does not fit is reported row by row, with the key.
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
    for check in update.checks where try integer(check.sql, check.values, update.lists) != nil { return false }
    return true
  }

  private func run(_ update: SQLiteUpdate, _ model: SQLiteModel) throws(StorageError) -> Int {
    let lease = try connection.lease(update.sql, update.values, update.lists)
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

/// A set-based update that SQLite makes alone.
struct SQLiteUpdate {
  /// Statements that find a row whose result would not fit.
  private(set) var checks: [(sql: String, values: [SQLConstant])] = []
  private(set) var sql: String
  private(set) var values: [SQLConstant] = []
  let lists: [SQLList]

  /// - Returns: nil when SQLite would not give Quarry's result: for a limit or a residual, for columns in unique
  ///   indexes, which SQLite checks row by row, for arithmetic on other than integers, and for nil where it must not be.
  init?(
    _ query: BoundQuery, _ assignments: [BoundAssignment], _ table: SQLiteTable, in tables: SQLiteSchemaState
  ) throws(StorageError) {
    guard query.limit == nil, query.offset == 0, !assignments.isEmpty else { return nil }
    let slots = assignments.map(\.slot)
    guard Set(slots).count == slots.count else { return nil }
    let unique = table.model.indexes.filter(\.isUnique).flatMap { $0.columns.map(\.slot) }
    guard !slots.contains(where: unique.contains), !slots.contains(table.model.primaryKey) else { return nil }
    let selection = try SQLSelection(query.predicate, table, in: tables)
    guard selection.residual.isEmpty else { return nil }
    lists = selection.lists
    var setters: [String] = []
    var arithmetic: [(expression: String, operand: SQLConstant, column: SQLiteColumn)] = []
    for assignment in assignments {
      let column = try table.column(assignment.slot)
      if assignment.operation == .set {
        guard !assignment.value.isNull || column.slot.isOptional else { return nil }
        guard assignment.value.conforms(to: table.model.properties[assignment.slot]), column.kind != .tree else {
          return nil
        }
        let constant = try SQLConstant(comparable: assignment.value, column.slot.type)
        if column.kind.isFloatingPoint, constant == .blob(SQLConstant.nan) { return nil }
        if column.kind == .decimal {
          setters += ["\(column.name) = ?", "\(column.ordered) = ?"]
          if case .decimal(let decimal) = assignment.value {
            values.append(.text(try DecimalParts(decimal).text))
          } else {
            values.append(.null)
          }
        } else {
          setters.append("\(column.name) = ?")
        }
        values.append(constant)
        continue
      }
      guard column.slot.type.isInteger, column.kind != .uint64, case .int(let operand) = assignment.value else {
        return nil
      }
      let sign = assignment.operation == .add ? "+" : assignment.operation == .subtract ? "-" : "*"
      setters.append("\(column.name) = \(column.name) \(sign) ?")
      values.append(.integer(operand))
      arithmetic.append(("\(column.name) \(sign) ?", .integer(operand), column))
    }
    sql = "UPDATE \(table.name) SET \(setters.joined(separator: ", "))"
    sql += selection.whereClause(&values)
    for (expression, operand, column) in arithmetic {
      guard let range = column.slot.type.integerRange, let low = Int64(exactly: range.lowerBound),
        let high = Int64(exactly: range.upperBound)
      else { return nil }
      // A result beyond 64 bits becomes a REAL.
      var values: [SQLConstant] = []
      let condition = selection.whereClause(&values)
      let check =
        "SELECT 1 FROM \(table.name)\(condition.isEmpty ? " WHERE " : condition + " AND ")\(column.name) IS NOT NULL "
        + "AND (typeof(\(expression)) <> 'integer' OR \(expression) NOT BETWEEN ? AND ?) LIMIT 1"
      values += [operand, operand, .integer(low), .integer(high)]
      checks.append((check, values))
    }
  }
}
