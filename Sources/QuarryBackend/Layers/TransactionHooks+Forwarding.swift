// The default of every hook: the call of the transaction beneath.

extension TransactionHooks {
  /// Forwards the call.
  public func schema(_ base: Reader) -> Schema { base.schema }
  /// Forwards the call.
  public func schemaVersion(_ base: Reader) -> UInt64 { base.schemaVersion }
  /// Forwards the call.
  ///
  /// - Throws: As ``BackendReadTransaction/version()``.
  public func version(_ base: Reader) throws(StorageError) -> CommitVersion { try base.version() }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendReadTransaction/row(_:_:)``.
  public func row(
    _ base: Reader, _ model: ModelID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try base.row(model, key)
  }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendReadTransaction/rows(_:_:_:)``.
  public func rows(
    _ base: Reader, _ model: ModelID, _ keys: [Key],
    _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try base.rows(model, keys, body)
  }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendReadTransaction/missing(_:_:)``.
  public func missing(_ base: Reader, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int] {
    try base.missing(model, keys)
  }

  /// Reads the rows by ``rows(_:_:_:_:)``: the ``missing(_:_:_:)`` of hooks that change how rows are read.
  ///
  /// - Throws: As ``rows(_:_:_:_:)``.
  public func missingByReading(_ base: Reader, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int] {
    var places: [Int] = []
    try rows(base, model, keys) { place, row throws(StorageError) in
      if row == nil { places.append(place) }
    }
    return places
  }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendReadTransaction/answers(_:)``.
  public func answers(_ base: Reader, _ questions: [ReadQuestion]) throws(StorageError) -> [ReadAnswer] {
    try base.answers(questions)
  }

  /// Asks by ``missing(_:_:_:)`` and ``cursor(_:_:)``: the ``answers(_:_:)`` of hooks that change them.
  ///
  /// - Throws: As ``missing(_:_:_:)`` and ``cursor(_:_:)``.
  public func answersByAsking(
    _ base: Reader, _ questions: [ReadQuestion]
  ) throws(StorageError) -> [ReadAnswer] {
    try ReadAnswer.oneAfterTheOther(
      questions, missing: { (model, keys) throws(StorageError) in try missing(base, model, keys) },
      cursor: { (query) throws(StorageError) in try cursor(base, query) })
  }

  /// Forwards the call.
  public func failure(_ base: Reader) -> StorageError? { base.failure }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendReadTransaction/cursor(_:)``.
  public func cursor(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    try base.cursor(query)
  }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendReadTransaction/count(_:)``.
  public func count(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> Int { try base.count(query) }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendReadTransaction/aggregate(_:)``.
  public func aggregate(_ base: Reader, _ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    try base.aggregate(aggregate)
  }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendReadTransaction/explain(_:)``.
  public func explain(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> QueryPlan {
    try base.explain(query)
  }

  /// Forwards the call; false where the transaction is no ``SubqueryTransaction``.
  ///
  /// - Throws: As ``SubqueryTransaction/decidesSubqueries(_:of:)``.
  public func decidesSubqueries(
    _ base: Reader, _ predicate: BoundPredicate, of model: ModelID
  ) throws(StorageError) -> Bool {
    guard let base = base as? any SubqueryTransaction else { return false }
    return try base.decidesSubqueries(predicate, of: model)
  }

  /// Forwards the call.
  public func end(_ base: Reader) { base.end() }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendWriteTransaction/insert(_:_:)``.
  public func insert(_ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    try base.insert(model, rows)
  }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendWriteTransaction/load(_:_:)``.
  public func load(
    _ base: Writer, _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    try base.load(model, next)
  }

  /// Inserts each batch by ``insert(_:_:_:)``: the ``load(_:_:_:)`` of hooks that change insertions.
  ///
  /// - Throws: As ``insert(_:_:_:)``; the errors of the closure.
  public func loadByInserting(
    _ base: Writer, _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    var batch = RowBatch()
    while true {
      batch.removeAll()
      try next(&batch)
      if batch.count == 0 { return }
      try insert(base, model, batch)
    }
  }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendWriteTransaction/upsert(_:_:_:)``.
  public func upsert(
    _ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    try base.upsert(model, rows, policy)
  }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendWriteTransaction/getOrInsert(_:_:)``.
  public func getOrInsert(
    _ base: Writer, _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try base.getOrInsert(model, row)
  }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendWriteTransaction/update(_:_:slots:expected:expectedSlots:)``.
  public func update(_ base: Writer, _ update: RowUpdate) throws(StorageError) { try update.run(base) }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendWriteTransaction/delete(_:_:)``.
  public func delete(_ base: Writer, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    try base.delete(model, keys)
  }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendWriteTransaction/delete(_:key:)``.
  public func delete(_ base: Writer, _ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try base.delete(model, key: key)
  }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendWriteTransaction/update(_:_:)``.
  public func update(
    _ base: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]
  ) throws(StorageError) -> Int {
    try base.update(query, assignments)
  }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendWriteTransaction/delete(_:)``.
  public func delete(_ base: Writer, _ query: BoundQuery) throws(StorageError) -> Int { try base.delete(query) }
  /// Forwards the call.
  ///
  /// - Throws: As ``BackendWriteTransaction/savepoint()``.
  public func savepoint(_ base: Writer) throws(StorageError) { try base.savepoint() }
  /// Forwards the call.
  ///
  /// - Throws: As ``BackendWriteTransaction/releaseSavepoint()``.
  public func releaseSavepoint(_ base: Writer) throws(StorageError) { try base.releaseSavepoint() }
  /// Forwards the call.
  ///
  /// - Throws: As ``BackendWriteTransaction/rollbackSavepoint()``.
  public func rollbackSavepoint(_ base: Writer) throws(StorageError) { try base.rollbackSavepoint() }
  /// Forwards the call.
  ///
  /// - Throws: As ``BackendWriteTransaction/apply(_:)``.
  public func apply(_ base: Writer, _ change: SchemaChange) throws(StorageError) { try base.apply(change) }

  /// Forwards the call.
  ///
  /// - Throws: As ``RepairingWriteTransaction/removeUnreadableRows(_:_:)``; `unsupported` where the transaction is no
  ///   ``RepairingWriteTransaction``.
  public func removeUnreadableRows(
    _ base: Writer, _ model: ModelID, _ keep: (UnreadableRow) throws(StorageError) -> Void
  ) throws(StorageError) -> Int {
    try repairing(base).removeUnreadableRows(model, keep)
  }

  /// Forwards the call.
  ///
  /// - Throws: As ``RepairingWriteTransaction/correctDerivedValues(_:)``; `unsupported` where the transaction is no
  ///   ``RepairingWriteTransaction``.
  public func correctDerivedValues(_ base: Writer, _ model: ModelID) throws(StorageError) -> Int {
    try repairing(base).correctDerivedValues(model)
  }

  /// Forwards the call.
  ///
  /// - Throws: As ``RepairingWriteTransaction/correctDefinition(_:)``; `unsupported` where the transaction is no
  ///   ``RepairingWriteTransaction``.
  public func correctDefinition(_ base: Writer, _ model: ModelID) throws(StorageError) -> [String] {
    try repairing(base).correctDefinition(model)
  }

  package func repairing(_ base: Writer) throws(StorageError) -> any RepairingWriteTransaction {
    if let base = base as? any RepairingWriteTransaction { return base }
    throw .unsupported(.repair, "the backend cannot remove unreadable rows")
  }

  /// Forwards the call.
  ///
  /// - Throws: As ``BackendWriteTransaction/changes()``.
  public func changes(_ base: Writer) throws(StorageError) -> ChangeSet { try base.changes() }
  public func capturedBytes(_ base: Writer) -> Int { base.capturedBytes }
  /// Forwards the call.
  ///
  /// - Throws: As ``BackendWriteTransaction/commit()``.
  public func commit(_ base: Writer) throws(StorageError) -> CommitResult { try base.commit() }
  /// Forwards the call.
  public func rollback(_ base: Writer) { base.rollback() }
}
