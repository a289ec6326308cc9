/// Stores that are replayed from a log when they are opened, and what goes wrong with logs and with writers that do not
/// wait for each other.
enum LogFault: String, FaultGroup {
  static let group = "log"

  case lastCommitLost, tornBatchAccepted, deletesForgotten, rangeDeletesForgotten, schemaForgotten
  case undoneSavepointReplayed, rolledBackReplayed, indexForgotten, smallCommitLost, batchesReversed, valuesCut
  case versionsRestart, lostUpdate, writeSkew, savepointReplayedEarly, nothingKept

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .lastCommitLost: ("A store that is opened again lacks the last commit.", ["CRUD-1"])
    case .tornBatchAccepted:
      ("Of the last commit a store that is opened again has the first half.", ["CRUD-1", "TXN-1"])
    case .deletesForgotten: ("A store that is opened again has what was deleted.", ["CRUD-1", "CRUD-5"])
    case .rangeDeletesForgotten:
      ("A store that is opened again has what was deleted all at once.", ["CRUD-1", "CRUD-5"])
    case .schemaForgotten: ("A store that is opened again knows no models.", ["CRUD-1", "SCH-1", "SCH-2"])
    case .undoneSavepointReplayed: ("A store that is opened again has what a savepoint undid.", ["TXN-3"])
    case .rolledBackReplayed: ("A store that is opened again has what was rolled back.", ["TXN-1"])
    case .indexForgotten: ("A store that is opened again lacks entries of an index.", ["CRUD-1", "IDX-4", "PRED-12"])
    case .smallCommitLost: ("A store that is opened again lacks commits of one object.", ["CRUD-1"])
    case .batchesReversed: ("The last two commits are replayed the wrong way round.", ["CRUD-1"])
    case .valuesCut: ("A store that is opened again has at most 100 bytes of each object.", ["CRUD-1", "VAL-1"])
    case .versionsRestart: ("The versions of a store that is opened again begin anew.", ["ISO-3"])
    case .lostUpdate: ("Two writers at once do not wait, and the later commit overwrites.", ["ISO-1"])
    case .writeSkew: ("Two writers at once do not wait if they write different objects.", ["ISO-1"])
    case .savepointReplayedEarly:
      ("What was done in a savepoint is replayed before what was done before it.", ["CRUD-1", "TXN-3"])
    case .nothingKept: ("A store that is opened again is empty.", ["CRUD-1"])
    }
  }

  var target: PlantedFault.Target { .backend { LogHarness(self) } }
}
