extension ConformanceArea {
  /// Every area: those of the contract in its order, and then those whose cases cite clauses of others.
  public static let all: [ConformanceArea] = [
    objects, upserts, statements, predicates, text, nested, order, pages, aggregates, indexes, values, transactions,
    isolation, snapshots, opening, schema, limits, capabilities, errors, care, durability, processes,
    reentrancy, migration, moving, encryption, relations, observation, files, tables, keys, rules, drafts, groups, live,
    histories, search, syncs,
    fronts, concurrency, randomCommands,
  ]

  /// Objects and their keys: insert, get, update, delete.
  public static let objects = ConformanceArea("CRUD", .core, clauses: 18)
  /// Upserts of whole objects and of parts.
  public static let upserts = ConformanceArea("UPS", .core, clauses: 4, needs: [.upsert])
  /// Statements that change all objects of a query.
  public static let statements = ConformanceArea("STMT", .core, clauses: 8)
  /// Conditions and their meaning for nil, NaN and numbers.
  public static let predicates = ConformanceArea("PRED", .query, clauses: 20, needs: [.queryCompare])
  /// Comparisons of text, with and without folding.
  public static let text = ConformanceArea("TEXT", .query, clauses: 9, needs: [.queryText])
  /// Members of nested values, and elements of arrays.
  public static let nested = ConformanceArea("NEST", .query, clauses: 10, needs: [.queryNested])
  /// The order of results, and ties.
  public static let order = ConformanceArea("SORT", .query, clauses: 6, needs: [.querySort])
  /// Limits, offsets and pages.
  public static let pages = ConformanceArea(
    "PAGE", .query, clauses: 4, needs: [.queryPaging, .queryLimit, .querySort])
  /// Counts, sums, averages, minima, maxima and groups.
  public static let aggregates = ConformanceArea("AGG", .query, clauses: 7, needs: [.queryAggregate])
  /// Indexes, plain and unique.
  public static let indexes = ConformanceArea("IDX", .query, clauses: 5, needs: [.indexPlain, .indexUnique])
  /// The values of each type, and what a store gives back.
  public static let values = ConformanceArea("VAL", .core, clauses: 7)
  /// Transactions and savepoints.
  public static let transactions = ConformanceArea("TXN", .transactional, clauses: 16)
  /// What a transaction sees of others.
  public static let isolation = ConformanceArea("ISO", .transactional, clauses: 3, without: ConformanceVariant.ofWriter)
  /// Snapshots that are read while others write.
  public static let snapshots = ConformanceArea("SNAP", .transactional, clauses: 3, needs: [.snapshots])
  /// Opening, closing and destroying stores.
  public static let opening = ConformanceArea("OPEN", .core, clauses: 7, more: [20...23])
  /// Changes of the schema.
  public static let schema = ConformanceArea("SCH", .transactional, clauses: 10)
  /// What becomes of a store whose models are not the program's.
  public static let migration = ConformanceArea(
    "MIG", .transactional, clauses: 13,
    needs: [
      .savepoints, .schemaDropModel, .schemaRenameModel, .schemaAddProperty, .schemaRenameProperty, .schemaDropProperty,
      .schemaCreateIndex, .schemaDropIndex, .schemaSetVersion,
    ], without: ConformanceVariant.ofReads)
  /// Copies to other places, differences, dumps.
  public static let moving = ConformanceArea(
    "MOVE", .transactional, clauses: 11,
    needs: [
      .upsert, .schemaCreateModel, .schemaDropModel, .schemaAddProperty, .schemaDropProperty, .schemaCreateIndex,
      .schemaSetVersion, .destroy,
    ])
  /// Keys, what is in the clear, damage that is found. A case of it is run as it is: the other areas run on sealed stores.
  public static let encryption = ConformanceArea(
    "ENC", .durable, clauses: 12, needs: [.openEncryption, .check, .upsert],
    without: ConformanceVariant.allButFresh)
  /// References between objects.
  public static let relations = ConformanceArea(
    "REL", .transactional, clauses: 25, needs: [.indexPlain, .queryCompare])
  /// Who is told of what commits change.
  public static let observation = ConformanceArea(
    "OBS", .transactional, clauses: 18, needs: [.savepoints, .upsert, .queryCompare, .querySort, .queryLimit],
    without: ConformanceVariant.ofWriter)
  /// Live lists, sections and observed links.
  public static let live = ConformanceArea(
    "LIVE", .transactional, clauses: 5, needs: [.savepoints, .upsert, .queryCompare, .querySort, .queryLimit],
    without: ConformanceVariant.ofWriter)
  /// Rows of text files, and many rows at once.
  public static let tables = ConformanceArea(
    "DATA", .transactional, clauses: 12, needs: [.indexPlain, .indexUnique, .queryCompare, .querySort])
  /// Keys that programs generate, and compound keys.
  public static let keys = ConformanceArea("KEY", .transactional, clauses: 21)
  /// Objects that their models check before they are written.
  public static let rules = ConformanceArea(
    "RULE", .transactional, clauses: 4, needs: [.savepoints, .upsert, .compareAndUpdate])
  /// Edits that are saved together.
  public static let drafts = ConformanceArea(
    "DRAFT", .transactional, clauses: 11,
    needs: [
      .savepoints, .upsert, .indexPlain, .indexUnique, .indexCompound, .queryCompare, .querySort, .queryLimit,
      .queryPaging, .captureKeys,
    ])
  /// The log of what writes have changed, and undo.
  public static let histories = ConformanceArea(
    "HIST", .transactional, clauses: 14,
    needs: [
      .captureRows, .savepoints, .upsert, .indexPlain, .indexUnique, .indexCompound, .queryCompare, .querySort,
    ])
  /// Words of texts, and searches for them.
  public static let search = ConformanceArea(
    "SEARCH", .transactional, clauses: 33, needs: [.savepoints, .upsert, .queryCompare, .querySort, .queryLimit])
  /// Stores that exchange their changes.
  public static let syncs = ConformanceArea(
    "SYNC", .transactional, more: [43...52, 61...66, 69...69, 80...84],
    needs: [
      .captureRows, .savepoints, .upsert, .indexPlain, .indexUnique, .queryCompare, .querySort,
    ])
  /// Figures of groups of objects.
  public static let groups = ConformanceArea(
    "GRP", .query, clauses: 9, needs: [.queryAggregate, .queryCompare, .querySort])
  /// The limits that an engine declares.
  public static let limits = ConformanceArea("LIM", .core, clauses: 4, more: [20...20])
  /// What the manifest says: also of a backend that cannot even keep objects.
  public static let capabilities = ConformanceArea("CAP", .core, clauses: 4, allNeeds: [])
  /// The codes and texts of errors.
  public static let errors = ConformanceArea("ERR", .core, clauses: 10)
  /// Checks and compaction.
  public static let care = ConformanceArea("CARE", .transactional, clauses: 13)
  /// What outlives the end of a process, killed or not.
  public static let durability = ConformanceArea("DUR", .durable, clauses: 8, without: ConformanceVariant.ofWriter)
  /// Several processes at one place.
  public static let processes = ConformanceArea("MP", .durable, clauses: 6, without: ConformanceVariant.ofWriter)
  /// Calls from within calls.
  public static let reentrancy = ConformanceArea(
    "REENT", .transactional, clauses: 8, needs: [.savepoints, .upsert])
  /// Paths, links, logs and other files of stores, and what becomes of them while a store is open.
  public static let files = ConformanceArea("FILE", .durable, clauses: 22)
  /// The typed front, `#Predicate` and strings, and the calls of a store.
  public static let fronts = ConformanceArea("FRONT", .query)
  /// Readers and writers on several threads.
  public static let concurrency = ConformanceArea("CON", .transactional, without: ConformanceVariant.ofWriter)
  /// Random commands against the model.
  public static let randomCommands = ConformanceArea("MODEL", .transactional)
}
