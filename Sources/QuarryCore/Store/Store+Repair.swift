public import QuarryBackend

/// What keeps the rows that a repair takes out.
public protocol UnreadableRowKeeper {
  /// Is given each row before anything is removed.
  func keep(_ row: UnreadableRow) throws
  /// Is called when all were given and before the repair is committed: what was kept is safe when it returns.
  func finish() throws
}

/// What a repair did.
public struct RepairReport: Sendable, Hashable {
  /// What a check found before; nothing for a store that was sound.
  public var defects: [String]
  /// What was done, a sentence for each; nothing where nothing was.
  public var actions: [String]
  /// How many rows were taken out.
  public var removedRows: Int
  /// What a check finds now.
  public var remaining: [String]
}

extension Store {
  /// Mends what a check finds, in one write transaction: rows that cannot be read are handed to the keeper and taken out, and
  /// indexes are made anew from the rows that are left. References that lead to nothing then become nil, or the objects that
  /// have them are handed to the keeper and taken out, too. A store that is sound is left as it is.
  ///
  /// What is wrong with the engine's own pages or records is beyond it: see ``RepairReport/remaining``. What can be read of such a
  /// store, ``Store/copy(to:options:)-swift.method`` and dumps bring out.
  ///
  /// - Returns: What was found and done.
  /// - Throws: `uniqueViolation`, with two keys, for objects that a unique index allows only one of; `corrupt` where not even
  ///   the rows can be walked; `reentrant` inside a transaction of this store; `readOnly`, `busy`, `unsupported`; what the
  ///   keeper throws. The store is then as it was.
  /// - Complexity: O(n) in the number of objects, and as a check before and after.
  public func repair(keeping keeper: some UnreadableRowKeeper) throws -> RepairReport {
    try checkOpen()
    if try joined() != nil { throw StorageError(.reentrant, "repairing a store inside a transaction of it") }
    try checkWritable()
    try backend.manifest.require(.repair)
    var report = RepairReport(defects: try check(), actions: [], removedRows: 0, remaining: [])
    guard !report.defects.isEmpty else { return report }
    try write { tx in
      let engine = try tx.writer.requireRepairing(manifest)
      for model in engine.schema.models {
        let removed = try Self.remove(model, engine, keeper)
        if removed > 0 {
          report.removedRows += removed
          report.actions.append(
            "\(removed) \(removed == 1 ? "row" : "rows") of \(model.name) that cannot be read \(removed == 1 ? "was" : "were") taken out"
          )
        }
        for index in model.indexes { try tx.writer.apply(.dropIndex(model.id, index: index.id)) }
        let corrected = try engine.correctDerivedValues(model.id)
        if corrected > 0 {
          report.actions.append(
            "what the engine keeps beside \(corrected) \(corrected == 1 ? "row" : "rows") of \(model.name) was set right"
          )
        }
        for index in model.indexes {
          try tx.writer.apply(.createIndex(model.id, index))
          report.actions.append("the index \(index.name) of \(model.name) was made anew")
        }
      }
      try ReferenceRepair(tx, keeper)?.run(&report)
      try keeper.finish()
    }
    report.remaining = try check()
    return report
  }

  /// Mends what a check finds, on a thread of its own. See ``repair(keeping:)``.
  ///
  /// - Throws: Beside what the synchronous form throws, `CancellationError` when the task was cancelled before it began.
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
          throw StorageError(.io, "ended by the keeper", cause: error)
        }
      }
    } catch {
      throw failure ?? error
    }
  }
}
