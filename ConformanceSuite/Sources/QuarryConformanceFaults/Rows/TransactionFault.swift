import QuarryBackend

/// Transactions, snapshots and versions that are not what they say.
enum TransactionFault: String, FaultGroup {
  static let group = "transaction"

  case rollbackCommits, commitLost, savepointKept, releaseUndoes, innerRollbackUndoesOuter, uncommittedSeen
  case snapshotMoves, snapshotStale, snapshotsCloseTogether, snapshotOutlivesClose, readMoves, readStale
  case versionConstant, versionsFall, versionMoves, busyIsConflict, ownWritesUnseen, ownWritesUncounted
  case savepointCommits, failedStatementRollsBackAll, closeIgnored, closeTwiceThrows, closeHangs, destroyLeavesData
  case snapshotBehind

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .rollbackCommits: ("A transaction that is rolled back is committed.", ["TXN-1"])
    case .commitLost: ("A commit is acknowledged and rolled back.", ["TXN-1", "CRUD-1"])
    case .savepointKept: ("A savepoint that should be undone is kept.", ["TXN-3"])
    case .releaseUndoes: ("A savepoint that should be kept is undone.", ["TXN-3"])
    case .innerRollbackUndoesOuter: ("An inner savepoint that is undone undoes the outer ones, too.", ["TXN-3"])
    case .uncommittedSeen: ("A read by key sees what an open transaction has inserted.", ["ISO-1", "ISO-2"])
    case .snapshotMoves: ("A snapshot shows what was committed after it.", ["SNAP-1"])
    case .snapshotStale: ("Every snapshot is the first that was made.", ["SNAP-1"])
    case .snapshotBehind: ("A snapshot shows the state before the last write.", ["SNAP-1"])
    case .snapshotsCloseTogether: ("Closing a snapshot closes all of them.", ["SNAP-1", "SNAP-2"])
    case .snapshotOutlivesClose: ("A snapshot that was closed can be read.", ["SNAP-2"])
    case .readMoves: ("Each call of a read sees the newest state.", ["ISO-2"])
    case .readStale: ("A read sees the state before the last commit.", ["ISO-1", "CRUD-1"])
    case .versionConstant: ("Every state has the same version.", ["ISO-3"])
    case .versionsFall: ("A later state has a smaller version.", ["ISO-3"])
    case .versionMoves: ("The version grows with each look at it.", ["ISO-3"])
    case .busyIsConflict: ("A writer that waited too long gets conflict.", ["ISO-1", "ERR-1"])
    case .ownWritesUnseen: ("A transaction's queries see what was committed, not what it has written.", ["TXN-2"])
    case .ownWritesUncounted: ("A transaction counts what was committed, not what it has written.", ["TXN-2"])
    case .savepointCommits:
      ("What was done in a savepoint that was released survives the rollback of all.", ["TXN-1", "TXN-3", "TXN-4"])
    case .failedStatementRollsBackAll: ("A statement that fails undoes the transaction so far.", ["STMT-1"])
    case .closeIgnored: ("A closed store goes on to work.", ["OPEN-3", "TXN-6"])
    case .closeTwiceThrows: ("A second close throws closed.", ["OPEN-3"])
    case .closeHangs: ("Closing a store never ends.", ["OPEN-3"])
    case .destroyLeavesData: ("A store that is destroyed is closed and still there.", ["CAP-1", "OPEN-3"])
    }
  }

  var target: PlantedFault.Target {
    .backend { TwistedHarness("transaction.\(rawValue)") { TransactionTwist(self) } }
  }
}
