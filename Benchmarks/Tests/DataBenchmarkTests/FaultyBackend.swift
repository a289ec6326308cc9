import QuarryBackend
import Synchronization

@testable import DataBenchmark

/// What a store can answer wrongly.
enum ReadFault: String, CaseIterable {
  /// Now and then a row is not found by its key.
  case missesRows
  /// Now and then the row of another key is found.
  case findsAnotherRow
  /// The rows of a query come in another order.
  case reordersQueries
  /// A query also finds a row twice.
  case repeatsRows
}

/// A store that reads something wrong.
final class FaultyBackend: Backend {
  private let store: any Backend
  private let fault: ReadFault
  private let reads = Mutex<(count: Int, last: [UInt8])>((0, []))

  init(_ store: any Backend, _ fault: ReadFault) {
    self.store = store
    self.fault = fault
  }

  var manifest: BackendManifest { store.manifest }
  func beginRead() throws(StorageError) -> any BackendReadTransaction { try FaultyRead(store.beginRead(), fault) }
  func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    try store.beginWrite(options)
  }

  func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    let (count, last) = reads.withLock {
      $0.count += 1
      return $0
    }
    if fault == .missesRows, count % 20 == 0 { return false }
    return try store.withRow(model, key) { row throws(StorageError) in
      let isOther = fault == .findsAnotherRow && count % 20 == 0 && !last.isEmpty
      let bytes = isOther ? last : Array(row)
      reads.withLock { $0.last = Array(row) }
      try bytes.lent { row throws(StorageError) in try body(row) }
    }
  }

  func snapshot() throws(StorageError) -> any BackendSnapshot { try store.snapshot() }
  func check() throws(StorageError) -> [String] { try store.check() }
  func statistics() throws(StorageError) -> BackendStatistics { try store.statistics() }
  func destroy() throws(StorageError) { try store.destroy() }
  func close() throws(StorageError) { try store.close() }
}

private final class FaultyRead: BackendReadTransaction {
  private let transaction: any BackendReadTransaction
  private let fault: ReadFault

  init(_ transaction: any BackendReadTransaction, _ fault: ReadFault) {
    self.transaction = transaction
    self.fault = fault
  }

  var schema: Schema { transaction.schema }
  func version() throws(StorageError) -> CommitVersion { try transaction.version() }
  func row(_ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    try transaction.row(model, key)
  }
  func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) { try transaction.rows(model, keys, body) }
  func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor {
    // What checks the whole store asks for all rows.
    try query.limit == nil ? transaction.cursor(query) : FaultyCursor(transaction.cursor(query), fault)
  }
  func count(_ query: BoundQuery) throws(StorageError) -> Int { try transaction.count(query) }
  func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    try transaction.aggregate(aggregate)
  }
  func explain(_ query: BoundQuery) throws(StorageError) -> QueryPlan { try transaction.explain(query) }
  func end() { transaction.end() }
}

private final class FaultyCursor: RowCursor {
  private let cursor: any RowCursor
  private let fault: ReadFault

  init(_ cursor: any RowCursor, _ fault: ReadFault) {
    self.cursor = cursor
    self.fault = fault
  }

  func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    let count = try cursor.fill(rows)
    switch fault {
    case .reordersQueries:
      for index in 0..<(count / 2) { rows.swapAt(index, count - 1 - index) }
    case .repeatsRows:
      if count > 0, count < rows.count {
        rows[count] = rows[0]
        return count + 1
      }
    case .missesRows, .findsAnotherRow: break
    }
    return count
  }

  func close() { cursor.close() }
}
