import QuarryBackend

/// Rows of a query in batches: each fill steps the statement and collects the rows in one slab that is reused.
final class SQLiteCursor: RowCursor {
  private let transaction: SQLiteReadTransaction
  private let lease: SQLiteLease
  private let plan: SQLiteReadPlan
  private let residual: CompiledPredicate?
  private let writer: RowWriter
  private let slab = RowSlab()
  private var skips: Int
  private var remaining: Int?
  private var isAtEnd = false

  init(
    _ transaction: SQLiteReadTransaction, _ select: SQLiteSelect, _ lease: SQLiteLease
  ) throws(StorageError) {
    self.transaction = transaction
    self.lease = lease
    plan = select.plan
    let layout = select.selection.table.layout
    writer = RowWriter(layout)
    skips = select.offset
    remaining = select.limit
    if let predicate = select.selection.residualPredicate {
      residual = try CompiledPredicate(predicate, layout)
    } else {
      residual = nil
    }
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
      // A cursor whose statement was ended by the rollback of a savepoint has ended too.
      guard let statement = lease.statement else {
        throw StorageError(.transactionEnded, "the cursor's savepoint was rolled back")
      }
      let count: Int
      do throws(StorageError) {
        count = try collect(statement, rows)
        if residual != nil || transaction.isWatchingFile { try transaction.checkFile() }
      } catch {
        finish()
        throw transaction.noted(error)
      }
      if count > 0 { return count }
    }
    return 0
  }

  /// Steps to as many rows as there is room for, and keeps those that fulfil the residual.
  private func collect(
    _ statement: SQLiteStatement, _ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
  ) throws(StorageError) -> Int {
    slab.removeAll()
    var count = 0
    while count < rows.count, slab.byteCount < RowSlab.mostBytes {
      guard try statement.step() else {
        finish()
        break
      }
      slab.append(try SQLiteColumnCodec.read(statement, plan, writer))
      count += 1
    }
    slab.lend(rows)
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

/// Bytes of rows one after the other, lent until they are removed.
///
/// It owns its memory, hands out pointers only after the last row of a batch was added, and frees it when it goes.
final class RowSlab {
  /// A batch ends when it has grown to this, so that large rows need bounded memory.
  static let mostBytes = 1 << 20

  @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var capacity = 16 << 10
  @exclusivity(unchecked) private(set) var byteCount = 0
  @exclusivity(unchecked) private var ends: [Int] = []

  init() {
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    memory.deallocate()
  }

  func removeAll() {
    byteCount = 0
    ends.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  func append(_ row: UnsafeRawBufferPointer) {
    if byteCount &+ row.count > capacity { grow(byteCount + row.count) }
    if let base = row.baseAddress { (memory + byteCount).copyMemory(from: base, byteCount: row.count) }
    byteCount &+= row.count
    ends.append(byteCount)
  }

  @inline(never)
  private func grow(_ needed: Int) {
    capacity = max(needed, capacity * 2)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    larger.copyMemory(from: memory, byteCount: byteCount)
    memory.deallocate()
    memory = larger
  }

  /// Points to the rows, of which there are not more than places.
  func lend(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) {
    var start = 0
    for (index, end) in ends.enumerated() {
      rows[index] = UnsafeRawBufferPointer(start: memory + start, count: end - start)
      start = end
    }
  }
}
