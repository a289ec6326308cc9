import QuarryBackend

/// Changes of a schema, and the transactions of migrations, that do something else than they say.
enum MigrationFault: String, FaultGroup {
  static let group = "migration"

  // Changes of the schema.
  case propertyRenameLosesValues, modelRenameLosesObjects, droppedPropertyStays, droppedModelStays, droppedIndexStays
  case dropShiftsValues, indexNotUnique, indexAscends, indexRenameDrops, uniquenessUncheckedAfterRewriting
  case optionalityForgotten, optionalityUnchecked, defaultsForgotten, otherModelLosesObject
  // The version of the program's models.
  case versionForgotten, versionFallAccepted, secondVersionForgotten, versionSurvivesRollback
  // The transaction.
  case schemaSurvivesRollback, rollbackCommits, migratedTwice, openStoreUntold
  case snapshotSeesNewSchema, snapshotFollowsMigration
  // Rows that are read and made anew.
  case rowsDescend, lastRowUnread, firstRowReadTwice, rowsUncounted, duplicateReplaces, duplicateIgnored
  case widenedIsRounded, negativeZeroLost, nilFilled

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .propertyRenameLosesValues: ("A renamed property has lost its values.", ["MIG-2", "MIG-5"])
    case .modelRenameLosesObjects: ("A renamed model has lost its objects.", ["MIG-2", "MIG-5"])
    case .droppedPropertyStays: ("A property that is dropped stays.", ["MIG-3"])
    case .droppedModelStays: ("A model that is dropped stays.", ["MIG-3"])
    case .droppedIndexStays: ("An index that is dropped stays.", ["MIG-2", "MIG-3", "SCH-5"])
    case .dropShiftsValues: ("A property that is dropped leaves its values to another of its type.", ["MIG-3"])
    case .indexNotUnique: ("A unique index that is made later is not unique.", ["MIG-2", "MIG-6", "SCH-5"])
    case .indexAscends: ("An index that is made later ascends.", ["MIG-2", "SCH-5"])
    case .indexRenameDrops: ("An index that is renamed is dropped.", ["MIG-2", "SCH-5"])
    case .uniquenessUncheckedAfterRewriting:
      ("Where rows were made anew, a unique index over what is not unique is made as a plain one.", ["MIG-6"])
    case .optionalityForgotten:
      ("A property that is made optional is not, and nothing is said.", ["SCH-8", "MIG-2"])
    case .optionalityUnchecked: ("A property is made required where objects have nil, which is filled.", ["SCH-8"])
    case .defaultsForgotten: ("A model that is made has no defaults.", ["MIG-5", "MIG-6", "SCH-1"])
    case .otherModelLosesObject:
      ("A commit that changes one model loses an object of another.", ["MIG-2", "MIG-6", "SCH-7"])
    case .versionForgotten: ("The version of a program's models is not stored.", ["MIG-4"])
    case .versionFallAccepted: ("A lower version is taken, and not stored.", ["MIG-4"])
    case .secondVersionForgotten: ("Of two versions in one transaction the first is stored.", ["MIG-4", "MIG-8"])
    case .versionSurvivesRollback: ("A migration that ends with an error leaves its version.", ["MIG-1"])
    case .schemaSurvivesRollback: ("A migration that ends with an error leaves its schema.", ["MIG-1"])
    case .rollbackCommits: ("A migration that ends with an error is committed as far as it went.", ["MIG-1"])
    case .migratedTwice: ("A writer sees the schema of its opening's last read.", ["MIG-9"])
    case .openStoreUntold: ("A store that is open goes on with the schema that it knew.", ["MIG-9"])
    case .snapshotSeesNewSchema: ("A snapshot has the newest schema.", ["MIG-9"])
    case .snapshotFollowsMigration: ("A snapshot shows the newest state after a migration.", ["MIG-9"])
    case .rowsDescend: ("A migration reads the rows of a model from the last to the first.", ["MIG-6"])
    case .lastRowUnread: ("A migration does not read the last row of a model.", ["MIG-5", "MIG-6"])
    case .firstRowReadTwice: ("A migration reads the first row of a model twice.", ["MIG-5", "MIG-6"])
    case .rowsUncounted: ("A migration counts one row too few.", ["MIG-5", "MIG-6"])
    case .duplicateReplaces: ("A migration's object whose key is taken replaces the other.", ["MIG-6", "MIG-7"])
    case .duplicateIgnored: ("A migration's objects of a batch with a taken key are left out.", ["MIG-6", "MIG-7"])
    case .widenedIsRounded: ("Numbers that are made anew lose bits.", ["MIG-2"])
    case .negativeZeroLost: ("Negative zero that is made anew is zero.", ["MIG-2", "MIG-5"])
    case .nilFilled: ("Nil that is made anew is an empty text or zero.", ["MIG-2", "MIG-5"])
    }
  }

  var target: PlantedFault.Target { .backend { TwistedHarness("migration.\(rawValue)") { MigrationTwist(self) } } }
}
