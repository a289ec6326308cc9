import QuarryBackend

/// Rows of a query in batches: each fill steps the statement and collects the rows in memory that is reused.
final class SQLiteCursor: RowCursor {
  /// A batch ends when it has grown to this, so that large rows need bounded memory.
  private static let mostBytes = 1 << 20

  private let transaction: SQLiteReadTransaction
  private let lease: SQLiteLease
  private let plan: SQLiteReadPlan
  private let residual: CompiledPredicate?
  private let writer: RowWriter
  private let layout: RowLayout
  private var skips: Int
  private var remaining: Int?
  private var isAtEnd = false
  /// The rows that are left, where they were read before the statement had to end.
  private var readRows: ReadRows?

  private struct ReadRows {
    /// Has the rows, and is written to no more.
    let writer: RowWriter
    var places: [Range<Int>] = []
    var taken = 0
  }

  init(
    _ transaction: SQLiteReadTransaction, _ select: SQLiteSelect, _ lease: SQLiteLease
  ) throws(StorageError) {
    self.transaction = transaction
    self.lease = lease
    plan = select.plan
    layout = select.table.layout
    writer = RowWriter(layout)
    skips = select.offset
    remaining = select.limit
    if let predicate = select.selection.residualPredicate {
      residual = try CompiledPredicate(predicate, layout)
    } else {
      residual = nil
    }
    lease.cursor = .passUnretained(self)
  }

  deinit {
    close()
  }

  func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    transaction.gate?.lock()
    defer { transaction.gate?.unlock() }
    try transaction.check()
    while !isAtEnd, rows.count > 0 {
      if remaining == 0 {
        finish()
        break
      }
      let count: Int
      do throws(StorageError) {
        count = try collect(rows)
        if residual != nil || transaction.isWatchingFile { try transaction.checkFile() }
      } catch {
        finish()
        throw transaction.noted(error)
      }
      if count > 0 { return count }
    }
    return 0
  }

  /// Takes as many rows as there is room for, and keeps those that fulfil the residual.
  private func collect(
    _ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
  ) throws(StorageError) -> Int {
    var count: Int
    if readRows != nil {
      count = lendReadRows(rows)
    } else if let statement = lease.statement {
      count = try step(statement, rows)
    } else {
      // A cursor whose statement was ended by the rollback of a savepoint has ended too.
      throw StorageError(.transactionEnded, "the cursor's savepoint was rolled back")
    }
    guard let residual else { return count }
    count = try residual.filter(rows, count: count)
    let skipped = min(skips, count)
    if skipped > 0 {
      skips -= skipped
      count -= skipped
      for index in 0..<count { rows[index] = rows[index + skipped] }
    }
    if let remaining {
      count = min(count, remaining)
      self.remaining = remaining - count
    }
    return count
  }

  /// Steps to as many rows as there is room for.
  private func step(
    _ statement: SQLiteStatement, _ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
  ) throws(StorageError) -> Int {
    var count = 0
    var byteCount = 0
    while count < rows.count, byteCount < Self.mostBytes {
      guard try statement.step() else {
        finish()
        break
      }
      let row = try SQLiteColumnCodec.read(statement, plan, writer, after: byteCount)
      byteCount += row.count
      rows[count] = row
      count += 1
    }
    // The memory of the first rows may have moved when more was needed.
    var start = writer.rows
    for index in 0..<count {
      rows[index] = UnsafeRawBufferPointer(start: start, count: rows[index].count)
      start += rows[index].count
    }
    return count
  }

  /// Reads the rows that are left, so that the statement can end. What was lent stays.
  func readAhead() throws(StorageError) {
    guard !isAtEnd, readRows == nil, let statement = lease.statement else { return }
    var read = ReadRows(writer: RowWriter(layout))
    var byteCount = 0
    while try statement.step() {
      let row = try SQLiteColumnCodec.read(statement, plan, read.writer, after: byteCount)
      read.places.append(byteCount..<(byteCount + row.count))
      byteCount += row.count
    }
    readRows = read
    lease.end()
  }

  private func lendReadRows(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) -> Int {
    guard let read = readRows else { return 0 }
    let places = read.places[read.taken...].prefix(rows.count)
    for (index, place) in places.enumerated() {
      rows[index] = UnsafeRawBufferPointer(start: read.writer.rows + place.lowerBound, count: place.count)
    }
    readRows?.taken += places.count
    if read.taken + places.count == read.places.count { isAtEnd = true }
    return places.count
  }

  private func finish() {
    isAtEnd = true
    lease.end()
  }

  func close() {
    transaction.gate?.lock()
    defer { transaction.gate?.unlock() }
    finish()
  }
}
