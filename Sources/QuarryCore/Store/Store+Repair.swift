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
  /// have them are taken out, too. A store that is sound is left as it is.
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
    if joined() != nil { throw StorageError(.reentrant, "repairing a store inside a transaction of it") }
    try checkWritable()
    try backend.manifest.require(.repair)
    var report = RepairReport(defects: try check(), actions: [], removedRows: 0, remaining: [])
    guard !report.defects.isEmpty else { return report }
    try write { tx in
      let engine = try tx.writer.engine.requireRepairing(manifest)
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
      try Self.mendReferences(tx, keeper, &report)
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

  /// Does with references that lead to nothing what their delete rules say: they become nil, or the objects that have them
  /// are taken out, and what the rules say of those that refer to them is done.
  private static func mendReferences(
    _ tx: WriteTransaction, _ keeper: some UnreadableRowKeeper, _ report: inout RepairReport
  ) throws {
    guard let map = ReferenceMap(tx.backend.schema) else { return }
    for reference in map.all {
      let dangling = try DanglingReferences(reference, in: tx.backend, keeping: .max)
      guard dangling.count > 0 else { continue }
      let (source, property) = (reference.source, reference.property.name)
      var count = 0
      for found in dangling.found {
        let referrers = reference.referrers([try reference.value(of: found.target)])
        if reference.property.isOptional {
          count += try tx.updateRows(
            referrers, [BoundAssignment(slot: reference.slot, operation: .set, value: .null)])
          continue
        }
        var whole = referrers
        whole.projection = nil
        let reason =
          "\(property) refers to \(reference.target.name) \(reference.text(of: found.target) ?? "?"), which is not there"
        var rows: [UnreadableRow] = []
        try tx.backend.cursor(whole).forEach { row throws(StorageError) in
          let view = try RowView(row, reference.layout)
          var columns: [Value.Member] = []
          for slot in source.liveSlots {
            let value = try view.value(reference.layout.slots[slot], reference.layout)
            columns.append(Value.Member(source.properties[slot].name, value))
          }
          let key = KeyText.text(of: view, reference.layout) ?? "?"
          rows.append(UnreadableRow(model: source.name, key: key, reason: reason, content: .columns(columns)))
          return true
        }
        for row in rows { try keeper.keep(row) }
        count += try tx.deleteRows(referrers)
        report.removedRows += rows.count
      }
      report.actions.append(
        reference.property.isOptional
          ? "\(count) references \(source.name).\(property) to what is not there were made nil"
          : "\(count) objects of \(source.name) whose \(property) refers to what is not there were taken out")
    }
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
