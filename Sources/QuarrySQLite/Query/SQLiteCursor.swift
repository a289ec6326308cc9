import QuarryBackend
import QuarrySQL

/// Rows of a query in batches: each fill steps the statement and collects the rows in memory that is reused.
final class SQLiteCursor: RowCursor {
  /// A batch ends when it has grown to this, so that large rows need bounded memory.
  private static let mostBytes = 1 << 20

  private let transaction: SQLiteReadTransaction
  private let lease: SQLiteLease
  private let plan: SQLiteReadPlan
  private let model: SQLiteModel
  private let function: SQLiteRowFunction
  /// Whether the lease's statement calls the function.
  private var callsFunction: Bool
  /// The rows that it has given so far.
  private var called = 0
  private let select: SQLiteSelect
  private let residual: CompiledPredicate?
  private let writer: RowWriter
  private let layout: RowLayout
  private var skips: Int
  private var remaining: Int?
  private var isAtEnd = false
  /// Whether the writer has gone back to the model.
  private var hasGivenWriter = false
  /// The rows that are left, where they were read before the statement had to end.
  private var readRows: ReadRows?

  private struct ReadRows {
    /// Has the rows, and is written to no more.
    let writer: RowWriter
    let places: [Range<Int>]
    var taken = 0
  }

  init(
    _ transaction: SQLiteReadTransaction, _ model: SQLiteModel, _ select: SQLiteSelect, _ lease: SQLiteLease,
    callsFunction: Bool
  ) throws(StorageError) {
    self.transaction = transaction
    self.model = model
    self.lease = lease
    plan = select.plan
    function = transaction.connection.rowFunction
    self.callsFunction = callsFunction
    self.select = select
    layout = select.table.layout
    writer = model.takeWriter()
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
    } else if lease.statement != nil {
      count = try step(rows)
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
    _ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
  ) throws(StorageError) -> Int {
    var count = 0
    var byteCount = 0
    if callsFunction, called == 0, lease.statement?.needsColumns == true { try goOnWithColumns() }
    var isFull = false
    while !isFull, let statement = lease.statement {
      isFull = try read(statement, writer, &byteCount) { (row, byteCount) in
        rows[count] = row
        count += 1
        return count < rows.count && byteCount < Self.mostBytes
      }
    }
    if lease.statement == nil { isAtEnd = true }
    // The memory of the first rows may have moved when more was needed.
    var start = writer.rows
    for index in 0..<count {
      rows[index] = UnsafeRawBufferPointer(start: start, count: rows[index].count)
      start += rows[index].count
    }
    return count
  }

  /// Reads the rows of a statement, and ends the lease behind the last one.
  ///
  /// - Parameters:
  ///   - byteCount: The bytes of rows that the writer keeps.
  ///   - take: Is given a row and the bytes with it, and says whether there is room for another.
  /// - Returns: Whether there is no more room; else the lease has no statement any more, or another one.
  @inline(__always)
  private func read(
    _ statement: SQLiteStatement, _ writer: RowWriter, _ byteCount: inout Int,
    _ take: (UnsafeRawBufferPointer, Int) -> Bool
  ) throws(StorageError) -> Bool {
    while true {
      let row: UnsafeRawBufferPointer
      if callsFunction {
        switch try function.step(statement, plan, writer, after: byteCount) {
        case .row(let found): row = found
        case .rowWithNaN(let found):
          row = found
          statement.needsColumns = true
          try transaction.connection.addNaNs(to: row, model, plan, writer)
        case .end:
          lease.end()
          return false
        case .calledAhead:
          statement.needsColumns = true
          try goOnWithColumns()
          return false
        }
        called &+= 1
      } else {
        guard try statement.step() else {
          lease.end()
          return false
        }
        row = try SQLiteColumnCodec.read(statement, plan, writer, after: byteCount)
      }
      byteCount += row.count
      guard take(row, byteCount) else { return true }
    }
  }

  /// Takes the statement that gives the columns themselves, behind the rows that the other one has given.
  @inline(never)
  private func goOnWithColumns() throws(StorageError) {
    try lease.change(to: select.sql, select.values)
    callsFunction = false
    for _ in 0..<called { _ = try lease.statement?.step() }
  }

  /// Reads the remaining rows, so that the statement can end. Lent bytes stay.
  func readAhead() throws(StorageError) {
    guard !isAtEnd, readRows == nil else { return }
    let writer = RowWriter(layout)
    var places: [Range<Int>] = []
    var byteCount = 0
    while let statement = lease.statement {
      _ = try read(statement, writer, &byteCount) { (row, byteCount) in
        places.append(byteCount - row.count..<byteCount)
        return true
      }
    }
    readRows = ReadRows(writer: writer, places: places)
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
    // From here on nothing is lent and nothing read. The model belongs to another transaction once this one has ended.
    guard !hasGivenWriter, !transaction.isEnded else { return }
    hasGivenWriter = true
    model.giveWriter(writer)
  }
}
