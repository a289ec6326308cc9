import QuarryBackend
import QuarryConformance
import Synchronization

/// The faults of calls inside calls, with what they have to remember of the write transaction.
final class ReentrancyTwist: Twist {
  private struct State {
    /// Savepoints that were undone in the transaction, and streams that were closed.
    var rollbacks = 0
    var closes = 0
    /// Bytes that were inserted since each open savepoint.
    var inserted: [Int] = []
    /// Rows as they were found first.
    var found: [[UInt8]: Copy] = [:]
    /// The rows that a stream lends.
    var lent: [Copy] = []
  }

  /// Bytes that stay where they are.
  private final class Copy: @unchecked Sendable {
    // Unchecked: it is used by the one writer, on one thread at a time.
    let bytes: UnsafeMutableRawBufferPointer

    init(_ row: UnsafeRawBufferPointer) {
      bytes = .allocate(byteCount: max(1, row.count), alignment: 16)
      bytes.copyMemory(from: row)
      count = row.count
    }

    private let count: Int
    var row: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[..<count]) }

    deinit { bytes.deallocate() }
  }

  private let fault: ReentrancyFault
  private let state = Mutex(State())

  init(_ fault: ReentrancyFault) {
    self.fault = fault
  }

  func check(_ backend: any Backend) throws(StorageError) -> [String] {
    let defects = try backend.check()
    return fault == .checkFindsNothing ? [] : defects
  }

  func beginWrite(_ backend: any Backend, _ options: WriteOptions) throws(StorageError) -> Writer {
    let writer = try backend.beginWrite(options)
    state.withLock { $0 = State() }
    return writer
  }

  func version(_ tx: Reader) throws(StorageError) -> CommitVersion {
    let version = try tx.version()
    guard fault == .versionCountsRollbacks, tx is any BackendWriteTransaction else { return version }
    return CommitVersion(version.rawValue + UInt64(state.withLock { $0.rollbacks }))
  }

  // MARK: Savepoints

  func savepoint(_ tx: Writer) throws(StorageError) {
    try tx.savepoint()
    state.withLock { $0.inserted.append(0) }
  }

  func releaseSavepoint(_ tx: Writer) throws(StorageError) {
    try tx.releaseSavepoint()
    state.withLock { state in
      let bytes = state.inserted.popLast() ?? 0
      if !state.inserted.isEmpty { state.inserted[state.inserted.count - 1] += bytes }
    }
  }

  func rollbackSavepoint(_ tx: Writer) throws(StorageError) {
    let (bytes, depth) = state.withLock { state in
      state.rollbacks += 1
      return (state.inserted.popLast() ?? 0, state.inserted.count)
    }
    switch fault {
    case .largeStatementKept where bytes >= 1 << 20: try tx.releaseSavepoint()
    case .innermostSavepointKept where depth > 0: try tx.releaseSavepoint()
    default: try tx.rollbackSavepoint()
    }
  }

  // MARK: Rows

  func insert(_ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    let bytes = rows.byteCount
    state.withLock { state in
      if !state.inserted.isEmpty { state.inserted[state.inserted.count - 1] += bytes }
      if let first = state.lent.first {
        for copy in state.lent where copy.row.count == first.row.count { copy.bytes.copyMemory(from: first.row) }
      }
    }
    do throws(StorageError) {
      try tx.insert(model, rows)
    } catch {
      if fault == .streamsEndAtFailedStatement, rows.count > 1 { state.withLock { $0.rollbacks += 1 } }
      throw error
    }
  }

  func row(
    _ tx: Reader, _ model: ModelID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    let row = try tx.row(model, key)
    guard fault == .ownRowStale, tx is any BackendWriteTransaction, let row else { return row }
    let name = Array(key) + withUnsafeBytes(of: model.rawValue, Array.init)
    let copy = Copy(row)
    return state.withLock { state in
      let first = state.found[name] ?? copy
      state.found[name] = first
      return first
    }.row
  }

  // MARK: Streams

  func cursor(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    let cursor = try tx.cursor(query)
    guard tx is any BackendWriteTransaction else { return cursor }
    switch fault {
    case .streamsEndAtRollback, .streamsEndAtFailedStatement, .streamsEndTogether, .lentRowsChange:
      return DisturbedCursor(cursor, self)
    case .streamsRestartAtRollback:
      return RestartingCursor(cursor, self) { () throws(StorageError) in try tx.cursor(query) }
    case .queriesMissInnerWrites where state.withLock({ !$0.inserted.isEmpty && $0.inserted.contains { $0 > 0 } }):
      var fewer = query
      fewer.limit = try max(0, tx.count(query) - 1)
      return try tx.cursor(fewer)
    default: return cursor
    }
  }

  private var rollbacks: Int { state.withLock { $0.rollbacks } }
  private var closes: Int { state.withLock { $0.closes } }
  private func lend(_ rows: [Copy]) { state.withLock { $0.lent = rows } }
  private func didClose() { state.withLock { $0.closes += 1 } }

  /// A cursor that something else in its transaction disturbs.
  private final class DisturbedCursor: CursorLayer {
    private let twist: ReentrancyTwist
    private let rollbacks: Int
    private let closes: Int
    private var isOpen = true
    /// Copies of the rows that are lent.
    private var lent: [Copy] = []

    init(_ base: any RowCursor, _ twist: ReentrancyTwist) {
      self.twist = twist
      rollbacks = twist.rollbacks
      closes = twist.closes
      super.init(base)
    }

    override func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
      switch twist.fault {
      case .streamsEndAtRollback, .streamsEndAtFailedStatement:
        if twist.rollbacks != rollbacks { throw StorageError(.transactionEnded, "disturbed") }
      case .streamsEndTogether:
        if twist.closes != closes { return 0 }
      default: break
      }
      let count = try super.fill(rows)
      guard twist.fault == .lentRowsChange else { return count }
      lent = (0..<count).map { Copy(rows[$0]) }
      for (place, copy) in lent.enumerated() { rows[place] = copy.row }
      twist.lend(lent)
      return count
    }

    override func close() {
      if isOpen { twist.didClose() }
      isOpen = false
      super.close()
    }
  }

  /// A cursor that goes back to its beginning.
  private final class RestartingCursor: CursorLayer {
    private let twist: ReentrancyTwist
    private var rollbacks: Int
    private var current: any RowCursor
    private let makeAgain: () throws(StorageError) -> any RowCursor

    init(
      _ base: any RowCursor, _ twist: ReentrancyTwist, _ makeAgain: @escaping () throws(StorageError) -> any RowCursor
    ) {
      self.twist = twist
      rollbacks = twist.rollbacks
      current = base
      self.makeAgain = makeAgain
      super.init(base)
    }

    override func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
      if twist.rollbacks != rollbacks {
        rollbacks = twist.rollbacks
        current = try makeAgain()
      }
      return try current.fill(rows)
    }

    override func close() {
      current.close()
      super.close()
    }
  }
}
