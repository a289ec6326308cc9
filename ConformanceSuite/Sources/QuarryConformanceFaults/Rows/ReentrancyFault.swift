import QuarryBackend
import QuarryConformance

/// Calls that disturb others that are not done: streams, statements of many batches, rows that are lent.
enum ReentrancyFault: String, FaultGroup {
  static let group = "reentrancy"

  case streamsEndAtRollback, streamsEndAtFailedStatement, streamsEndTogether, streamsRestartAtRollback, lentRowsChange
  case largeStatementKept, innermostSavepointKept, ownRowStale, versionCountsRollbacks, checkFindsNothing
  case queriesMissInnerWrites

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .streamsEndAtRollback: ("A savepoint that is undone ends every open stream.", ["STMT-8", "REENT-1"])
    case .streamsEndAtFailedStatement: ("A statement of many objects that fails ends every open stream.", ["STMT-8"])
    case .streamsEndTogether: ("Of two streams over one model the end of one is the end of the other.", ["STMT-8"])
    case .streamsRestartAtRollback: ("A stream begins anew when a savepoint is undone.", ["STMT-8"])
    case .lentRowsChange:
      ("What is inserted is written over the rows that an open stream lends.", ["STMT-8", "REENT-1"])
    case .largeStatementKept: ("A savepoint in which a megabyte was inserted is not undone.", ["STMT-1", "TXN-3"])
    case .innermostSavepointKept:
      ("A savepoint inside another is kept when it should be undone.", ["TXN-3", "REENT-3"])
    case .ownRowStale:
      ("A transaction finds an object by its key as it found it first.", ["TXN-2", "CRUD-7", "REENT-2"])
    case .versionCountsRollbacks: ("A transaction's version grows with each savepoint that it undoes.", ["TXN-3"])
    case .checkFindsNothing: ("A check never finds anything.", ["CARE-2"])
    case .queriesMissInnerWrites:
      ("In a savepoint a query over a model does not see what was inserted in it.", ["TXN-2", "REENT-1"])
    }
  }

  var target: PlantedFault.Target {
    .backend { TwistedHarness("reentrancy.\(rawValue)") { ReentrancyTwist(self) } }
  }
}
