#if PostgreSQL
  import Foundation
  import QuarryBackend

  /// The tables in which Quarry keeps what it knows of the store.
  enum PostgreSQLSchemaStore {
    /// The format of the tables.
    static let format = 4

    private static let codec = SchemaCodec(escapesSlashes: false) { format in
      "the schema has format \(format), and this version knows formats to \(Schema.currentFormat)"
    }

    /// What a place of a database has in it.
    enum Content {
      case missing, empty, store
      /// Tables that are no store.
      case other(StorageError)
    }

    /// Finds out what a schema has in it.
    static func content(_ place: PostgreSQLPlace, _ connection: PostgreSQLConnection) throws(StorageError) -> Content {
      let schema = PostgreSQLName.literal(place.schema)
      // By an index: there may be very many tables in the database.
      let found = try connection.run(
        "SELECT (SELECT count(*) FROM pg_class WHERE relname = '_quarry_store' AND relkind = 'r' AND relnamespace = n.oid) "
          + "FROM pg_namespace n WHERE n.nspname = \(schema)")
      guard let count = found.text(0, 0) else { return .missing }
      guard count == "0" else { return .store }
      let result = try connection.run(
        "SELECT count(*), count(*) FILTER (WHERE starts_with(c.relname::text, '_quarry')), "
          + "count(*) FILTER (WHERE c.relkind IN ('r', 'p', 'f')), "
          + "count(*) FILTER (WHERE c.relname = '_quarry_store' AND c.relkind = 'r') "
          + "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = \(schema)")
      if result.text(0, 0) == "0" { return .empty }
      // Another opener has just made it.
      if result.text(0, 3) == "1" { return .store }
      guard result.text(0, 1) == "0" else {
        return .other(
          StorageError(.corrupt, "the schema \(place.schema) has some of the tables of a store of Quarry, but not all"))
      }
      let tables = result.text(0, 2) ?? "0"
      return .other(
        StorageError(
          .schemaMismatch,
          "the schema \(place.schema) belongs to another program (\(tables) \(tables == "1" ? "table" : "tables")), and is no "
            + "store of Quarry"))
    }

    /// Makes the tables in a schema that has none, in one transaction. Of several openers one makes them.
    ///
    /// - Parameter writers: How many transactions write at once, which is fixed for the store.
    static func create(
      _ place: PostgreSQLPlace, _ writers: BackendManifest.Writers, _ server: ServerKind,
      _ connection: PostgreSQLConnection
    ) throws(StorageError) {
      let json = String(decoding: try codec.encode(Schema()), as: UTF8.self)
      // Any number would do, as long as all openers of the schema take the same.
      let number = "hashtextextended(\(PostgreSQLName.literal("quarry " + place.schema)), 0)"
      do throws(StorageError) {
        try connection.run(
          "BEGIN ISOLATION LEVEL READ COMMITTED; \(server.creationSettings)SELECT pg_advisory_xact_lock(\(number))")
        switch try content(place, connection) {
        case .other(let error): throw error
        // Another opener was first.
        case .store: break
        case .missing:
          try connection.run("CREATE SCHEMA \(place.quoted)")
          try createTables(place, writers, json, connection)
        // A schema that there is may belong to a role that may make none.
        case .empty: try createTables(place, writers, json, connection)
        }
        try connection.run("COMMIT")
      } catch {
        if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
        throw error
      }
    }

    private static func createTables(
      _ place: PostgreSQLPlace, _ writers: BackendManifest.Writers, _ json: String, _ connection: PostgreSQLConnection
    ) throws(StorageError) {
      try connection.run(
        "CREATE TABLE \(place.store) (one boolean PRIMARY KEY CHECK (one), format integer NOT NULL, "
          + "writers text NOT NULL, schema_version bigint NOT NULL, json text COLLATE \"C\" NOT NULL); "
          + "CREATE TABLE \(place.line) (); "
          + (writers == .many ? place.versionTablesSQL : "")
          + "CREATE TABLE \(place.commit) (one boolean PRIMARY KEY CHECK (one), version bigint NOT NULL); "
          + "INSERT INTO \(place.store) VALUES (true, \(format), '\(writers.rawValue)', 0, \(PostgreSQLName.literal(json))); "
          + "INSERT INTO \(place.commit) VALUES (true, 0)")
    }

    /// Checks the format of the tables.
    ///
    /// - Throws: `schemaTooNew`, `corrupt`; `unsupported` for the format of an earlier version of the engine.
    static func checkFormat(_ place: PostgreSQLPlace, _ connection: PostgreSQLConnection) throws(StorageError) {
      guard let found = try connection.run("SELECT format FROM \(place.store)").text(0, 0).flatMap({ Int($0) }) else {
        throw StorageError(.corrupt, "the table \(PostgreSQLPlace.storeName) has no row")
      }
      guard found <= format else {
        throw StorageError(.schemaTooNew, "the store has format \(found), and this version knows formats to \(format)")
      }
      guard found == format else {
        throw StorageError(
          .unsupported, "the store has format \(found) of an earlier version of this engine: copy it with that version")
      }
    }

    /// How many transactions write at once in the store.
    ///
    /// - Parameter asked: The number that the program asks for; nil for any.
    /// - Throws: `invalidValue` for a store that was made for another number, `corrupt`.
    static func writers(
      _ asked: BackendManifest.Writers?, _ place: PostgreSQLPlace, _ connection: PostgreSQLConnection
    ) throws(StorageError) -> BackendManifest.Writers {
      let found = try connection.run(
        "SELECT writers, to_regclass(\(PostgreSQLName.literal(place.change))) IS NOT NULL FROM \(place.store)")
      guard let writers = found.text(0, 0).flatMap({ BackendManifest.Writers(rawValue: $0) }) else {
        throw StorageError(
          .corrupt, "the table \(PostgreSQLPlace.storeName) does not say how many transactions write at once")
      }
      // Only a store with many writers has the tables of their versions.
      guard (writers == .many) == (found.text(0, 1) == "t") else {
        throw StorageError(
          .corrupt,
          "the table \(PostgreSQLPlace.storeName) says writers=\(writers.rawValue), and the table "
            + "\(PostgreSQLPlace.changeName) \(writers == .many ? "is missing" : "says many")")
      }
      guard asked == nil || asked == writers else {
        throw StorageError(.invalidValue, "the store was created with writers=\(writers.rawValue)")
      }
      return writers
    }

    /// Reads the schema of the state that the connection's transaction sees.
    ///
    /// - Throws: `schemaTooNew`, `corrupt`.
    static func load(_ place: PostgreSQLPlace, _ connection: PostgreSQLConnection) throws(StorageError) -> Schema {
      guard let json = try connection.run("SELECT json FROM \(place.store)").text(0, 0) else {
        throw StorageError(.corrupt, "the store has no schema")
      }
      return try codec.decode(Data(json.utf8))
    }

    /// Stores a changed schema.
    static func save(
      _ schema: Schema, _ place: PostgreSQLPlace, _ connection: PostgreSQLConnection
    ) throws(StorageError) {
      var parameters = PostgreSQLParameters()
      parameters.add(text: String(schema.version).utf8)
      parameters.add(text: try codec.encode(schema))
      _ = try connection.query(
        PostgreSQLStatement("UPDATE \(place.store) SET schema_version = $1, json = $2", parameters))
    }
  }
#endif
