import QuarryBackend
import QuarryConformance

/// What an engine may do wrong of which references break: lookups of keys, queries by a list of keys, statements that leave
/// something, savepoints that forget something, schemas that lose it.
enum RelationFault: String, FaultGroup {
  static let group = "relation"

  case missingRowIsFound, missingRowsAreFound, lastRowIsMissing, rowsStopAtThousand, rowsAreSwapped
  case listStopsAtHundred, listHasFirstOnly, listForgetsLast, listIsBackwards
  case deleteWhereLeavesOne, updateWhereLeavesOne, updateWhereStopsAtThousand, nilIsNotSet
  case deleteStopsAtMissing, deleteOfManyLeavesOne, deleteSaysNothing
  case deletesSurviveSavepoint, updatesSurviveSavepoint, limitOfOneFindsNothing, limitOfThousandIsLess
  case referencesAreLost, cascadeIsLost, ruleIsNotChanged, dropsWithReference, notNilFindsNothing

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .missingRowIsFound: ("A row that is looked up and not there is another one.", ["REL-2"])
    case .missingRowsAreFound: ("Of several rows one that is not there is another one.", ["REL-2"])
    case .lastRowIsMissing: ("Of several rows that are looked up the last is not found.", ["REL-2", "REL-11"])
    case .rowsStopAtThousand: ("Of more than a thousand rows the rest is not found.", ["REL-2", "REL-11"])
    case .rowsAreSwapped: ("Of several rows the first two are given for each other.", ["REL-11"])
    case .listStopsAtHundred: ("A list of more than a hundred values ends there.", ["REL-4", "REL-11"])
    case .listHasFirstOnly: ("A list of values is its first.", ["REL-4", "REL-11"])
    case .listForgetsLast: ("A list of several values lacks the last.", ["REL-4", "REL-11"])
    case .listIsBackwards: ("Rows of a list of values come in the order of the query from its end.", ["REL-11"])
    case .deleteWhereLeavesOne: ("A delete of a query of more than one row leaves the last.", ["REL-4"])
    case .updateWhereLeavesOne: ("An update of a query of more than one row leaves the last.", ["REL-4"])
    case .updateWhereStopsAtThousand: ("An update of a query changes at most a thousand rows.", ["REL-4"])
    case .nilIsNotSet: ("An update of a query does not set what is to become nil.", ["REL-4"])
    case .deleteStopsAtMissing: ("A delete of keys ends at the first that is not there.", ["REL-4", "REL-5"])
    case .deleteOfManyLeavesOne: ("A delete of a hundred keys and more leaves the last.", ["REL-4"])
    case .deleteSaysNothing: ("A delete of keys says that there were none.", ["REL-4", "REL-5"])
    case .deletesSurviveSavepoint: ("What was deleted by keys stays so when its savepoint is undone.", ["REL-4"])
    case .updatesSurviveSavepoint: ("What a query has updated stays so when its savepoint is undone.", ["REL-4"])
    case .limitOfOneFindsNothing: ("A query with a limit of one gives nothing.", ["REL-4"])
    case .limitOfThousandIsLess: ("A query with a limit of a thousand gives 900.", ["REL-4"])
    case .referencesAreLost: ("A model is made with plain properties for its references.", ["REL-2", "REL-6"])
    case .cascadeIsLost: ("A reference that cascades is made as one that denies.", ["REL-4", "REL-6"])
    case .ruleIsNotChanged:
      ("The rule of a reference stays when it is changed, and nothing is said.", ["REL-6", "REL-9"])
    case .dropsWithReference: ("With a model the references to it are dropped.", ["REL-9"])
    case .notNilFindsNothing: ("The rows whose property is not nil are none.", ["REL-9", "REL-12"])
    }
  }

  var target: PlantedFault.Target {
    .backend { TwistedHarness("relation.\(rawValue)") { RelationTwist(self) } }
  }
}
