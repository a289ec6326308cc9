extension Draft {
  /// Removes every edit and every object that was read, as if the draft were created now. It is not undone.
  public func rollback() {
    tables = [:]
    steps.clear()
    refusedEdit = nil
    error = nil
    tracker?.replace([])
    revision += 1
  }

  /// Whether there is a step to take back.
  public var canUndo: Bool {
    _ = revision
    return steps.canUndo
  }

  /// Whether there is a step to make again.
  public var canRedo: Bool {
    _ = revision
    return steps.canRedo
  }

  /// Takes the last step back: one call that edits, or all of ``asOneStep(_:)``. Without a step nothing happens.
  ///
  /// A save and a rollback end the steps before them.
  public func undo() {
    guard let step = steps.takeBack() else { return }
    apply(step) { edit, number in try edit.undo(number: number) }
  }

  /// Makes the step again that ``undo()`` took back last. An edit ends the steps that can be made again.
  public func redo() {
    guard let step = steps.takeAgain() else { return }
    apply(step) { edit, number in try edit.redo(number: number) }
  }

  /// Runs a body of edits that ``undo()`` takes back together.
  ///
  /// Edits of a body that throws stay, as a step of their own.
  ///
  /// - Parameter body: The edits. It is called once.
  /// - Throws: The error of the body.
  public func asOneStep<R>(_ body: () throws -> R) rethrows -> R {
    steps.begin()
    defer { steps.end() }
    return try body()
  }

  private func apply(_ step: [DraftEdit], _ change: (DraftEdit, Int) throws -> Void) {
    for edit in step {
      editCount += 1
      do {
        try change(edit, editCount)
      } catch {
        // Rows that were compared before are compared again: it cannot fail, and is not hidden if it does.
        self.error = error
      }
    }
    noteEdit()
  }
}
