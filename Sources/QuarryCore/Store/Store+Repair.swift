public import QuarryBackend

/// An object that keeps the rows that a repair removes.
public protocol UnreadableRowKeeper {
  /// Receives each row before anything is removed.
  ///
  /// - Parameter row: The row as it is stored.
  /// - Throws: Any error, which ends the repair and leaves the store as it was.
  func keep(_ row: UnreadableRow) throws
  /// Called when all rows were handed over and before the repair is committed: the rows are safe when it returns.
  ///
  /// - Throws: Any error, which undoes the repair.
  func finish() throws
}

/// The result of a repair.
public struct RepairReport: Sendable, Hashable {
  /// The defects that a check found before; empty for a store that was sound.
  public var defects: [String]
  /// The actions taken, a sentence for each; empty where nothing was done.
  public var actions: [String]
  /// The number of removed rows.
  public var removedRows: Int
  /// The defects that a check finds now.
  public var remaining: [String]
}

extension RepairReport: CustomStringConvertible {
  /// The defects, the actions and the remaining defects, one line each.
  public var description: String {
    if defects.isEmpty { return "the store is sound" }
    let found = defects.map { "found: \($0)" }
    return (found + actions + remaining.map { "remaining: \($0)" }).joined(separator: "\n")
  }
}

extension Store {
  /// Repairs the defects that a check finds, in one write transaction. A store that is sound is left as it is.
  ///
  /// Rows that cannot be read are handed to the keeper and removed. Indexes are rebuilt from the rows that are left. Dangling
  /// references then become nil, or the objects that have them are handed to the keeper and removed, too.
  ///
  /// A repair does not fix the engine's own pages or records: see ``RepairReport/remaining``.
  /// ``Store/copy(to:options:)-swift.method`` and dumps salvage the readable data of such a store.
  ///
  /// - Parameter keeper: Receives each row before it is removed.
  /// - Returns: The defects found and the actions taken.
  /// - Throws: `uniqueViolation`, with two keys, for objects of which a unique index allows only one. `corrupt` where not even
  ///   the rows can be walked; `reentrant` inside a transaction of this store; `readOnly`, `busy`, `unsupported`; the keeper's
  ///   errors. The store is then as it was.
  /// - Complexity: O(n) in the number of objects, and as a check before and after.
  public func repair(keeping keeper: some UnreadableRowKeeper) throws -> RepairReport {
    try checkOpen()
    if try currentTransaction() != nil {
      throw StorageError(.reentrant, "a store cannot be repaired inside a transaction of the store")
    }
    try checkWritable()
    try backend.manifest.require(.repair)
    var report = RepairReport(defects: try check(), actions: [], removedRows: 0, remaining: [])
    guard !report.defects.isEmpty else { return report }
    // The keeper receives each row once.
    try write(retry: 0) { tx in
      let engine = try tx.writer.requireRepairing(manifest)
      let models = engine.schema.models
      // Indexes of words are built again from the rows that are left.
      for model in models where !model.isSearchIndex {
        let removed = try Self.remove(model, engine, keeper)
        if removed > 0 {
          report.removedRows += removed
          report.actions.append(
            "\(removed) \(removed == 1 ? "row" : "rows") of \(model.name) that cannot be read \(removed == 1 ? "was" : "were") taken out"
          )
        }
        for index in model.indexes { try tx.writer.apply(.dropIndex(model.id, index: index.id)) }
        report.actions += try engine.correctDefinition(model.id)
        let corrected = try engine.correctDerivedValues(model.id)
        if corrected > 0 {
          report.actions.append(
            "the engine's own data of \(corrected) \(corrected == 1 ? "row" : "rows") of \(model.name) was corrected"
          )
        }
        for index in model.indexes {
          try tx.writer.apply(.createIndex(model.id, index))
          report.actions.append("the index \(index.name) of \(model.name) was rebuilt")
        }
        if !model.searchedSlots.isEmpty {
          report.actions.append("the index of the words of \(model.name) was rebuilt")
        }
      }
      try ReferenceRepair(tx, keeper)?.run(&report)
      try keeper.finish()
    }
    report.remaining = try check()
    return report
  }

  /// Repairs the defects that a check finds, on a thread of its own. See ``repair(keeping:)``.
  ///
  /// - Throws: The errors of the synchronous form, and `CancellationError` when the task was cancelled before the repair began.
  public func repair(
    keeping keeper: sending some UnreadableRowKeeper & SendableMetatype
  ) async throws -> RepairReport {
    try await Self.run(on: Self.readerThreads, keeper) { [self] keeper in try repair(keeping: keeper) }
  }

  private static func remove(
    _ model: ModelSchema, _ engine: any RepairingWriteTransaction, _ keeper: some UnreadableRowKeeper
  ) throws -> Int {
    var failure: (any Error)?
    do throws(StorageError) {
      return try engine.removeUnreadableRows(model.id) { row throws(StorageError) in
        do {
          try keeper.keep(row)
        } catch {
          failure = error
          throw StorageError(.io, "an unreadable row could not be kept", cause: error)
        }
      }
    } catch {
      throw failure ?? error
    }
  }
}
