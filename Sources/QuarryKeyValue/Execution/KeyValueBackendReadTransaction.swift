package import QuarryBackend

/// One committed state of an engine as a backend's read transaction, and what a write transaction reads with.
///
/// The schema is looked for only when a call needs it: reading a row by its key does not.
package class KeyValueBackendReadTransaction<Transaction: KeyValueReadTransaction>: BackendReadTransaction {
  /// The transaction's trees, with keys of any length.
  let trees: TreeAccess<Transaction>
  @inline(__always) var transaction: Transaction { trees.base }
  let store: StoreState
  let state: TransactionState
  /// The schema of the state that is read, once it is known.
  var schemaState: SchemaState?
  /// The version of the schema that the transaction began with, where it was known.
  private let knownVersion: UInt64?

  init(
    _ transaction: Transaction, _ store: StoreState, schemaVersion: UInt64? = nil, snapshot: SnapshotState? = nil
  ) {
    knownVersion = schemaVersion
    trees = TreeAccess(transaction, store.longKeys, knowsPresence: store.knowsPresence)
    self.store = store
    state = TransactionState(store, snapshot)
  }

  deinit {
    if !state.isEnded { transaction.end() }
  }

  // MARK: State

  /// The schema with the tables that follow from it.
  ///
  /// - Throws: `closed`, `transactionEnded`, `corrupt`, `schemaTooNew`.
  final func tables() throws(StorageError) -> SchemaState {
    try state.check()
    if let schemaState { return schemaState }
    let version: UInt64
    if let knownVersion {
      version = knownVersion
    } else {
      version = try SchemaRecord.version(in: transaction)
      didRead(schemaVersion: version)
    }
    let found: SchemaState
    if let known = store.state(version: version) {
      found = known
    } else {
      found = SchemaState(try SchemaRecord.read(in: transaction))
      store.keep(found)
    }
    schemaState = found
    return found
  }

  /// Whether the transaction writes, so that what the engine lends is gone with its next write.
  var writes: Bool { false }

  /// Called with the version of the schema when it was looked up.
  func didRead(schemaVersion: UInt64) {
    store.note(schemaVersion: schemaVersion, at: transaction.version)
  }

  /// The schema of the state that is read. Of a transaction that cannot read any more, because it has ended or its
  /// store was closed, the newest that is known.
  package var schema: Schema {
    if let schemaState { return schemaState.schema }
    let known = try? tables()
    return (known ?? store.newest)?.schema ?? Schema()
  }

  package var schemaVersion: UInt64 {
    if schemaState == nil, let knownVersion { return knownVersion }
    return schema.version
  }

  package func version() throws(StorageError) -> CommitVersion {
    try state.check()
    return transaction.version
  }

  package func end() {
    guard !state.isEnded else { return }
    state.end()
    transaction.end()
  }

  // MARK: Rows by key

  package func row(_ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    try state.check()
    return try trees.get(model.rawValue, key)
  }

  package func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    if keys.isEmpty { try state.check() }
    for (place, key) in keys.enumerated() {
      // The body may end the transaction.
      try state.check()
      try key.bytes.withBytes { key throws(StorageError) in
        try body(place, trees.get(model.rawValue, key))
      }
    }
  }

  // MARK: Queries

  package func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor {
    let table = try tables().table(query.model)
    let plan = try plan(query, table)
    guard case .rows = plan.ordering else {
      // The caller may hold a batch across other calls of the transaction.
      return try results(query.model, plan, table, offset: query.offset, limit: query.limit, keepsRows: true)
    }
    let bound = query.limit.flatMap { limit -> Int? in
      let (sum, overflows) = limit.addingReportingOverflow(query.offset)
      return overflows ? nil : sum
    }
    let sorter = RowSorter(RowOrder(query.order, table.layout), bound: bound)
    if bound != 0 {
      let found = try results(query.model, plan, table)
      try found.visitRows { row throws(StorageError) in try sorter.add(row) }
    }
    try sorter.finish(skipping: query.offset)
    return SortedCursor(query.model, state, sorter)
  }

  package func count(_ query: BoundQuery) throws(StorageError) -> Int {
    let table = try tables().table(query.model)
    let plan = try plan(query, table, ordered: false, counting: true)
    if query.limit == 0 { return 0 }
    if plan.residual.isEmpty {
      return min(query.limit ?? .max, max(0, try countOfPath(plan.path, table) - query.offset))
    }
    let found = try results(query.model, plan, table, offset: query.offset, limit: query.limit)
    var total = 0
    try found.visitBatches { rows in total += rows.count }
    return total
  }

  package func explain(_ query: BoundQuery) throws(StorageError) -> QueryPlan {
    let table = try tables().table(query.model)
    let plan = try plan(query, table)
    return QueryPlan(
      backend: store.name, access: [plan.access], pushed: plan.pushed.map { $0.describe(table.model) },
      residual: plan.residual.map { $0.describe(table.model) }, sorts: plan.ordering != .served)
  }

  // MARK: Execution

  /// Plans a query.
  ///
  /// - Parameters:
  ///   - ordered: Whether the query's order is to be served.
  ///   - counting: Whether only the number of rows is asked for.
  final func plan(
    _ query: BoundQuery, _ table: Table, ordered: Bool = true, counting: Bool = false
  ) throws(StorageError) -> AccessPlan {
    let counter: Planner.Counter? =
      store.countsRanges
      ? { (tree, range) throws(StorageError) in try self.trees.count(tree, range) } : nil
    let planner = Planner(
      table, query.predicate, order: ordered ? query.order : nil, hasLimit: query.limit != nil,
      prefersDecided: counting, count: counter)
    return try planner.plan()
  }

  /// The rows of a plan, of which the predicate that it leaves over is still asked.
  ///
  /// - Parameter keepsRows: Whether rows stay valid for as long as `RowCursor` says, and not only for as long as the engine
  ///   lends them.
  final func results(
    _ model: ModelID, _ plan: AccessPlan, _ table: Table, offset: Int = 0, limit: Int? = nil, keepsRows: Bool = false
  ) throws(StorageError) -> ResultCursor {
    let predicate = try plan.residualPredicate.map { predicate throws(StorageError) in
      try CompiledPredicate(predicate, table.layout)
    }
    let source = try source(plan, table, predicate)
    let copies = keepsRows && (writes || source.lendsByKey && !store.keepsLent)
    return ResultCursor(model, state, source, predicate, offset: offset, limit: limit, copies: copies)
  }

  /// The source of the rows of a plan's path, without some that the predicate refuses.
  private func source(
    _ plan: AccessPlan, _ table: Table, _ predicate: CompiledPredicate?
  ) throws(StorageError) -> any RowSource {
    switch plan.path {
    case .empty:
      return nothing(table)
    case .keys(let keys):
      let arena = ByteArena()
      for key in keys { arena.append(key) }
      return lookups(arena, Array(keys.indices), plan, table)
    case .table(let range):
      guard !range.isEmpty else { return nothing(table) }
      if let probe = predicate?.probe, trees.format == nil, let probing = transaction as? any ProbingTransaction {
        return try probing.walk(table.tree.id, range, descending: plan.isDescending, passing: probe)
      }
      return try trees.walk(table.tree, range, descending: plan.isDescending) ?? nothing(table)
    case .entries(let index, let entries):
      if plan.ordering == .keys {
        let arena = ByteArena()
        for entry in entries {
          try entry.withBytes { entry throws(StorageError) in
            if let key = try trees.get(index.tree, entry) { arena.append(key) }
          }
        }
        return lookups(arena, arena.sortedPlaces(), plan, table, index)
      }
      return EntryLookups(trees, table, index, entries, descending: plan.isDescending)
    case .index(let index, let ranges):
      guard plan.ordering == .keys else {
        return IndexWalk(
          trees, table, index, ranges, descending: plan.ordering == .served && plan.isDescending)
      }
      let arena = ByteArena(capacity: 4096)
      try IndexKeys(trees, index, ranges, descending: false).append(to: arena)
      return lookups(arena, arena.sortedPlaces(), plan, table, index)
    }
  }

  private func nothing(_ table: Table) -> any RowSource {
    KeyLookups(trees, table, ByteArena(capacity: 0), places: [])
  }

  private func lookups(
    _ keys: ByteArena, _ places: [Int], _ plan: AccessPlan, _ table: Table, _ index: TableIndex? = nil
  ) -> KeyLookups<Transaction> {
    KeyLookups(trees, table, keys, places: plan.isDescending ? places.reversed() : places, index: index)
  }

  /// The number of rows of a path.
  private func countOfPath(_ path: AccessPlan.Path, _ table: Table) throws(StorageError) -> Int {
    switch path {
    case .empty:
      return 0
    case .table(let range):
      return range.isEmpty ? 0 : try trees.count(table.tree, range)
    case .keys(let keys):
      return try countOfKeys(table.tree, keys)
    case .entries(let index, let entries):
      return try countOfKeys(index.tree, entries)
    case .index(let index, let ranges):
      var total = 0
      for range in ranges where !range.isEmpty { total += try trees.count(index.tree, range) }
      return total
    }
  }

  private func countOfKeys(_ tree: Tree, _ keys: [[UInt8]]) throws(StorageError) -> Int {
    var total = 0
    for key in keys {
      let isThere = try key.withBytes { key throws(StorageError) in try trees.get(tree, key) != nil }
      if isThere { total += 1 }
    }
    return total
  }
}

/// A backend's read transaction that does not write.
package final class KeyValueBackendReader<Transaction: KeyValueReadTransaction>:
  KeyValueBackendReadTransaction<Transaction>
{
  /// Required, so that it is made by way of the type, which the backend keeps: to look a generic type up takes some 300
  /// instructions each time.
  required override init(
    _ transaction: Transaction, _ store: StoreState, schemaVersion: UInt64? = nil, snapshot: SnapshotState? = nil
  ) {
    super.init(transaction, store, schemaVersion: schemaVersion, snapshot: snapshot)
  }
}

/// Lends room for a batch of rows or keys.
func withBatch<Result>(
  _ body: (UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Result
) throws(StorageError) -> Result {
  let batch = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: ResultCursor.batch)
  batch.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
  defer { batch.deallocate() }
  return try body(batch)
}

extension ResultCursor {
  /// Calls the body with all rows that are left, batch by batch.
  func visitBatches(
    _ body: (UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Void
  ) throws(StorageError) {
    try withBatch { batch throws(StorageError) in
      while case let count = try fill(batch), count > 0 {
        try body(UnsafeMutableBufferPointer(rebasing: batch[..<count]))
      }
    }
  }

  /// Calls the body with each row that is left.
  func visitRows(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void) throws(StorageError) {
    try visitBatches { rows throws(StorageError) in
      for row in rows { try body(row) }
    }
  }
}
