#if PostgreSQL
  import QuarryBackend

  /// Reads every row of a model, and finds those that are none of it. The rows with defects do not end it.
  struct PostgreSQLRowCheck {
    let transaction: PostgreSQLReadTransaction
    let model: PostgreSQLModel

    /// The number of rows that are read in a trip.
    static let batch = 256

    /// A row that cannot be read.
    struct Found {
      /// Its place in the table: its key may be damaged too.
      let place: String
      /// Its key, as people read it.
      let key: String
      let defects: [String]
    }

    /// Adds a defect for each property that cannot be read.
    func run(_ report: inout DefectReport) throws(StorageError) {
      try forEach { found throws(StorageError) in
        for defect in found.defects { report.add("model \(model.table.model.name), key \(found.key), \(defect)") }
      }
    }

    /// Calls the body with each row that cannot be read.
    func forEach(_ body: (Found) throws(StorageError) -> Void) throws(StorageError) {
      let (table, reader) = (model.table, model.reader)
      // The body may make other calls, which use the model's buffer.
      let writer = RowWriter(table.layout)
      let portal = transaction.makePortal()
      defer { transaction.close(portal) }
      let declaration = PostgreSQLStatement.command(
        "DECLARE \(portal.name) BINARY NO SCROLL CURSOR FOR SELECT \(reader.list()), ctid::text FROM \(table.name)")
      let fetch = PostgreSQLStatement.command(
        "FETCH \(reader.rows(in: 4 << 20, most: Self.batch)) FROM \(portal.name)")
      var next = try transaction.pipeline([declaration, fetch]).last
      while let result = next, result.count > 0 {
        try reader.check(result)
        for row in 0..<result.count {
          let defects = try reader.defects(result, row, writer)
          guard !defects.isEmpty else { continue }
          let place = result.text(row, result.columnCount - 1) ?? ""
          let key: String
          if let known = reader.key(result, row) { key = known } else { key = try storedKey(place) }
          try body(Found(place: place, key: key, defects: defects))
        }
        next = try transaction.query(fetch)
      }
    }

    /// The key of a row as the server shows it.
    private func storedKey(_ place: String) throws(StorageError) -> String {
      let rows = try transaction.texts(
        "SELECT coalesce(\(model.table.key.name)::text, 'NULL') FROM \(model.table.name) WHERE ctid = $1::tid", place)
      return rows.first?[0] ?? "?"
    }
  }

  extension PostgreSQLRowReader {
    /// What keeps a row from being read, property by property; empty for a row that can be read.
    func defects(_ result: PostgreSQLResult, _ row: Int, _ writer: RowWriter) throws(StorageError) -> [String] {
      let (layout, model) = (table.layout, table.model)
      do throws(StorageError) {
        return try RowView(try read(result, row, writer), layout).defects(layout, model)
      } catch {
        guard error.code == .corrupt else { throw error }
        var defects: [String] = []
        writer.begin()
        for (place, column) in columns.enumerated() {
          do throws(StorageError) {
            try readField(result, row, place, writer)
          } catch {
            guard error.code == .corrupt else { throw error }
            defects.append("\(model.properties[Int(column.slot.index)].name): \(error.message)")
          }
        }
        return defects.isEmpty ? [error.message] : defects
      }
    }
  }
#endif
