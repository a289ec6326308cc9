import Foundation
import QuarryBackend
import QuarryConformance
import Synchronization

/// Engines whose write transactions several writers cannot share.
enum GroupFault: String, FaultGroup {
  static let group = "group"

  case otherThreadsRefused, otherThreadsWriteNothing, otherThreadsReadOld
  case laterSavepointKept, laterReleaseUndoes, undoingUndoesLeader, commitForgetsSavepoints
  case savepointMovesVersion, undoneIsCommitted, failedPartEndsAll, undoneKeyIsTaken

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .otherThreadsRefused:
      ("A write transaction takes calls of the thread alone that began it.", ["TXN-11"])
    case .otherThreadsWriteNothing:
      ("What another thread than the one that began a transaction inserts is lost.", ["TXN-11"])
    case .otherThreadsReadOld:
      ("Another thread than the one that began a transaction counts what was committed.", ["TXN-11"])
    case .laterSavepointKept: ("Of savepoints one after another only the first is undone.", ["TXN-12", "TXN-3"])
    case .laterReleaseUndoes: ("Of savepoints one after another only the first is kept.", ["TXN-11", "TXN-3"])
    case .undoingUndoesLeader: ("To undo a savepoint undoes what was written before it.", ["TXN-12", "TXN-3"])
    case .commitForgetsSavepoints: ("A commit has what was written before the first savepoint.", ["TXN-11", "TXN-3"])
    case .savepointMovesVersion: ("Each savepoint makes the version greater.", ["TXN-13", "TXN-3"])
    case .undoneIsCommitted: ("What was undone with a savepoint is there after the commit.", ["TXN-12", "TXN-3"])
    case .failedPartEndsAll: ("To undo a savepoint ends the transaction.", ["TXN-12", "TXN-3"])
    case .undoneKeyIsTaken: ("A key that was inserted in a savepoint that was undone is taken.", ["TXN-12", "TXN-3"])
    }
  }

  var target: PlantedFault.Target {
    .backend { TwistedHarness("group.\(rawValue)") { GroupTwist(self) } }
  }
}

/// The faults of shared transactions, with what they have to remember of the write transaction.
private final class GroupTwist: Twist {
  private struct State {
    /// The thread that began the transaction.
    var thread = pthread_self()
    var savepoints = 0
    var depth = 0
    /// Rows that were inserted in savepoints.
    var inserted: [(ModelID, [Row])] = []
    /// Those of them that were undone.
    var undone: [(ModelID, [Row])] = []
  }

  private let fault: GroupFault
  private let state = Mutex(State())

  init(_ fault: GroupFault) {
    self.fault = fault
  }

  private var isElsewhere: Bool { state.withLock { pthread_equal($0.thread, pthread_self()) == 0 } }

  func beginWrite(_ backend: any Backend, _ options: WriteOptions) throws(StorageError) -> Writer {
    let writer = try backend.beginWrite(options)
    state.withLock { $0 = State() }
    return writer
  }

  // MARK: Savepoints

  func savepoint(_ tx: Writer) throws(StorageError) {
    try tx.savepoint()
    state.withLock { state in
      state.savepoints += 1
      state.depth += 1
    }
  }

  func releaseSavepoint(_ tx: Writer) throws(StorageError) {
    let savepoints = state.withLock { state in
      state.depth -= 1
      return state.savepoints
    }
    if fault == .laterReleaseUndoes, savepoints > 1 { return try tx.rollbackSavepoint() }
    try tx.releaseSavepoint()
  }

  func rollbackSavepoint(_ tx: Writer) throws(StorageError) {
    let savepoints = state.withLock { state in
      state.depth -= 1
      state.undone += state.inserted
      state.inserted = []
      return state.savepoints
    }
    if fault == .laterSavepointKept, savepoints > 1 { return try tx.releaseSavepoint() }
    try tx.rollbackSavepoint()
    if fault == .undoingUndoesLeader { try undoAll(tx) }
    if fault == .failedPartEndsAll { tx.rollback() }
  }

  /// Takes back what there is.
  private func undoAll(_ tx: Writer) throws(StorageError) {
    for model in tx.schema.models {
      _ = try tx.delete(BoundQuery(model: model.id, order: [BoundSortKey(slot: model.primaryKey)]))
    }
  }

  func commit(_ tx: Writer) throws(StorageError) -> CommitResult {
    let state = self.state.withLock { $0 }
    switch fault {
    case .commitForgetsSavepoints:
      for (model, rows) in state.inserted {
        let coding = try RowCoding(tx.schema, model)
        for row in rows {
          let key = try row.bytes.withBytes { row throws(StorageError) in try coding.key(coding.values(row)) }
          _ = try tx.delete(model, [key])
        }
      }
    case .undoneIsCommitted:
      for (model, rows) in state.undone { _ = try tx.upsert(model, RowBatch(rows), .replace) }
    default: break
    }
    return try tx.commit()
  }

  // MARK: Rows

  func insert(_ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    if isElsewhere {
      if fault == .otherThreadsRefused {
        throw StorageError(.wrongThread, "the transaction was begun by another thread")
      }
      if fault == .otherThreadsWriteNothing { return }
    }
    var copies: [Row] = []
    try rows.forEach { _, row throws(StorageError) in copies.append(Row(copying: row)) }
    if fault == .undoneKeyIsTaken {
      let undone = state.withLock { $0.undone }
      for (other, old) in undone where other == model {
        let coding = try RowCoding(tx.schema, model)
        func keys(_ rows: [Row]) throws(StorageError) -> [[UInt8]] {
          var keys: [[UInt8]] = []
          for row in rows {
            keys.append(
              try row.bytes.withBytes { row throws(StorageError) in try coding.key(coding.values(row)).bytes })
          }
          return keys
        }
        let taken = Set(try keys(old))
        if try keys(copies).contains(where: taken.contains) {
          throw StorageError(.duplicateKey, "the key was there")
        }
      }
    }
    try tx.insert(model, rows)
    let inserted = copies
    state.withLock { state in if state.depth > 0 { state.inserted.append((model, inserted)) } }
  }

  func count(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> Int {
    let count = try tx.count(query)
    guard fault == .otherThreadsReadOld, tx is any BackendWriteTransaction, isElsewhere else { return count }
    return 0
  }

  func row(
    _ tx: Reader, _ model: ModelID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    guard fault == .otherThreadsReadOld, tx is any BackendWriteTransaction, isElsewhere else {
      return try tx.row(model, key)
    }
    return nil
  }

  func version(_ tx: Reader) throws(StorageError) -> CommitVersion {
    let version = try tx.version()
    guard fault == .savepointMovesVersion, tx is any BackendWriteTransaction else { return version }
    return CommitVersion(version.rawValue + UInt64(state.withLock { $0.savepoints }))
  }
}
