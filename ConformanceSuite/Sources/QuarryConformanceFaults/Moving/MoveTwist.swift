import QuarryBackend
import QuarryConformance
import Synchronization

/// The faults of copies and dumps, with what they have to remember of what is sent to a store.
final class MoveTwist: Twist {
  /// The model by which an unfinished copy is known.
  private static let mark = InternalModel.unfinished.name

  private struct State {
    /// The rows that were sent to the models of a copy.
    var sent: [ModelID: [Row]] = [:]
    /// Whether the open write transaction has dropped the mark.
    var hasFinished = false
    /// Whether it has made a model.
    var hasMade = false
  }

  private let fault: MoveFault
  private let state = Mutex(State())

  init(_ fault: MoveFault) {
    self.fault = fault
  }

  private static func isCopied(_ schema: Schema) -> Bool { schema.model(named: mark) != nil }
  private static func isMark(_ model: ModelID, _ schema: Schema) -> Bool { schema.model(id: model)?.name == mark }

  // MARK: Transactions

  func beginWrite(_ backend: any Backend, _ options: WriteOptions) throws(StorageError) -> Writer {
    let writer = try backend.beginWrite(options)
    state.withLock { state in
      state.hasFinished = false
      state.hasMade = false
    }
    return writer
  }

  func rollback(_ tx: Writer) {
    if fault == .refusedDumpStays, state.withLock({ $0.hasMade }), (try? tx.commit()) != nil { return }
    tx.rollback()
  }

  func schema(_ tx: Reader) -> Schema {
    guard fault == .markUnseen, !(tx is any BackendWriteTransaction) else { return tx.schema }
    var schema = tx.schema
    schema.models.removeAll { $0.name == Self.mark }
    return schema
  }

  func version(_ tx: Reader) throws(StorageError) -> CommitVersion {
    let version = try tx.version()
    return fault == .changedSourceUnseen && !(tx is any BackendWriteTransaction) ? CommitVersion(1) : version
  }

  // MARK: The schema

  func apply(_ tx: Writer, _ change: SchemaChange) throws(StorageError) {
    let isCopied = Self.isCopied(tx.schema)
    switch (fault, change) {
    case (.markForgotten, .createModel(let model)) where model.name == Self.mark: return
    case (.oldRowsStay, .dropModel(let id)) where isCopied && !Self.isMark(id, tx.schema): return
    case (.indexesForgotten, .createIndex) where isCopied: return
    case (.indexNotUnique, .createIndex(let id, var index)) where isCopied:
      index.isUnique = false
      try tx.apply(.createIndex(id, index))
    case (.indexAscends, .createIndex(let id, var index)) where isCopied:
      for place in index.columns.indices { index.columns[place].isDescending = false }
      try tx.apply(.createIndex(id, index))
    case (.versionForgotten, .setProgramVersion) where state.withLock({ $0.hasFinished }): return
    case (_, .dropModel(let id)) where Self.isMark(id, tx.schema):
      try tx.apply(change)
      state.withLock { state in
        state.hasFinished = true
        state.sent = [:]
      }
    case (_, .createModel):
      try tx.apply(change)
      state.withLock { $0.hasMade = true }
    default: try tx.apply(change)
    }
  }

  // MARK: Rows

  func insert(_ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    let isCopied = Self.isCopied(tx.schema)
    switch fault {
    case .rowDropped where isCopied, .rowDroppedUnseen where isCopied,
      .restoreLosesRow where !isCopied && state.withLock({ $0.hasMade }):
      var all: [Row] = []
      try rows.forEach { _, row throws(StorageError) in all.append(Row(copying: row)) }
      state.withLock { $0.sent[model, default: []] += all }
      try tx.insert(model, RowBatch(all.dropLast()))
    default: try tx.insert(model, rows)
    }
  }

  func upsert(
    _ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    if fault == .markStandsStill, let mark = tx.schema.model(id: model), Self.isMark(model, tx.schema),
      try tx.count(BoundQuery(model: model, order: [BoundSortKey(slot: mark.primaryKey)])) > 0
    {
      return 0
    }
    return try tx.upsert(model, rows, policy)
  }

  func cursor(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    guard !(tx is any BackendWriteTransaction), query.predicate == .constant(true), query.limit == nil,
      let model = tx.schema.model(id: query.model), query.order == [BoundSortKey(slot: model.primaryKey)]
    else { return try tx.cursor(query) }
    switch fault {
    case .dumpDescends: return RowsCursor(tx, try tx.copies(model).reversed())
    case .rowDroppedUnseen where Self.isCopied(tx.schema):
      if let sent = state.withLock({ $0.sent[query.model] }) { return RowsCursor(tx, sent) }
    default: break
    }
    return try tx.cursor(query)
  }

  func count(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> Int {
    let count = try tx.count(query)
    let isShort = fault == .rowsUncounted && tx is any BackendWriteTransaction && Self.isCopied(tx.schema)
    return isShort ? max(0, count - 1) : count
  }
}
