/// An engine of ordered keys that does something else than it says, under the backend that is common to such engines.
enum EngineFault: String, FaultGroup {
  static let group = "engine"

  case upperBoundIncluded, lowerBoundExcluded, descendingSkipsFirst, descendingAscends, upperBoundLostAfterFf
  case countIgnoresBounds, countOneMore, deleteRangeMissesLast, deleteRangeCountsOne, putSaysNew, insertReplaces
  case insertSaysStored, getFindsPrefix, emptyKeyLost, emptyValueMissing, deleteSaysMissing, versionConstant
  case cursorRepeatsEntry, fillSkipsEntry, longKeysCut, longValuesCut, treesCollide, savepointKeepsTree
  case rollbackKeepsTree, commitLosesLastWrite, snapshotMoves, readerMoves, pointReadStale, sameLengthKept
  case deleteLeavesEntry, closedEngineReads, checkFindsDamage, treeStatisticsZero, commitVersionDiffers
  case cursorSeesNoWrites, descendingFillAscends, emptyValueNotUndone, newTreeStaysEmpty
  case lateTreeLacksEntry, lentValuesOverwritten

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .upperBoundIncluded: ("A range includes its upper bound.", ["PRED-3", "PRED-6", "IDX-4"])
    case .lowerBoundExcluded: ("A range excludes its lower bound.", ["PRED-3", "PRED-6", "IDX-4"])
    case .descendingSkipsFirst: ("A descending cursor skips its first entry.", ["SORT-2", "SORT-4"])
    case .descendingAscends: ("A descending cursor ascends.", ["SORT-2", "SORT-4"])
    case .upperBoundLostAfterFf:
      ("A range whose lower bound ends in the byte 0xFF has no upper bound.", ["PRED-12", "IDX-4", "TEXT-1"])
    case .countIgnoresBounds: ("A count of a range is that of the tree.", ["AGG-5"])
    case .countOneMore: ("A count of a range is one too many.", ["AGG-5"])
    case .deleteRangeMissesLast: ("A range that is deleted keeps its last entry.", ["CRUD-5"])
    case .deleteRangeCountsOne: ("A range that is deleted says 1.", ["CRUD-5"])
    case .putSaysNew: ("A put always says that its key was new.", [])
    case .insertReplaces: ("An insert replaces, and says that it stored.", ["CRUD-2", "IDX-1"])
    case .insertSaysStored: ("An insert of a key that is there says that it stored.", ["CRUD-2", "IDX-1"])
    case .getFindsPrefix: ("A get of a key that is missing gives the value of a longer one.", ["CRUD-3"])
    case .emptyKeyLost: ("An empty key is stored nowhere, and nothing is said.", [])
    case .emptyValueMissing: ("An empty value is missing.", [])
    case .deleteSaysMissing: ("A delete says that the key was not there.", ["CRUD-5"])
    case .versionConstant: ("Every state has the same version.", ["ISO-3"])
    case .cursorRepeatsEntry: ("A cursor gives its first entry twice.", [])
    case .fillSkipsEntry: ("A batch of more than three values lacks one.", ["CRUD-1", "SORT-2"])
    case .longKeysCut: ("Keys are cut after 40 bytes.", ["CRUD-1", "CRUD-2", "IDX-1"])
    case .longValuesCut: ("Values are cut after 4,000 bytes.", ["VAL-1", "CRUD-1"])
    case .treesCollide: ("A tree shares its entries with the fourth after it.", ["CRUD-1", "IDX-4"])
    case .savepointKeepsTree:
      ("A savepoint that is undone keeps what it put into one of its trees.", ["TXN-3", "STMT-1"])
    case .rollbackKeepsTree: ("A transaction that is rolled back keeps what it put into one of its trees.", ["TXN-1"])
    case .commitLosesLastWrite: ("A commit loses the last put.", ["CRUD-1", "TXN-1"])
    case .snapshotMoves: ("A snapshot shows what was committed after it.", ["SNAP-1"])
    case .readerMoves: ("A get in a read transaction sees the newest state.", ["ISO-2"])
    case .pointReadStale: ("A get outside a transaction sees the state before the last commit.", ["CRUD-1", "ISO-1"])
    case .sameLengthKept: ("A value is not replaced by another of its length.", ["CRUD-7", "CRUD-1"])
    case .deleteLeavesEntry: ("A delete says that the key was there, and leaves it.", ["CRUD-5"])
    case .closedEngineReads: ("A closed engine can be read.", ["OPEN-3", "TXN-6"])
    case .checkFindsDamage: ("A check finds damage where there is none.", ["CARE-1"])
    case .treeStatisticsZero: ("A tree says that it has no entries.", ["CAP-1"])
    case .commitVersionDiffers: ("A commit gives another version than the one that is read then.", [])
    case .cursorSeesNoWrites: ("A cursor in a write transaction does not see what it has written.", ["TXN-2"])
    case .emptyValueNotUndone:
      ("A savepoint that is undone does not bring back an entry whose value is empty.", ["TXN-3", "IDX-4"])
    case .newTreeStaysEmpty:
      ("An index that is made later has no entries of the objects that are there.", ["SCH-5", "IDX-4", "IDX-1"])
    case .lateTreeLacksEntry:
      ("An index that is made after rows were written lacks its first entry.", ["MIG-6", "SCH-5", "IDX-4"])
    case .lentValuesOverwritten: ("A value that a get lent is overwritten 256 gets later.", [])
    case .descendingFillAscends: ("Batches of a descending cursor are turned round.", ["SORT-2", "SORT-4"])
    }
  }

  var target: PlantedFault.Target { .engine { FaultyEngineHarness(self) } }
}
