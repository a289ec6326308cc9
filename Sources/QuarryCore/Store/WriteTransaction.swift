public import QuarryBackend

/// The write transaction of a store, for the time of a closure: see ``Store/write(timeout:_:)-swift.method``.
///
/// Each call is atomic: when it throws, nothing of it stays, and the transaction can be used on. Reads see what was
/// written before.
public final class WriteTransaction: ReadTransaction {
  @usableFromInline let writer: EngineWriter
  /// Writers of rows, by ``ModelDefinition/number``.
  @exclusivity(unchecked) private var rowWriters: [RowWriter?] = []
  @usableFromInline var batch = RowBatch()
  /// The slots of the last update by assignments of values.
  @exclusivity(unchecked) var assignedSlots: [Int] = []
  /// Room for the row of an update, kept between updates.
  @exclusivity(unchecked) var spareRowBuffer: RowBuffer?
  /// What there is to look at before a write: open cursors, and statements that wait for the caller's code and have no
  /// savepoint. One number, so that a write with nothing of either looks at one thing.
  @exclusivity(unchecked) @usableFromInline var cautions = 0
  /// The cursors that are open, in the order in which they were.
  @exclusivity(unchecked) private var cursors: [OpenCursor] = []
  /// How many cursors were opened so far, and how often some of them were ended by an undone savepoint.
  @exclusivity(unchecked) private var cursorCount = 0
  @exclusivity(unchecked) private(set) var cursorsEnded = 0
  /// How many statements wait for the caller's code, those with a savepoint and, inside them, those without.
  @exclusivity(unchecked) private var guardedStatements = 0
  @exclusivity(unchecked) private var waitingStatements = 0

  private struct OpenCursor {
    var number: Int
    var model: ModelID
  }

  init(_ store: Store, _ writer: any BackendWriteTransaction) {
    self.writer = EngineWriter(writer)
    super.init(store, writer)
  }

  /// - Returns: The state that was made, and what the engine tells of its changes: for ``Store/committed(_:)``.
  func commit() throws(StorageError) -> CommitResult {
    try check()
    phase = .ended
    return try writer.commit()
  }

  /// Runs the body in a savepoint: when it throws, what it wrote is undone, and the transaction goes on. Savepoints nest.
  /// Cursors that were opened in a savepoint that is undone end with it; others go on.
  ///
  /// - Returns: What the body returns.
  @discardableResult
  public func savepoint<R>(_ body: () throws -> R) throws -> R {
    try check()
    if cautions != 0 { try guardStatements() }
    let mark = cursorCount
    try writer.savepoint()
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

  // MARK: - What every write does first

  /// Throws unless the model may be written to here and now.
  @inlinable
  func checkWrite(_ model: ModelID) throws(StorageError) {
    try check()
    if cautions != 0 { try heed(model) }
  }

  /// Throws when a cursor over the model is open, and gives the statements that wait for the caller's code savepoints.
  @usableFromInline
  func heed(_ model: ModelID) throws(StorageError) {
    try checkCursors(model)
    try guardStatements()
  }

  /// Throws unless the statement that has waited for the caller's code may write to the model now.
  @inlinable
  func checkUse(_ model: ModelID) throws(StorageError) {
    try check()
    if cautions != 0 { try checkCursors(model) }
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
      throw StorageError(.reentrant, "a schema change inside a call that writes")
    }
  }

  // MARK: - Cursors

  /// Begins to refuse writes to the model.
  ///
  /// - Returns: What ``endCursor(_:)`` is told.
  func beginCursor(_ model: ModelID) -> Int {
    cursorCount += 1
    cursors.append(OpenCursor(number: cursorCount, model: model))
    cautions += 1
    return cursorCount
  }

  func endCursor(_ cursor: Int) {
    guard let place = cursors.lastIndex(where: { $0.number == cursor }) else { return }
    cursors.remove(at: place)
    cautions -= 1
  }

  func isOpen(_ cursor: Int) -> Bool { cursors.contains { $0.number == cursor } }

  /// Ends the cursors that were opened after so many, whose state is undone.
  private func endCursors(after mark: Int) {
    cursorsEnded += 1
    while let last = cursors.last, last.number > mark {
      cursors.removeLast()
      cautions -= 1
    }
  }

  // MARK: - Statements that wait for the caller's code

  // A statement is all or nothing, and so is what the caller's code writes while the statement waits for it. A savepoint
  // is made only when that code does write, so that a statement without calls inside pays nothing.

  /// Begins a statement that runs code of the caller's before it is done.
  ///
  /// - Returns: What ``undoStatement(_:)`` is told.
  @usableFromInline
  func beginStatement() -> Int {
    waitingStatements += 1
    cautions += 1
    return cursorCount
  }

  /// Whether the innermost statement has a savepoint: whether the caller's code has made a call that may have written.
  @usableFromInline
  var statementHasWritten: Bool { waitingStatements == 0 }

  @usableFromInline
  func endStatement() throws(StorageError) {
    if waitingStatements > 0 {
      waitingStatements -= 1
      cautions -= 1
    } else {
      guardedStatements -= 1
      try writer.releaseSavepoint()
    }
  }

  /// Undoes what the caller's code has written in the innermost statement, and ends it.
  @usableFromInline
  func undoStatement(_ mark: Int) throws(StorageError) {
    if waitingStatements > 0 {
      waitingStatements -= 1
      cautions -= 1
      endCursors(after: mark)
    } else {
      guardedStatements -= 1
      try undoSavepoint(mark)
    }
  }

  private func undoSavepoint(_ mark: Int) throws(StorageError) {
    endCursors(after: mark)
    do throws(StorageError) {
      try writer.rollbackSavepoint()
    } catch {
      fail(error)
      throw error
    }
  }

  /// Gives every statement that waits for the caller's code a savepoint, the outermost first.
  private func guardStatements() throws(StorageError) {
    while waitingStatements > 0 {
      try writer.savepoint()
      waitingStatements -= 1
      cautions -= 1
      guardedStatements += 1
    }
  }

  /// Runs a statement that waits for the caller's code.
  func statement<R>(_ body: () throws -> R) throws -> R {
    let mark = beginStatement()
    let result: R
    do {
      result = try body()
    } catch {
      try undoStatement(mark)
      throw error
    }
    try endStatement()
    return result
  }

  /// Runs a statement that waits for the caller's code, which throws nothing else.
  func statement<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
    let mark = beginStatement()
    let result: R
    do throws(StorageError) {
      result = try body()
    } catch {
      try undoStatement(mark)
      throw error
    }
    try endStatement()
    return result
  }

  /// Runs a call with what code of the caller's makes for it, all or nothing.
  func statement<Value, R>(_ make: () throws -> Value, _ body: (Value) throws -> R) throws -> R {
    try check()
    let mark = beginStatement()
    let value: Value
    do {
      value = try make()
    } catch {
      try undoStatement(mark)
      throw error
    }
    // The call is all or nothing itself.
    let hasWritten = statementHasWritten
    if !hasWritten { try endStatement() }
    let result: R
    do {
      result = try body(value)
    } catch {
      if hasWritten { try undoStatement(mark) }
      throw error
    }
    if hasWritten { try endStatement() }
    return result
  }

  // MARK: - Rows

  @usableFromInline
  func rowWriter(_ binding: ModelBinding, _ number: Int) -> RowWriter {
    while rowWriters.count <= number { rowWriters.append(nil) }
    if let writer = rowWriters[number] { return writer }
    let writer = RowWriter(binding.layout)
    rowWriters[number] = writer
    return writer
  }

  /// The row of an object, valid until the next one is made, with the store's limits checked.
  @inlinable
  func encode<M: Model>(_ object: M, _ binding: ModelBinding) throws(StorageError) -> UnsafeRawBufferPointer {
    let writer = rowWriter(binding, M.modelDefinition.number)
    writer.begin()
    beginCoding()
    defer { endCoding() }
    do throws(StorageError) {
      try object.write(to: ModelWriter(writer, binding))
      let row = try finish(writer, binding)
      if limitsKeys { try store.limits.checkKey(object.primaryKeyValue, binding) }
      return row
    } catch {
      throw error.with(model: binding.name, key: object.primaryKeyValue.keyText)
    }
  }

  /// The row that the writer has, checked.
  @usableFromInline
  func finish(_ writer: RowWriter, _ binding: ModelBinding) throws(StorageError) -> UnsafeRawBufferPointer {
    let row = try writer.finish()
    try binding.checkComplete(RowView(row, binding.layout))
    try store.limits.checkRow(row, binding)
    return row
  }

  @usableFromInline var limitsKeys: Bool { store.limits.keyBytes != .max }
}
