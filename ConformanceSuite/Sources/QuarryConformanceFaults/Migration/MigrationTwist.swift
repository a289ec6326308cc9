import QuarryBackend
import QuarryConformance
import Synchronization

/// The faults of migrations, with what they have to remember of the open write transaction.
final class MigrationTwist: Twist {
  private struct State {
    /// The backend of the open write transaction.
    var backend: (any Backend)?
    /// What the open write transaction has changed of the schema.
    var changes: [SchemaChange] = []
    /// The models that it has made.
    var made: Set<ModelID> = []
    var hasInserted = false
    /// The schema that each opening knows.
    var known: [ObjectIdentifier: Schema] = [:]
  }

  private let fault: MigrationFault
  private let state = Mutex(State())

  init(_ fault: MigrationFault) {
    self.fault = fault
  }

  // MARK: Begin and end

  func beginRead(_ backend: any Backend) throws(StorageError) -> Reader {
    let reader = try backend.beginRead()
    guard fault == .openStoreUntold || fault == .migratedTwice else { return reader }
    let (opening, schema) = (ObjectIdentifier(backend), reader.schema)
    let known = state.withLock { state in
      if fault == .migratedTwice || state.known[opening] == nil { state.known[opening] = schema }
      return state.known[opening]
    }
    guard fault == .openStoreUntold, let known else { return reader }
    return ReaderLayer(reader, DatedHooks(dated: known))
  }

  func beginWrite(_ backend: any Backend, _ options: WriteOptions) throws(StorageError) -> Writer {
    let writer = try backend.beginWrite(options)
    state.withLock { state in
      state.backend = backend
      state.changes = []
      state.made = []
      state.hasInserted = false
    }
    return writer
  }

  func schema(_ tx: Reader) -> Schema {
    let schema = tx.schema
    guard fault == .migratedTwice || fault == .openStoreUntold, tx is any BackendWriteTransaction else { return schema }
    return state.withLock { state in
      // What the transaction itself has changed it sees.
      guard let backend = state.backend, state.changes.isEmpty else { return schema }
      return state.known[ObjectIdentifier(backend)] ?? schema
    }
  }

  func commit(_ tx: Writer) throws(StorageError) -> CommitResult {
    let (changes, made) = state.withLock { state in
      if !state.changes.isEmpty, let backend = state.backend { state.known[ObjectIdentifier(backend)] = nil }
      defer { state.backend = nil }
      return (state.changes, state.made)
    }
    if fault == .otherModelLosesObject, !changes.isEmpty {
      let touched = made.union(changes.map(\.model))
      if let other = tx.schema.models.first(where: { !touched.contains($0.id) }) {
        var first = BoundQuery.every(other)
        first.limit = 1
        _ = try tx.delete(first)
      }
    }
    return try tx.commit()
  }

  func rollback(_ tx: Writer) {
    let (changes, backend) = state.withLock { state in
      defer { state.backend = nil }
      return (state.changes, state.backend)
    }
    if fault == .rollbackCommits, !changes.isEmpty, (try? tx.commit()) != nil { return }
    tx.rollback()
    guard let backend else { return }
    switch fault {
    case .schemaSurvivesRollback: try? Self.apply(changes, backend)
    case .versionSurvivesRollback:
      let versions = changes.filter { if case .setProgramVersion = $0 { true } else { false } }
      try? Self.apply(versions, backend)
    default: break
    }
  }

  /// Makes the changes in a transaction of their own, to the first that cannot be made.
  private static func apply(_ changes: [SchemaChange], _ backend: any Backend) throws(StorageError) {
    guard !changes.isEmpty else { return }
    let tx = try backend.beginWrite(WriteOptions(timeout: 1))
    for change in changes where (try? tx.apply(change)) == nil { break }
    _ = try tx.commit()
  }

  private var isMigrating: Bool { state.withLock { !$0.changes.isEmpty } }

  // MARK: Snapshots

  func snapshot(_ backend: any Backend) throws(StorageError) -> any BackendSnapshot {
    let snapshot = try backend.snapshot()
    switch fault {
    case .snapshotSeesNewSchema, .snapshotFollowsMigration:
      return MigratingSnapshot(snapshot, backend, keepsRows: fault == .snapshotSeesNewSchema)
    default: return snapshot
    }
  }

  // MARK: Changes of the schema

  func apply(_ tx: Writer, _ change: SchemaChange) throws(StorageError) {
    let before = tx.schema
    do throws(StorageError) {
      try make(change, tx)
    } catch {
      guard try recover(change, tx, error) else { throw error }
    }
    let known = Set(before.models.map(\.id))
    let made = tx.schema.models.map(\.id).filter { !known.contains($0) }
    state.withLock { state in
      state.changes.append(change)
      state.made.formUnion(made)
    }
  }

  private func make(_ change: SchemaChange, _ tx: Writer) throws(StorageError) {
    switch (fault, change) {
    case (.propertyRenameLosesValues, .renameProperty(let id, let slot, _)):
      try tx.apply(change)
      try? blank(tx, id, slot)
    case (.modelRenameLosesObjects, .renameModel(let id, _)):
      try tx.apply(change)
      if let model = tx.schema.model(id: id), !isMade(id) { _ = try tx.delete(BoundQuery.every(model)) }
    case (.droppedPropertyStays, .dropProperty), (.droppedIndexStays, .dropIndex),
      (.optionalityForgotten, .changeOptionality), (.versionForgotten, .setProgramVersion):
      return
    // Not what was made anew beside it, whose name would be taken.
    case (.droppedModelStays, .dropModel) where !tx.schema.models.contains(where: { isMade($0.id) }): return
    case (.dropShiftsValues, .dropProperty(let id, let slot)):
      try shift(tx, id, slot)
      try tx.apply(change)
    case (.indexNotUnique, .createIndex(let id, var index)):
      index.isUnique = false
      try tx.apply(.createIndex(id, index))
    case (.indexAscends, .createIndex(let id, var index)):
      for place in index.columns.indices { index.columns[place].isDescending = false }
      try tx.apply(.createIndex(id, index))
    case (.indexRenameDrops, .renameIndex(let id, let index, _)): try tx.apply(.dropIndex(id, index: index))
    case (.defaultsForgotten, .createModel(var model)):
      for place in model.properties.indices { model.properties[place].defaultValue = nil }
      try tx.apply(.createModel(model))
    case (.secondVersionForgotten, .setProgramVersion):
      let isFirst = state.withLock { state in
        !state.changes.contains { if case .setProgramVersion = $0 { true } else { false } }
      }
      if isFirst { try tx.apply(change) }
    default: try tx.apply(change)
    }
  }

  /// Does something else where a change is refused.
  private func recover(
    _ change: SchemaChange, _ tx: Writer, _ error: StorageError
  ) throws(StorageError) -> Bool {
    switch (fault, change) {
    case (.uniquenessUncheckedAfterRewriting, .createIndex(let id, var index))
    where error.code == .uniqueViolation && state.withLock({ $0.hasInserted }):
      index.isUnique = false
      try tx.apply(.createIndex(id, index))
    case (.optionalityUnchecked, .changeOptionality(let id, let slot, _)) where error.code == .missingValue:
      guard let model = tx.schema.model(id: id), let value = Self.plain(model.properties[slot]) else { return false }
      var ofNil = BoundQuery.every(model)
      ofNil.predicate = .isNull(slot: slot)
      _ = try tx.update(ofNil, [BoundAssignment(slot: slot, operation: .set, value: value)])
      try tx.apply(change)
    case (.versionFallAccepted, .setProgramVersion) where error.code == .invalidValue: break
    default: return false
    }
    return true
  }

  private func isMade(_ id: ModelID) -> Bool { state.withLock { $0.made.contains(id) } }

  /// The value of a type that says the least; nil for a type that has none.
  private static func plain(_ property: PropertySchema) -> Value? {
    switch property.type {
    case .string: .string("")
    case .int8, .int16, .int32, .int64: .int(0)
    case .double: .double(0)
    default: nil
    }
  }

  private func blank(_ tx: Writer, _ id: ModelID, _ slot: Int) throws(StorageError) {
    guard let model = tx.schema.model(id: id) else { return }
    let property = model.properties[slot]
    guard let value = property.isOptional ? .null : Self.plain(property) else { return }
    _ = try tx.update(BoundQuery.every(model), [BoundAssignment(slot: slot, operation: .set, value: value)])
  }

  /// Gives the values of a property that goes to the next of its type.
  private func shift(_ tx: Writer, _ id: ModelID, _ slot: Int) throws(StorageError) {
    guard let model = tx.schema.model(id: id) else { return }
    let (dropped, slots) = (model.properties[slot], model.liveSlots)
    let others = slots.filter { other in
      other != slot && other != model.primaryKey && model.properties[other].type == dropped.type
        && (model.properties[other].isOptional || !dropped.isOptional)
    }
    guard let other = others.first(where: { $0 > slot }) ?? others.last else { return }
    let coding = try RowCoding(tx.schema, id)
    var rows: [Row] = []
    for row in try tx.copies(model) {
      var values = try row.lend { (row) throws(StorageError) in try coding.values(row) }
      values[other] = values[slot]
      rows.append(try coding.row(values))
    }
    _ = try tx.upsert(id, RowBatch(rows), .replace)
  }

  // MARK: Rows

  func insert(_ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    state.withLock { $0.hasInserted = true }
    switch fault {
    case .duplicateReplaces where isMigrating: _ = try tx.upsert(model, rows, .replace)
    case .duplicateIgnored where isMigrating:
      do throws(StorageError) {
        try tx.insert(model, rows)
      } catch {
        guard error.code == .duplicateKey else { throw error }
      }
    case .widenedIsRounded, .negativeZeroLost, .nilFilled:
      guard isMade(model) else { return try tx.insert(model, rows) }
      let coding = try RowCoding(tx.schema, model)
      var changed: [Row] = []
      try rows.forEach { _, row throws(StorageError) in
        var values = try coding.values(row)
        for slot in coding.model.liveSlots where slot != coding.model.primaryKey {
          values[slot] = self.changed(values[slot], coding.model.properties[slot])
        }
        changed.append(try coding.row(values))
      }
      try tx.insert(model, RowBatch(changed))
    default: try tx.insert(model, rows)
    }
  }

  private func changed(_ value: Value, _ property: PropertySchema) -> Value {
    switch (fault, value) {
    case (.widenedIsRounded, .double(let number)): .double(Double(Float(number)))
    case (.widenedIsRounded, .int(let number)): .int(number / 2 * 2)
    case (.widenedIsRounded, .uint(let number)): .uint(number / 2 * 2)
    case (.negativeZeroLost, .double(0)): .double(0)
    case (.negativeZeroLost, .float(0)): .float(0)
    case (.nilFilled, .null): Self.plain(property) ?? .null
    default: value
    }
  }

  func cursor(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    guard tx is any BackendWriteTransaction, isMigrating, query.predicate == .constant(true), query.limit == nil,
      let model = tx.schema.model(id: query.model), query.order == BoundQuery.every(model).order
    else { return try tx.cursor(query) }
    switch fault {
    case .rowsDescend: return RowsCursor(tx, try tx.copies(model).reversed())
    case .lastRowUnread: return RowsCursor(tx, try tx.copies(model).dropLast())
    case .firstRowReadTwice:
      let rows = try tx.copies(model)
      return RowsCursor(tx, rows.prefix(1) + rows)
    default: return try tx.cursor(query)
    }
  }

  func count(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> Int {
    let count = try tx.count(query)
    // The body counts before anything is changed, too.
    return fault == .rowsUncounted && tx is any BackendWriteTransaction && query.limit == nil
      ? max(0, count - 1) : count
  }
}

extension BoundQuery {
  /// Every row of a model in the order of its keys.
  fileprivate static func every(_ model: ModelSchema) -> BoundQuery {
    BoundQuery(model: model.id, order: [BoundSortKey(slot: model.primaryKey)])
  }
}

/// Says that it has a schema of before.
private struct DatedHooks: TransactionHooks {
  let dated: Schema

  func schema(_ base: Reader) -> Schema { dated }
  func schemaVersion(_ base: Reader) -> UInt64 { dated.version }
}

/// Has the newest schema, over its own rows or with those of the newest state.
private final class MigratingSnapshot: SnapshotLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; what it adds is constant and Sendable.
  private let backend: any Backend
  private let keepsRows: Bool

  init(_ snapshot: any BackendSnapshot, _ backend: any Backend, keepsRows: Bool) {
    self.backend = backend
    self.keepsRows = keepsRows
    super.init(snapshot)
  }

  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    let reader = try super.beginRead()
    guard let newest = try? backend.beginRead() else { return reader }
    if keepsRows || newest.schema == reader.schema {
      defer { newest.end() }
      return ReaderLayer(reader, DatedHooks(dated: newest.schema))
    }
    reader.end()
    return newest
  }
}
