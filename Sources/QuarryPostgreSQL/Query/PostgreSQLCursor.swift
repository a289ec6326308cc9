#if PostgreSQL
  import QuarryBackend
  import QuarrySQL

  /// Rows of a query in batches: each is fetched from a cursor of the server, which does not see what is written later.
  final class PostgreSQLCursor: RowCursor {
    /// The rows of a batch at most.
    private static let mostRows = 1_024
    /// How many times as large as the last a batch is at most: rows may be larger than those before.
    private static let growth = 4
    /// About the bytes of a batch that is fetched, and of one that is lent.
    private static let mostBytes = 1 << 20
    private static let mostFetchedBytes = 4 << 20

    private let transaction: PostgreSQLReadTransaction
    private let reader: PostgreSQLRowReader
    private let residual: CompiledPredicate?
    private let writer: RowWriter
    /// Nil at the end.
    private var portal: PostgreSQLPortal?
    private var result: PostgreSQLResult?
    /// The next row of the result.
    private var place = 0
    /// The bytes of the largest row that was read from the result.
    private var largest = 0
    private var asked: Int
    private var skips: Int
    private var remaining: Int?
    private var isAtEnd = false

    init(_ transaction: PostgreSQLReadTransaction, _ select: PostgreSQLSelect) throws(StorageError) {
      self.transaction = transaction
      reader = select.reader
      let layout = select.reader.table.layout
      writer = RowWriter(layout)
      residual = try select.selection.residualPredicate.map { (part) throws(StorageError) in
        try CompiledPredicate(part, layout)
      }
      skips = select.offset
      remaining = select.limit
      asked = select.reader.rows(in: Self.mostFetchedBytes, most: Self.mostRows)
      let portal = transaction.makePortal()
      self.portal = portal
      result = try transaction.using(reader.table) { () throws(StorageError) in
        if let most = select.most, most <= asked {
          portal.isOnServer = false
          return try transaction.query(PostgreSQLStatement(select.sql, select.parameters))
        }
        var declaration = PostgreSQLStatement(
          "DECLARE \(portal.name) BINARY NO SCROLL CURSOR FOR \(select.sql)", select.parameters)
        declaration.isPrepared = false
        return try transaction.pipeline([declaration, fetch(portal)]).last
      }
      if !portal.isOnServer { asked = .max }
      if let result { try reader.check(result) }
    }

    deinit {
      close()
    }

    private func fetch(_ portal: PostgreSQLPortal) -> PostgreSQLStatement {
      .command("FETCH \(asked) FROM \(portal.name)")
    }

    func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
      try transaction.check()
      if portal?.isLost == true, !isAtEnd {
        finish()
        throw StorageError(.transactionEnded, "the cursor's savepoint was rolled back")
      }
      while !isAtEnd, rows.count > 0 {
        if remaining == 0 {
          finish()
          break
        }
        do throws(StorageError) {
          let count = try collect(rows)
          if count > 0 { return count }
        } catch {
          finish()
          throw error
        }
      }
      return 0
    }

    /// Takes as many rows as there is room for, and keeps those that fulfil the residual.
    private func collect(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
      guard let result else {
        finish()
        return 0
      }
      if place == result.count {
        try fetchMore(result)
        return 0
      }
      var count = 0
      var byteCount = 0
      while count < rows.count, place < result.count, byteCount < Self.mostBytes {
        let row = try reader.read(result, place, writer, after: byteCount)
        rows[count] = row
        byteCount += row.count
        largest = max(largest, row.count)
        count += 1
        place += 1
      }
      if place == result.count { reader.note(rowOf: largest) }
      // The memory of the first rows may have moved when more was needed.
      var start = writer.rows
      for index in 0..<count {
        rows[index] = UnsafeRawBufferPointer(start: start, count: rows[index].count)
        start += rows[index].count
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

    /// Fetches the next rows, as many as the size of the last ones lets expect to be few bytes.
    private func fetchMore(_ last: PostgreSQLResult) throws(StorageError) {
      guard let portal, portal.isOnServer, last.count == asked else {
        // There were fewer than asked for: these were the last.
        return finish()
      }
      asked = max(1, min(Self.mostRows, asked * Self.growth, Self.mostFetchedBytes / max(1, largest)))
      result = nil
      result = try transaction.query(fetch(portal))
      place = 0
      largest = 0
    }

    private func finish() {
      isAtEnd = true
      result = nil
      if let portal { transaction.close(portal) }
      portal = nil
    }

    func close() { finish() }
  }
#endif
