import Foundation
import QuarryBackend
import QuarryConformance
import Synchronization

/// The faults of transactions, with what they have to remember.
final class TransactionTwist: Twist {
  private struct State {
    /// Savepoints of the open write transaction.
    var depth = 0
    /// What the open transaction has inserted.
    var pending: [PendingKey: Lent] = [:]
    /// Old pending rows, whose bytes may still be lent.
    var retired: [Lent] = []
    /// The state before the last write.
    var previous: (any BackendSnapshot)?
    var first: (any BackendSnapshot)?
    var snapshots: [any BackendSnapshot] = []
    var looks: UInt64 = 0
    var closes = 0
    /// What is done in the open transaction's savepoints, to be done again.
    var inSavepoint: [(ModelID, [Row])] = []
  }

  private struct PendingKey: Hashable {
    var model: ModelID
    var key: [UInt8]
  }

  /// Bytes that stay where they are.
  private final class Lent: Sendable {
    // Written once, before anybody else sees it.
    nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

    init(_ row: UnsafeRawBufferPointer) {
      bytes = .allocate(byteCount: row.count, alignment: 16)
      bytes.copyMemory(from: row)
    }

    deinit { bytes.deallocate() }
  }

  private let fault: TransactionFault
  private let state = Mutex(State())

  init(_ fault: TransactionFault) {
    self.fault = fault
  }

  // MARK: Begin and end

  func beginRead(_ backend: any Backend) throws(StorageError) -> Reader {
    switch fault {
    case .readMoves: return ReaderLayer(try backend.beginRead(), MovingHooks(backend))
    case .readStale:
      let newest = try backend.beginRead()
      guard let old = try state.withLock({ $0.previous })?.beginRead() else { return newest }
      // A state with another schema would be noticed for that.
      guard old.schema == newest.schema else {
        old.end()
        return newest
      }
      newest.end()
      return old
    default: return try backend.beginRead()
    }
  }

  func beginWrite(_ backend: any Backend, _ options: WriteOptions) throws(StorageError) -> Writer {
    do throws(StorageError) {
      let writer = try backend.beginWrite(options)
      let previous = fault == .readStale || fault == .snapshotBehind || isBlind ? try backend.snapshot() : nil
      state.withLock { state in
        state.depth = 0
        state.inSavepoint = []
        state.previous?.close()
        state.previous = previous
      }
      return writer
    } catch {
      guard fault == .busyIsConflict, error.code == .busy else { throw error }
      throw StorageError(.conflict, error.message)
    }
  }

  private var isBlind: Bool { fault == .ownWritesUnseen || fault == .ownWritesUncounted }

  func commit(_ tx: Writer) throws(StorageError) -> CommitResult {
    forgetPending()
    guard fault == .commitLost else { return try tx.commit() }
    // The schema is kept, or the store would not even open.
    guard tx.schema.version == state.withLock({ $0.looks }) else {
      state.withLock { $0.looks = tx.schema.version }
      return try tx.commit()
    }
    let version = try tx.version()
    tx.rollback()
    return CommitResult(version: CommitVersion(version.rawValue + 1))
  }

  func rollback(_ tx: Writer) {
    forgetPending()
    switch fault {
    case .rollbackCommits:
      if (try? tx.commit()) == nil { tx.rollback() }
    case .savepointCommits:
      let done = state.withLock { $0.inSavepoint }
      guard !done.isEmpty, (try? undoAll(tx)) != nil else { return tx.rollback() }
      for (model, rows) in done { _ = try? tx.upsert(model, RowBatch(rows), .replace) }
      if (try? tx.commit()) == nil { tx.rollback() }
    default: tx.rollback()
    }
  }

  /// Takes back what the transaction has inserted.
  private func undoAll(_ tx: Writer) throws(StorageError) {
    for model in tx.schema.models {
      _ = try tx.delete(BoundQuery(model: model.id, order: [BoundSortKey(slot: model.primaryKey)]))
    }
  }

  private func forgetPending() {
    state.withLock { state in
      state.retired += state.pending.values
      state.pending = [:]
    }
  }

  // MARK: Savepoints

  func savepoint(_ tx: Writer) throws(StorageError) {
    try tx.savepoint()
    state.withLock { $0.depth += 1 }
  }

  func releaseSavepoint(_ tx: Writer) throws(StorageError) {
    if fault == .releaseUndoes { try tx.rollbackSavepoint() } else { try tx.releaseSavepoint() }
    state.withLock { $0.depth -= 1 }
  }

  func rollbackSavepoint(_ tx: Writer) throws(StorageError) {
    let depth = state.withLock { state in
      state.depth -= 1
      return state.depth
    }
    switch fault {
    case .savepointKept: try tx.releaseSavepoint()
    case .innerRollbackUndoesOuter:
      for _ in 0...max(0, depth) { try tx.rollbackSavepoint() }
      for _ in 0..<max(0, depth) { try tx.savepoint() }
    default: try tx.rollbackSavepoint()
    }
  }

  // MARK: Rows

  func insert(_ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    if fault == .failedStatementRollsBackAll {
      do throws(StorageError) {
        try tx.insert(model, rows)
      } catch {
        // What the transaction has written goes; what was there before it stays, as far as a model of its own shows.
        try undoAll(tx)
        throw error
      }
      return
    }
    try tx.insert(model, rows)
    guard fault == .uncommittedSeen || fault == .savepointCommits else { return }
    let coding = try RowCoding(tx.schema, model)
    var inserted: [Row] = []
    try rows.forEach { _, row throws(StorageError) in
      inserted.append(Row(copying: row))
      let key = PendingKey(model: model, key: try coding.key(coding.values(row)).bytes)
      let lent = Lent(row)
      state.withLock { $0.pending[key] = lent }
    }
    let rows = inserted
    state.withLock { state in if state.depth > 0 { state.inSavepoint.append((model, rows)) } }
  }

  func row(
    _ tx: Reader, _ model: ModelID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    if let row = try tx.row(model, key) { return row }
    guard fault == .uncommittedSeen else { return nil }
    let wanted = PendingKey(model: model, key: Array(key))
    let lent = state.withLock { $0.pending[wanted] }
    return lent.map { UnsafeRawBufferPointer($0.bytes) }
  }

  func cursor(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    if fault == .ownWritesUnseen, tx is any BackendWriteTransaction, let old = try committed(tx) {
      defer { old.end() }
      return RowsCursor(tx, try old.copies(query))
    }
    return try tx.cursor(query)
  }

  func count(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> Int {
    if fault == .ownWritesUncounted, tx is any BackendWriteTransaction, let old = try committed(tx) {
      defer { old.end() }
      return try old.count(query)
    }
    return try tx.count(query)
  }

  /// The state before the open write transaction, if it has the same schema.
  private func committed(_ tx: Reader) throws(StorageError) -> (any BackendReadTransaction)? {
    guard let old = try state.withLock({ $0.previous })?.beginRead() else { return nil }
    guard old.schema == tx.schema else {
      old.end()
      return nil
    }
    return old
  }

  // MARK: Versions

  func version(_ tx: Reader) throws(StorageError) -> CommitVersion {
    let version = try tx.version()
    switch fault {
    case .versionConstant: return CommitVersion(7)
    case .versionsFall: return CommitVersion(.max - version.rawValue)
    case .versionMoves:
      return state.withLock { state in
        state.looks += 1
        return CommitVersion(version.rawValue * 1000 + state.looks)
      }
    default: return version
    }
  }

  // MARK: Snapshots

  func snapshot(_ backend: any Backend) throws(StorageError) -> any BackendSnapshot {
    let snapshot = try backend.snapshot()
    switch fault {
    case .snapshotMoves: return MovingSnapshot(snapshot, backend)
    case .snapshotBehind:
      guard let previous = state.withLock({ $0.previous }), let old = try? previous.beginRead() else { return snapshot }
      defer { old.end() }
      let reader = try snapshot.beginRead()
      defer { reader.end() }
      guard old.schema == reader.schema else { return snapshot }
      snapshot.close()
      return KeptSnapshot(previous)
    case .snapshotStale:
      let reader = try snapshot.beginRead()
      defer { reader.end() }
      guard let first = state.withLock({ $0.first }), let old = try? first.beginRead() else {
        state.withLock { $0.first = snapshot }
        return KeptSnapshot(snapshot)
      }
      defer { old.end() }
      guard old.schema == reader.schema else { return snapshot }
      snapshot.close()
      return KeptSnapshot(first)
    case .snapshotsCloseTogether:
      state.withLock { $0.snapshots.append(snapshot) }
      return JointSnapshot(snapshot) { [self] in
        for other in state.withLock({ $0.snapshots }) { other.close() }
      }
    case .snapshotOutlivesClose: return KeptSnapshot(snapshot)
    default: return snapshot
    }
  }

  // MARK: The store

  var destroysData: Bool { fault != .destroyLeavesData }

  func destroy(_ backend: any Backend) throws(StorageError) {
    if fault == .destroyLeavesData { try backend.close() } else { try backend.destroy() }
  }

  func close(_ backend: any Backend) throws(StorageError) {
    let closes = state.withLock { state in
      state.closes += 1
      return state.closes
    }
    switch fault {
    case .closeIgnored: return
    case .closeHangs:
      // Until the process ends; the case that closes is given up long before.
      while true { Thread.sleep(forTimeInterval: 1000) }
    case .closeTwiceThrows where closes > 1: throw StorageError(.closed, "closed already")
    default: try backend.close()
    }
  }
}

/// Begins a new transaction of the sound backend before each call.
private final class MovingHooks: TransactionHooks {
  private let backend: any Backend
  /// The older ones go on: cursors of theirs may be open.
  private var readers: [any BackendReadTransaction] = []

  init(_ backend: any Backend) {
    self.backend = backend
  }

  private func newest() throws(StorageError) -> any BackendReadTransaction {
    let reader = try backend.beginRead()
    readers.append(reader)
    return reader
  }

  func schema(_ base: Reader) -> Schema { (readers.last ?? base).schema }
  func schemaVersion(_ base: Reader) -> UInt64 { schema(base).version }
  func version(_ base: Reader) throws(StorageError) -> CommitVersion { try newest().version() }

  func row(
    _ base: Reader, _ model: ModelID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try newest().row(model, key)
  }

  func rows(
    _ base: Reader, _ model: ModelID, _ keys: [Key],
    _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try newest().rows(model, keys, body)
  }

  func missing(_ base: Reader, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int] {
    try newest().missing(model, keys)
  }

  func cursor(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor { try newest().cursor(query) }
  func count(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> Int { try newest().count(query) }

  func aggregate(_ base: Reader, _ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    try newest().aggregate(aggregate)
  }

  func explain(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> QueryPlan { try newest().explain(query) }

  func end(_ base: Reader) {
    for reader in readers { reader.end() }
    base.end()
  }
}

/// Reads the newest state.
private final class MovingSnapshot: SnapshotLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; the backend is constant and Sendable.
  private let backend: any Backend

  init(_ snapshot: any BackendSnapshot, _ backend: any Backend) {
    self.backend = backend
    super.init(snapshot)
  }

  override func beginRead() throws(StorageError) -> any BackendReadTransaction { try backend.beginRead() }
}

/// Stays open.
private final class KeptSnapshot: SnapshotLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; it adds nothing.
  override func close() {}
}

/// Does more when it is closed.
private final class JointSnapshot: SnapshotLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; the closure is constant and Sendable.
  private let onClose: @Sendable () -> Void

  init(_ snapshot: any BackendSnapshot, _ onClose: @escaping @Sendable () -> Void) {
    self.onClose = onClose
    super.init(snapshot)
  }

  override func close() { onClose() }
}
