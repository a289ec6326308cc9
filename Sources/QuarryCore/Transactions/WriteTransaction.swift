public import QuarryBackend

/// The write transaction of a store, for the time of a closure: see ``Store/write(author:retry:timeout:alone:_:)-swift.method``.
///
/// Each call is atomic: when it throws, nothing of it stays, and the transaction can be used on. Reads see what was
/// written before.
public final class WriteTransaction: ReadTransaction {
  @usableFromInline let writer: any BackendWriteTransaction
  // Unchecked exclusivity: while a row is encoded, the transaction takes no calls.
  @exclusivity(unchecked) @usableFromInline var encoder: RowEncoder
  @exclusivity(unchecked) @usableFromInline var batch = RowBatch()
  private let room: WriteRoom
  /// The slots of the last update by assignments of values.
  @exclusivity(unchecked) var assignedSlots: [Int] = []
  /// Room for the row of an update, kept between updates.
  @exclusivity(unchecked) var spareRowBuffer: RowBuffer?
  /// The number of checks pending before a write: open cursors, and statements that wait for the caller's code and have no
  /// savepoint. It is one number, so that a write with neither checks one thing.
  @exclusivity(unchecked) @usableFromInline var pendingChecks = 0
  /// The cursors that are open, in the order in which they were.
  @exclusivity(unchecked) private var cursors: [OpenCursor] = []
  /// The number of cursors opened so far, and how often an undone savepoint has ended some of them.
  @exclusivity(unchecked) var cursorCount = 0
  @exclusivity(unchecked) private(set) var cursorsEnded = 0
  /// The number of statements that wait for the caller's code: those with a savepoint and, inside them, those without.
  @exclusivity(unchecked) var guardedStatements = 0
  @exclusivity(unchecked) var waitingStatements = 0

  /// Gives keys to rows that have none; nil where the program gives every key.
  @exclusivity(unchecked) @usableFromInline var keys: KeyAssigner?
  /// The references in the schema of the transaction; nil where there are none.
  @exclusivity(unchecked) @usableFromInline var references: ReferenceMap?
  /// References of this transaction that may lead nowhere, in the order in which they were met, each once.
  @exclusivity(unchecked) var pendingReferences: [PendingReference] = []
  @exclusivity(unchecked) var knownPending: Set<PendingReference> = []
  /// Keys of stored objects that the running statement has asked for ahead, so that the checks of its references need no call.
  @exclusivity(unchecked) var foreseen: [ModelID: Set<Key>] = [:]
  /// The name that the store's history has for the author of the write; nil for none.
  ///
  /// See ``Store/write(author:retry:timeout:alone:_:)-swift.method``.
  public var author: String?
  /// The place of the write in the log of change sets, once it was recorded.
  @exclusivity(unchecked) var recorded: HistoryPosition?

  /// The recorder of a long transaction's changes in parts, and whether it has recorded one; nil where the store has no history.
  @exclusivity(unchecked) private var parts: (any PartRecorder)?
  @exclusivity(unchecked) private(set) var hasRecordedParts = false
  /// The number of running calls of ``savepoint(_:)``.
  @exclusivity(unchecked) private var openSavepoints = 0

  /// Whether the write stores what a merge of other stores' changes gave, which is not recorded as the store's own.
  @exclusivity(unchecked) package var isMerge = false
  /// Whether the schema was changed.
  @exclusivity(unchecked) var hasNewSchema = false
  /// Whether references are checked when the transaction commits, and not before.
  @exclusivity(unchecked) var checksReferencesLate = false
  /// The number of running calls of ``deferringReferences(_:)``.
  @exclusivity(unchecked) var referenceDeferrals = 0
  lazy var referenceKeys = KeyWriter()

  private struct OpenCursor {
    var number: Int
    var model: ModelID
  }

  init(_ context: StoreContext, _ writer: any BackendWriteTransaction) {
    self.writer = writer
    room = context.spareRoom.take() ?? WriteRoom()
    encoder = RowEncoder(context, room.writers)
    room.writers = []
    swap(&batch, &room.batch)
    references = context.references.map(of: writer)
    keys = context.generatedKeys.keys(of: writer).map { KeyAssigner(writer, $0, context.numberBlocks) }
    super.init(context, writer)
  }

  deinit {
    room.writers = encoder.writers
    swap(&batch, &room.batch)
    if room.isSmall { context.spareRoom.keep(room) }
  }

  /// Ends the calls of a transaction before its commit.
  ///
  /// - Throws: `schemaMismatch` where a new schema cannot be committed; any error after which only a rollback can follow.
  func finish() throws(StorageError) {
    try check()
    try checkSchemaReferences()
    try storeSequences()
    phase = .ended
  }

  /// Stores the numbers that the sequences of keys have reached.
  func storeSequences() throws(StorageError) {
    do throws(StorageError) {
      try keys?.flush()
    } catch {
      // The objects that have the numbers are not stored without them.
      fail(error)
      throw error
    }
  }

  /// Ends the calls of a transaction whose engine transaction continues.
  ///
  /// - Returns: The error after which only a rollback of everything can follow, if there is one.
  func leave() -> StorageError? {
    phase = .ended
    return failure
  }

  /// Whether another body may write in the engine's transaction after this one. Any thread may close a cursor that was left open
  /// at any time. A writer that shares a commit is not asked whether a new schema is its own.
  var allowsFollowers: Bool { cursors.isEmpty && !hasNewSchema }

  /// Runs the body in a savepoint: when it throws, its writes are undone, and the transaction continues. Savepoints nest.
  ///
  /// Cursors that were opened in a savepoint that is undone end with it; other cursors stay open.
  ///
  /// - Parameter body: Makes the calls that are undone together.
  /// - Returns: The body's result.
  /// - Throws: The body's errors; `transactionEnded`, `wrongThread`. After an error of the engine in undoing the savepoint, every
  ///   further call of the transaction throws that error.
  @discardableResult
  public func savepoint<R>(_ body: () throws -> R) throws -> R {
    try check()
    if pendingChecks != 0 { try guardStatements() }
    let mark = cursorCount
    try writer.savepoint()
    openSavepoints += 1
    defer { openSavepoints -= 1 }
    let result: R
    do {
      result = try body()
    } catch {
      try check()
      try undoSavepoint(mark)
      throw error
    }
    try check()
    try writer.releaseSavepoint()
    return result
  }

  /// Runs the body in a savepoint: ``savepoint(_:)`` under the name of a store's call.
  ///
  /// - Parameter body: Writes in this transaction.
  /// - Returns: The body's result.
  /// - Throws: As ``savepoint(_:)``.
  @discardableResult
  public func write<R>(_ body: (WriteTransaction) throws -> R) throws -> R {
    try savepoint { try body(self) }
  }

  // MARK: - What every write does first

  /// Throws unless the model may be written to here and now.
  @inlinable
  func checkWrite(_ model: ModelID) throws(StorageError) {
    try check()
    if pendingChecks != 0 { try checkBeforeWrite(model) }
  }

  /// Throws when a cursor over the model is open, and gives the statements that wait for the caller's code savepoints.
  @usableFromInline
  func checkBeforeWrite(_ model: ModelID) throws(StorageError) {
    try checkCursors(model)
    try guardStatements()
    if let parts { try recordPart(parts) }
  }

  /// Begins to record the changes in parts, so that a long transaction needs memory for its last changes alone.
  func recordInParts(_ recorder: any PartRecorder) {
    parts = recorder
    pendingChecks += 1
  }

  /// Records what was written so far, if it is much. Not inside a savepoint, which may be undone without what came before it.
  private func recordPart(_ recorder: any PartRecorder) throws(StorageError) {
    guard writer.capturedBytes > recorder.partBytes, openSavepoints == 0, guardedStatements == 0 else { return }
    do throws(StorageError) {
      hasRecordedParts = true
      try recorder.recordPart(CapturedChanges.taken(from: writer), author: author, in: writer)
    } catch {
      // What was taken from the transaction is not recorded.
      fail(error)
      throw error
    }
  }

  /// Throws unless the statement that has waited for the caller's code may write to the model now.
  @inlinable
  func checkUse(_ model: ModelID) throws(StorageError) {
    try check()
    if pendingChecks != 0 { try checkCursors(model) }
  }

  @usableFromInline
  func checkCursors(_ model: ModelID) throws(StorageError) {
    if cursors.contains(where: { $0.model == model }) {
      throw StorageError(
        .iterationActive, "a cursor over the model is open in this transaction",
        model: backend.schema.model(id: model)?.name)
    }
  }

  /// Throws unless the schema may be changed here and now.
  func checkSchemaChange() throws(StorageError) {
    guard cursors.isEmpty else { throw StorageError(.iterationActive, "a cursor is open in this transaction") }
    guard waitingStatements + guardedStatements == 0 else {
      throw StorageError(.reentrant, "the schema cannot change inside a call that writes")
    }
  }

  // MARK: - Cursors

  /// Begins to refuse writes to the model.
  ///
  /// - Returns: The argument for ``endCursor(_:)``.
  func beginCursor(_ model: ModelID) -> Int {
    cursorCount += 1
    cursors.append(OpenCursor(number: cursorCount, model: model))
    pendingChecks += 1
    return cursorCount
  }

  func endCursor(_ cursor: Int) {
    guard let place = cursors.lastIndex(where: { $0.number == cursor }) else { return }
    cursors.remove(at: place)
    pendingChecks -= 1
  }

  func isOpen(_ cursor: Int) -> Bool { cursors.contains { $0.number == cursor } }

  /// Ends the cursors that were opened after the given mark, whose state is undone.
  func endCursors(after mark: Int) {
    cursorsEnded += 1
    while let last = cursors.last, last.number > mark {
      cursors.removeLast()
      pendingChecks -= 1
    }
  }
}
