import QuarryBackend

/// Copies and dumps that go wrong: of what is at the destination, of the mark that says that a copy is unfinished, of the state
/// that is copied.
enum MoveFault: String, FaultGroup {
  static let group = "move"

  // What is at the destination.
  case rowDropped, rowDroppedUnseen, indexesForgotten, indexNotUnique, indexAscends, versionForgotten
  // Copies that do not end.
  case markForgotten, markStandsStill, markUnseen, oldRowsStay, rowsUncounted, changedSourceUnseen
  // Dumps.
  case dumpDescends, restoreLosesRow, refusedDumpStays

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .rowDropped: ("A copy loses the last row of each batch.", ["MOVE-1", "MOVE-3"])
    case .rowDroppedUnseen:
      ("A copy loses the last row of each batch, and is compared with what was sent to it.", ["MOVE-1", "MOVE-3"])
    case .indexesForgotten: ("A copy has no indexes.", ["MOVE-1"])
    case .indexNotUnique: ("The unique indexes of a copy are not unique.", ["MOVE-1"])
    case .indexAscends: ("The indexes of a copy ascend.", ["MOVE-1"])
    case .versionForgotten: ("A copy does not have the version.", ["MOVE-1"])
    case .markForgotten: ("An interrupted copy is taken as whole.", ["MOVE-4"])
    case .markStandsStill: ("An unfinished copy does not know which models are whole.", ["MOVE-4"])
    case .markUnseen: ("An unfinished copy is taken for a store of somebody's.", ["MOVE-4"])
    case .oldRowsStay: ("A copy that begins anew keeps the rows of before.", ["MOVE-4"])
    case .rowsUncounted: ("A copy that goes on counts one row too few of what is there.", ["MOVE-4"])
    case .changedSourceUnseen: ("A source that has changed has the version of before.", ["MOVE-4"])
    case .dumpDescends: ("Every row of a model is read from the last to the first.", ["MOVE-6"])
    case .restoreLosesRow: ("What is stored in the transaction that makes its model loses its last row.", ["MOVE-7"])
    case .refusedDumpStays: ("A transaction that makes models and is undone is committed.", ["MOVE-7"])
    }
  }

  var target: PlantedFault.Target { .backend { TwistedHarness("move.\(rawValue)") { MoveTwist(self) } } }
}
