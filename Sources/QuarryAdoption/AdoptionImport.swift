import QuarryBackend
package import QuarryCore

/// Puts tables of another program's database into a store, in one transaction: all of them, or none.
package struct AdoptionImport {
  package var database: ForeignDatabase
  package var plan: AdoptionPlan
  /// Called from time to time with the table and the number of its rows so far.
  package var progress: (_ table: String, _ rows: Int) -> Void = { _, _ in }

  package init(_ database: ForeignDatabase, _ plan: AdoptionPlan) {
    self.database = database
    self.plan = plan
  }

  private static let batchBytes = 1 << 20

  /// - Returns: The number of rows of each model.
  /// - Throws: `schemaMismatch` where a model is there already; `invalidValue`, `duplicateKey`, `uniqueViolation` and
  ///   `missingReference` for rows that the models do not take; `corrupt`, `io`.
  package func run(in store: Store) throws -> [(model: String, rows: Int)] {
    let stored = try store.models()
    for table in plan.tables {
      guard !stored.contains(where: { ForeignTable.isSame($0.name, table.model.name) }) else {
        throw StorageError(
          .schemaMismatch, "the store already has this model: a table is imported as a new model",
          model: table.model.name)
      }
    }
    return try store.write(alone: true) { tx in
      var counts: [(model: String, rows: Int)] = []
      for table in plan.tables {
        try tx.apply(.createModel(table.model))
        counts.append((table.model.name, try load(table, tx)))
      }
      try tx.finishFilling()
      return counts
    }
  }

  private func load(_ table: TablePlan, _ tx: WriteTransaction) throws -> Int {
    let model = try tx.model(named: table.model.name)
    var rows = try ForeignRows(database, table, model)
    try tx.loadRows(into: model) { batch throws(StorageError) in
      while batch.byteCount < Self.batchBytes, let row = try rows.next() { batch.append(row) }
      progress(table.table, rows.count)
    }
    return rows.count
  }
}
