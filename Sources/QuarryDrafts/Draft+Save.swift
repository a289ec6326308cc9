import QuarryBackend
import QuarryCore

extension Draft {
  /// Stores the changes of the draft in one transaction, on a thread of its own: all of them, or none.
  ///
  /// Each object is stored against its base. After a save the draft is empty, but for edits that were made while it was saved. A
  /// draft whose save throws has all its edits.
  ///
  /// - Parameters:
  ///   - policy: The treatment of objects that others have changed.
  ///   - actor: The actor of the draft.
  /// - Throws: ``DraftConflicts`` with all objects concerned; the error of a ``Validated`` object or of a refused edit. The
  ///   errors of a write, such as `uniqueViolation` and `missingReference`. `closed` and `schemaMismatch` when the store was
  ///   closed or migrated; `reentrant` while the draft is being saved.
  public func save(
    onConflict policy: DraftConflict = .fail, isolation actor: isolated (any Actor)? = #isolation
  ) async throws {
    guard let plan = try beginSave() else { return }
    do {
      let saved = try await store.write { tx in try plan.run(policy, in: tx) }
      try endSave(saved)
    } catch {
      abandonSave()
      throw error
    }
  }

  /// Stores the changes of the draft in one transaction. See ``save(onConflict:isolation:)``.
  ///
  /// Inside a write of the store on the same thread it is a savepoint of that write. The draft is empty then even if that write
  /// is undone later.
  public func save(onConflict policy: DraftConflict = .fail) throws {
    guard let plan = try beginSave() else { return }
    do {
      try endSave(try store.write { tx in try plan.run(policy, in: tx) })
    } catch {
      abandonSave()
      throw error
    }
  }

  /// The changes as they are saved now.
  var plan: DraftPlan {
    DraftPlan(parts: tables.values.filter { $0.changedCount > 0 }.sorted { $0.name < $1.name }.map { $0.plan() })
  }

  /// - Returns: What is to be saved; nil when that is nothing.
  private func beginSave() throws -> DraftPlan? {
    if isSaving { throw StorageError(.reentrant, "the draft is being saved") }
    if let refusedEdit { throw refusedEdit }
    guard hasChanges else { return nil }
    try validate()
    isSaving = true
    tracker?.hold()
    return plan
  }

  private func endSave(_ saved: DraftPlan) throws {
    defer { abandonSave() }
    for part in saved.parts { for table in tables.values { try table.finish(part) } }
    tables = tables.filter { $0.value.changedCount > 0 }
    steps.clear()
    error = nil
    tracker?.replace(tables.values.flatMap { $0.bases() })
    revision += 1
  }

  private func abandonSave() {
    isSaving = false
    tracker?.release()
  }

  func saveAutomatically(_ policy: DraftConflict, _ actor: isolated any Actor) async {
    guard !isSaving else { return noteEdit() }
    do {
      try await save(onConflict: policy)
    } catch {
      self.error = error
    }
  }
}
