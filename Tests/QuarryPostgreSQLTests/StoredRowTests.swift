#if PostgreSQL
  import QuarryCore
  import Testing

  @testable import QuarryBackend
  @testable import QuarryPostgreSQL

  /// A row that is read in one trip, in a store that others change.
  @Suite struct StoredRowTests {
    private static let writers: [BackendManifest.Writers] = [.one, .many]
    private static let more = PropertySchema(name: "more", type: .int64, isOptional: true)

    /// A backend with the row 7 of the model Note.
    private final class Opened {
      let place: TestPlace
      let backend: PostgreSQLBackend
      let model: ModelSchema
      let version: UInt64

      init(_ writers: BackendManifest.Writers, busyTimeout: Double = 5) throws {
        place = try TestPlace(writers)
        var options = OpenOptions()
        options.busyTimeout = busyTimeout
        backend = try PostgreSQLBackend(place.place, options)
        let tx = try backend.beginWrite(WriteOptions())
        // Columns of Quarry's own tables have such names.
        let properties = ["schema_version", "tableoid", "version", "l", "r"].map {
          PropertySchema(name: $0, type: .int64)
        }
        try tx.apply(.createModel(ModelSchema(name: "Note", properties: properties, primaryKey: 0)))
        model = try #require(tx.schema.models.first)
        version = tx.schema.version
        _ = try tx.commit()
        let columns = try PostgreSQLTable(model, in: backend.place).live.map(\.name).joined(separator: ", ")
        try place.server("INSERT INTO \(backend.place.qualified("Note")) (\(columns)) VALUES (7, 2, 3, 4, 5)")
      }

      deinit { try? backend.close() }

      /// The values of the row; none where there is no such row, nil where the schema is another.
      func row(_ key: Int64) throws -> [Int64]? {
        var values: [Int64] = []
        let layout = RowLayout(model)
        let found = try Key.primary(.int(key), model).bytes.withBytes { key throws(StorageError) in
          try backend.withRow(model.id, key, schema: version) { row throws(StorageError) in
            let view = try RowView(row, layout)
            values = layout.slots.map { Int64(littleEndian: view.load($0)) }
          }
        }
        return found == nil ? nil : values
      }

      func apply(_ change: SchemaChange) throws {
        let other = try place.place.open(OpenOptions())
        defer { try? other.close() }
        let tx = try other.beginWrite(WriteOptions())
        try tx.apply(change)
        _ = try tx.commit()
      }
    }

    @Test(arguments: writers) func aRowIsFoundOrNot(_ writers: BackendManifest.Writers) throws {
      let opened = try Opened(writers)
      #expect(try opened.row(7) == [7, 2, 3, 4, 5])
      #expect(try opened.row(8) == [])
      try opened.place.server("DELETE FROM \(opened.backend.place.qualified("Note"))")
      #expect(try opened.row(7) == [])
    }

    /// The statement that the connection has prepared no longer fits.
    @Test(arguments: writers) func anotherSchemaIsNoticed(_ writers: BackendManifest.Writers) throws {
      for change in [
        SchemaChange.addProperty(ModelID(1), Self.more), .renameModel(ModelID(1), to: "Other"),
        .dropProperty(ModelID(1), slot: 4), .dropModel(ModelID(1)),
      ] {
        let opened = try Opened(writers)
        #expect(opened.model.id == ModelID(1))
        #expect(try opened.row(7) != nil)
        try opened.apply(change)
        #expect(try opened.row(7) == nil)
        #expect(try opened.row(8) == nil)
      }
    }

    @Test(arguments: writers) func aStoreThatIsGoneOrReplacedIsAnError(_ writers: BackendManifest.Writers) throws {
      let opened = try Opened(writers)
      #expect(try opened.row(7) != nil)
      try opened.place.server("DROP SCHEMA \(opened.place.schema) CASCADE")
      #expect(code { _ = try opened.row(7) } == .io)
      try PostgreSQLBackend(opened.place.place, OpenOptions()).close()
      #expect(code { _ = try opened.row(7) } == .io)
      try opened.backend.close()
      #expect(code { _ = try opened.row(7) } == .closed)
    }

    /// A change of the schema is waited for, in the time of a read.
    @Test(arguments: writers) func aWaitEnds(_ writers: BackendManifest.Writers) throws {
      let opened = try Opened(writers, busyTimeout: 0.3)
      #expect(try opened.row(7) != nil)
      let other = try PostgreSQLConnection(try PostgreSQLSettings(opened.place.place.connection))
      defer { other.close() }
      let (line, note) = (opened.backend.place.line, opened.backend.place.qualified("Note"))
      for table in [line, note] {
        try other.run("BEGIN; LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")
        #expect(code { _ = try opened.row(7) } == .busy)
        try other.run("ROLLBACK")
        #expect(try opened.row(7) == [7, 2, 3, 4, 5])
      }
    }
  }
#endif
