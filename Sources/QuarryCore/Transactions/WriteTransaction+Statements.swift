import QuarryBackend

/// Statements that wait for the caller's code.
///
/// A statement is all or nothing, including what the caller's code writes while the statement waits for it. A savepoint is opened
/// only when that code does write, so that a statement without calls inside pays nothing.
extension WriteTransaction {
  /// Begins a statement that runs code of the caller before it is done.
  ///
  /// - Returns: The argument for ``undoStatement(_:)``.
  @usableFromInline
  func beginStatement() -> Int {
    waitingStatements += 1
    pendingChecks += 1
    return cursorCount
  }

  /// Whether the innermost statement has a savepoint: whether the caller's code has made a call that may have written.
  @usableFromInline
  var statementHasWritten: Bool { waitingStatements == 0 }

  @usableFromInline
  func endStatement() throws(StorageError) {
    if waitingStatements > 0 {
      waitingStatements -= 1
      pendingChecks -= 1
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
      pendingChecks -= 1
      endCursors(after: mark)
    } else {
      guardedStatements -= 1
      try undoSavepoint(mark)
    }
  }

  func undoSavepoint(_ mark: Int) throws(StorageError) {
    endCursors(after: mark)
    do throws(StorageError) {
      try writer.rollbackSavepoint()
    } catch {
      fail(error)
      throw error
    }
    // The undone writes may have changed the schema.
    if hasNewSchema, !checksReferencesLate { references = ReferenceMap(backend.schema) }
  }

  /// Gives every statement that waits for the caller's code a savepoint, the outermost first.
  func guardStatements() throws(StorageError) {
    while waitingStatements > 0 {
      try writer.savepoint()
      waitingStatements -= 1
      pendingChecks -= 1
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

  /// Runs a call with a value that the caller's code produces for it, all or nothing.
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
}
