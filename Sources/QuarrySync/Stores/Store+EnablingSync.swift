import QuarryBackend
public import QuarryCore

extension Store {
  /// Turns sync on for models of the store, or continues it after opening the store.
  ///
  /// Models that are declared with `@Model(synced: true)` are synced without being named, if the store was opened for them. Lists
  /// of links are synced with the model that has them.
  ///
  /// The first call makes the store a replica and records the rows that exist as first versions. Later calls, one after each
  /// opening, continue: without one, writes are refused, because other stores would never see them. A call with more models
  /// adds them. Rows that a migration has changed are recorded by the next call.
  ///
  /// Keys must be such that two stores can make them apart: UUIDs, strings, or numbers that the outside world gives.
  ///
  /// - Parameters:
  ///   - models: The models to add; none for those that are synced or declared as such.
  ///   - naturalKeys: Models whose integer keys mean the same object in every store.
  ///   - role: What the store becomes among its replicas; nil to keep what it is. A new one is a peer. A hub stays a hub. A store that
  ///     meets a hub becomes its client by itself; `.peer` leaves the hub.
  /// - Returns: The sync of the store: status, held objects, digests.
  /// - Throws: `unsupported` for a model with a part that cannot be synced, and where another part of the program keeps the
  ///   changes of the store. `notFound` without models in a store that was never synced.
  ///   `reentrant` inside a transaction of the store; `readOnly`, and the errors of a write. Nothing has changed then.
  /// - Complexity: O(n) for n objects at the first call and after a change of the schema, else O(1).
  @discardableResult
  public func enableSync(
    _ models: any Model.Type..., naturalKeys: [any Model.Type] = [], as role: SyncRole? = nil
  ) throws -> StoreSync {
    try enableSync(
      named: models.map { $0.storedName }, naturalKeys: naturalKeys.map { $0.storedName }, as: role)
  }

  /// Turns sync on for models by their names: ``enableSync(_:naturalKeys:as:)``.
  ///
  /// - Parameters:
  ///   - models: The names of the models to add; none for those that are synced or declared as such.
  ///   - naturalKeys: The names of models whose integer keys mean the same object in every store.
  ///   - role: What the store becomes among its replicas; nil to keep what it is.
  /// - Throws: As ``enableSync(_:naturalKeys:as:)``.
  @discardableResult
  public func enableSync(
    named models: [String], naturalKeys: [String] = [], as role: SyncRole? = nil
  ) throws -> StoreSync {
    try enableSync(models, naturalKeys: Set(naturalKeys), as: role, SyncKeeper.systemEnvironment)
  }

  /// Turns sync on for models by their names. Models that are new to this store have the merge rules of another one.
  ///
  /// - Parameter other: A store that may be synced already.
  /// - Throws: As ``enableSync(_:naturalKeys:as:)``.
  package func enableSync(named models: [String], naturalKeys: [String], like other: Store) throws {
    let merges = try other.storedSync()?.reading { $0.state.merges } ?? StoredMerges()
    try turnSyncOn(models, Set(naturalKeys), nil, SyncKeeper.systemEnvironment, syncDeclarations, like: merges)
  }

  /// Checks that sync could be turned on for models, and changes nothing.
  ///
  /// - Parameter models: The names of models to add; none where those that are synced are meant.
  /// - Throws: `unsupported`, `notFound`, as ``enableSync(_:naturalKeys:as:)``.
  package func checkSync(named models: [String], naturalKeys: [String]) throws {
    try SyncRefusal.check(manifest)
    let enabling = SyncEnabling(
      keeper: syncKeeper(SyncKeeper.systemEnvironment), models: models, natural: Set(naturalKeys), role: nil,
      declarations: syncDeclarations, merges: StoredMerges())
    _ = try read { tx in try enabling.plan(in: tx.engineReader) }
  }

  /// Turns sync on with a clock and random numbers of the caller's.
  ///
  /// - Parameter declarations: What the program declares of its models; nil for what those of the store say.
  @discardableResult
  package func enableSync(
    _ models: [String], naturalKeys: Set<String> = [], declaring declarations: [SyncDeclaration]? = nil,
    as role: SyncRole? = nil, _ environment: SyncEnvironment
  ) throws -> StoreSync {
    try turnSyncOn(models, naturalKeys, role, environment, declarations ?? syncDeclarations)
  }

  @discardableResult
  func turnSyncOn(
    _ models: [String], _ naturalKeys: Set<String>, _ role: SyncRole?, _ environment: SyncEnvironment,
    _ declarations: [SyncDeclaration], like merges: StoredMerges = StoredMerges()
  ) throws -> StoreSync {
    try SyncRefusal.check(manifest)
    try requireNoTransaction()
    let fresh = syncKeeper(environment)
    let isStored = try hasSyncRecords()
    let wanted = models + declarations.filter { $0.isSynced && !models.contains($0.model) }.map(\.model)
    guard isStored || !wanted.isEmpty else { throw StorageError.notSynced }
    // Before the first change: what other threads write from then on is seen.
    guard let keeper = join(fresh) as? SyncKeeper else {
      throw StorageError(.unsupported, "another part of the program keeps the changes of the store")
    }
    do {
      let enabling = SyncEnabling(
        keeper: keeper, models: wanted, natural: naturalKeys, role: role, declarations: declarations, merges: merges)
      if try read({ tx in try enabling.isDone(in: tx.engineReader) }) { return StoreSync(self, keeper) }
      try read { tx in
        _ = try enabling.plan(in: tx.engineReader)
        _ = try enabling.role(after: keeper.state(in: tx.engineReader))
      }
      if !isStored { try changeOwnModels { writer in try enabling.makeModel(in: writer) } }
      try write { tx in
        tx.isMerge = true
        try enabling.adopt(in: tx.engineWriter)
      }
    } catch {
      if !isStored, keeper === fresh { leaveKeeping() }
      throw error
    }
    return StoreSync(self, keeper)
  }

  private func syncKeeper(_ environment: SyncEnvironment) -> SyncKeeper {
    SyncKeeper(environment, isShared: isOnServer)
  }

  /// The sync of the store; nil unless ``enableSync(_:naturalKeys:as:)`` was called since it was opened.
  public var sync: StoreSync? { (keeper as? SyncKeeper).map { StoreSync(self, $0) } }

  /// The sync of the store for questions alone, whether or not this program has turned it on; nil in a store that is not synced.
  ///
  /// Unlike ``enableSync(_:naturalKeys:as:)`` it changes nothing, and keeps no changes from then on.
  package func storedSync() throws -> StoreSync? {
    if let sync { return sync }
    return try hasSyncRecords() ? StoreSync(self, syncKeeper(SyncKeeper.systemEnvironment)) : nil
  }

  /// Whether the store has the records of a synced one.
  package func hasSyncRecords() throws -> Bool { try read { tx in SyncArea(tx.engineReader.schema) != nil } }

  /// Ends sync: the records and the log of entries are removed, and all objects stay. Held objects go with the records.
  ///
  /// - Throws: `notFound` in a store that is not synced; the errors of a write.
  public func endSync() throws {
    try changeOwnModels { writer in
      guard let area = SyncArea(writer.schema) else { throw StorageError.notSynced }
      try writer.apply(.dropModel(area.schema.id))
    }
    leaveKeeping()
  }
}

/// Makes a store a replica, and records rows that have no record.
struct SyncEnabling {
  let keeper: SyncKeeper
  let models: [String]
  let natural: Set<String>
  /// What the store is to become; nil to keep what it is.
  let role: SyncRole?
  let declarations: [SyncDeclaration]
  /// The rules of models that are new here, where the program declares none.
  let merges: StoredMerges

  /// The most objects in an entry of rows that existed before.
  private static let objectsInEntry = 500

  /// The names by which all synced models travel, those that are added too, and the merge rules of their columns.
  ///
  /// - Throws: `unsupported` for a model that cannot be synced.
  func plan(in transaction: any BackendReadTransaction) throws(StorageError) -> (names: [String], merges: StoredMerges)
  {
    let schema = transaction.schema
    let state = try keeper.state(in: transaction)
    let known = (state?.models ?? []).compactMap { schema.model(travelling: $0)?.name }
    let added = Set(models).union(Self.lists(of: known + models, in: schema)).subtracting(known)
    let names = known + added.sorted()
    try SyncRefusal.check(schema, names, natural: natural.union(known))
    let merges = try (state?.merges ?? StoredMerges()).declaring(
      declarations, like: merges, schema, names, synced: known)
    return (names.compactMap { schema.model(named: $0)?.travelName }, merges)
  }

  /// The models of the links of models.
  private static func lists(of owners: [String], in schema: Schema) -> [String] {
    schema.models.filter { model in
      StoredLinks(model, among: schema.models).map { owners.contains($0.owner) } ?? false
    }.map(\.name)
  }

  func isDone(in transaction: any BackendReadTransaction) throws(StorageError) -> Bool {
    guard let state = try keeper.state(in: transaction), state.schemaVersion == transaction.schemaVersion,
      state.hasClocks, try !RowsBefore.areKept(in: transaction), role == nil || role == state.role
    else { return false }
    let (names, merges) = try plan(in: transaction)
    guard names == state.models, merges == state.merges else { return false }
    keeper.watch(try StoredSchema(transaction.schema, state.models, merges))
    return true
  }

  /// What the store becomes.
  ///
  /// - Throws: `unsupported` for a hub that is to become something else, because its clients rely on it, and for a client without a
  ///   hub.
  func role(after state: StoredState?) throws(StorageError) -> SyncRole {
    let now = state?.role ?? .peer
    switch (now, role ?? now) {
    case (.client, .peer) where state?.place != nil, (.client, .hub) where state?.place != nil:
      throw SyncDenial.hasPart.error
    case (_, now), (_, .hub), (.client, .peer): return role ?? now
    case (.hub, _):
      throw StorageError(.unsupported, "a hub stays a hub, because its clients rely on it: end its sync first")
    default:
      throw StorageError(.unsupported, "a store becomes a client when it meets a hub")
    }
  }

  func makeModel(in writer: any BackendWriteTransaction) throws(StorageError) {
    guard SyncArea(writer.schema) == nil else { return }
    try writer.apply(.createModel(InternalModel.sync))
  }

  /// Records what differs between the tables and the records.
  func adopt(in writer: any BackendWriteTransaction) throws(StorageError) {
    let (names, merges) = try plan(in: writer)
    let stored = try keeper.state(in: writer)
    if let stored, stored.models != names, let area = SyncArea(writer.schema) {
      // The schema stays as it is. By its version, other processes learn that there are more models to record.
      try writer.apply(.changeSyncName(area.schema.id, slot: nil, area.schema.syncName))
    }
    var state =
      stored ?? StoredState(ReplicaID(high: .random(in: .min ... .max), low: .random(in: .min ... .max)))
    let schema = try StoredSchema(writer.schema, names, merges)
    for table in schema.tables.values { try LinkNumbering.adopt(table, schema.area, state.numbers, in: writer) }
    state.convert()
    for table in schema.tables.values.sorted(by: { $0.name < $1.name }) {
      state.numbers.set(table.columns.map(\.name), of: table.name)
    }
    _ = state.numbers.add(state.names[0])
    state.models = names
    state.merges = merges
    state.schemaVersion = writer.schemaVersion
    state.role = try role(after: state)
    if state.role != .client { (state.hubs, state.rules.resolved) = ([], []) }
    keeper.watch(schema)
    let work = StoredWork(schema, state, writer, keeper.environment, session: keeper.session(of: state))
    try work.loadAll()
    let shown = work.replica.view.tables()
    work.before = shown
    let objects = Set(shown.keys).union(work.current.keys)
    let changes = objects.compactMap { object -> LocalChange? in
      let (before, after) = (shown[object], work.current[object])
      return before == after ? nil : LocalChange(object, before: before, after: after)
    }
    let ranks = schema.sync.models.mapValues(\.rank)
    let sorted = changes.sorted { left, right in
      let (a, b) = (ranks[left.object.model] ?? 0, ranks[right.object.model] ?? 0)
      return a != b ? a < b : left.object < right.object
    }
    try work.run { replica throws(StorageError) in try replica.adopt(sorted, by: Self.objectsInEntry) }
    try RowsBefore.remove(schema.area, in: writer)
  }
}
