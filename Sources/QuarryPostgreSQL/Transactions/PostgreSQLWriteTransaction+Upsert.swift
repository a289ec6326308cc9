#if PostgreSQL
  import QuarryBackend

  extension PostgreSQLWriteTransaction {
    /// The bytes of parameters after which results are read: more could fill both ways of a connection at once.
    private static let mostBytes = 48 << 10
    private static let mostStatements = 256

    func upsert(
      _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
    ) throws(StorageError) -> Int {
      let model = try usableModel(model)
      guard rows.count > 0 else { return 0 }
      try checkSizes(model, rows)
      let added: Int
      switch policy {
      case .replace: added = try addOrReplace(model, rows)
      case .merge(let slots):
        for slot in slots { _ = try model.table.column(slot) }
        // Of rows with one key the last counts, which is not what merging one after the other would give.
        added = try rebuild(model, rows, slots)
      }
      note(model)
      return added
    }

    /// Inserts rows or replaces those with their keys.
    ///
    /// - Returns: How many were inserted.
    private func addOrReplace(_ model: PostgreSQLModel, _ rows: borrowing RowBatch) throws(StorageError) -> Int {
      do throws(StorageError) {
        var added = 0
        try runEach(model, rows, model.table.upsertSQL) { (result) throws(StorageError) in
          // Without a row, a trigger has dropped it.
          guard result.count == 1 else { throw .rejectedRow }
          if result.bytes(0, 0).first == 1 { added += 1 }
        }
        return added
      } catch {
        // A statement with a result is refused on a table with rules.
        if error.sqlState == "0A000" { throw .rejectedRow.with(model: model.table.model.name) }
        guard error.code == .uniqueViolation, failure == nil else {
          throw described(error, model.table)
        }
      }
      // A value may have been in use only until a later row of the batch: that is checked when all are in.
      return try rebuild(model, rows, nil)
    }

    /// Runs a statement for each row, in a savepoint; many go in one trip.
    func runEach(
      _ model: PostgreSQLModel, _ rows: borrowing RowBatch, _ sql: String, withKey: Bool = false,
      _ body: (PostgreSQLResult) throws(StorageError) -> Void
    ) throws(StorageError) {
      var waiting: [PostgreSQLStatement] = []
      var byteCount = 0
      let isOne = rows.count == 1
      func add(_ row: UnsafeRawBufferPointer) throws(StorageError) {
        var parameters = PostgreSQLParameters()
        let view = try RowView(row, model.table.layout)
        try model.rowWriter.add(view, model.table.live, withExact: model.table.hasTrees, to: &parameters)
        if withKey {
          try Key(of: row, model.table.layout).bytes.withBytes { (key) throws(StorageError) in
            try model.rowWriter.add(key: key, to: &parameters)
          }
        }
        byteCount += parameters.byteCount
        waiting.append(PostgreSQLStatement(sql, parameters))
      }
      guard !isOne else {
        try rows.forEach { (_, row) throws(StorageError) in try add(row) }
        return try protected(waiting) { (results) throws(StorageError) in
          for result in results { try body(result) }
        }
      }
      try atomically { () throws(StorageError) in
        try rows.forEach { (_, row) throws(StorageError) in
          try add(row)
          guard byteCount >= Self.mostBytes || waiting.count >= Self.mostStatements else { return }
          for result in try pipeline(waiting) { try body(result) }
          waiting = []
          byteCount = 0
        }
        for result in try pipeline(waiting) { try body(result) }
      }
    }

    /// Upserts by taking the old rows away before the new ones come, so that only the end counts for uniqueness.
    ///
    /// - Parameter slots: The slots that are replaced in rows that exist; nil for all.
    private func rebuild(
      _ model: PostgreSQLModel, _ rows: borrowing RowBatch, _ slots: [Int]?
    ) throws(StorageError) -> Int {
      let table = model.table
      let merger = RowMerger(table.layout)
      defer { withExtendedLifetime(merger) {} }
      // The last row of each key.
      var last: [Key: Int] = [:]
      var keys: [Key] = []
      try rows.forEach { (place, row) throws(StorageError) in
        let key = try Key(of: row, table.layout)
        last[key] = place
        keys.append(key)
      }
      var old: [Key: Row] = [:]
      let chosen = keys.indices.filter { last[keys[$0]] == $0 }
      let distinct = chosen.map { keys[$0] }
      try self.rows(table.model.id, distinct) { (place, row) throws(StorageError) in
        if let row { old[distinct[place]] = Row(copying: row) }
      }
      var results = RowBatch()
      try rows.forEach { (place, row) throws(StorageError) in
        guard last[keys[place]] == place else { return }
        if let slots, let before = old[keys[place]] {
          results.append(
            try before.bytes.withBytes { (before) throws(StorageError) in
              try merger.merge(old: before, new: row, slots: slots)
            })
        } else {
          results.append(row)
        }
      }
      try replaceAll(model, distinct, results)
      return distinct.count - old.count
    }

    /// Takes the rows with these keys away, and inserts these rows.
    func replaceAll(
      _ model: PostgreSQLModel, _ keys: [Key], _ rows: borrowing RowBatch
    ) throws(StorageError) {
      try atomically { () throws(StorageError) in
        _ = try remove(model, keys)
        do throws(StorageError) {
          try copy(model, rows)
        } catch {
          guard error.code == .uniqueViolation, failure == nil else { throw error }
          // Row by row, which finds the one that is in the way.
          try rows.forEach { (_, row) throws(StorageError) in try insert(model, row) }
        }
      }
    }
  }
#endif
