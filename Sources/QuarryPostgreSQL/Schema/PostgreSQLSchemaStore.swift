#if PostgreSQL
  import Foundation
  import QuarryBackend

  /// The tables in which Quarry keeps what it knows of the store.
  enum PostgreSQLSchemaStore {
    /// The format of the tables.
    static let format = 1

    private static let codec = SchemaCodec(escapesSlashes: false) { format in
      "the schema has format \(format), and this version knows formats to \(Schema.currentFormat)"
    }

    /// What a place of a database has in it.
    enum Content {
      case missing, empty, store, other
    }

    /// Finds out what a schema has in it.
    static func content(_ place: PostgreSQLPlace, _ connection: PostgreSQLConnection) throws(StorageError) -> Content {
      let schema = PostgreSQLName.literal(place.schema)
      let result = try connection.run(
        "SELECT (SELECT count(*) FROM pg_namespace WHERE nspname = \(schema)), "
          + "(SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = \(schema)), "
          + "(SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
          + "WHERE n.nspname = \(schema) AND c.relname = '_quarry_store' AND c.relkind = 'r')")
      if result.text(0, 2) == "1" { return .store }
      if result.text(0, 0) == "0" { return .missing }
      return result.text(0, 1) == "0" ? .empty : .other
    }

    /// Makes the tables in a schema that has none, in one transaction. Of several openers one makes them.
    static func create(_ place: PostgreSQLPlace, _ connection: PostgreSQLConnection) throws(StorageError) {
      let json = String(decoding: try codec.encode(Schema()), as: UTF8.self)
      // Any number would do, as long as all openers of the schema take the same.
      let number = "hashtextextended(\(PostgreSQLName.literal("quarry " + place.schema)), 0)"
      do throws(StorageError) {
        try connection.run("BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(\(number))")
        let found = try content(place, connection)
        guard found != .other else { throw othersTables(place) }
        if found != .store {
          // A schema that there is may belong to a role that may make none.
          if found == .missing { try connection.run("CREATE SCHEMA \(place.quoted)") }
          try connection.run(
            "CREATE TABLE \(place.store) (one boolean PRIMARY KEY CHECK (one), format integer NOT NULL, "
              + "schema_version bigint NOT NULL, json text COLLATE \"C\" NOT NULL); "
              + "CREATE TABLE \(place.line) (one boolean PRIMARY KEY CHECK (one), version bigint NOT NULL); "
              + "INSERT INTO \(place.store) VALUES (true, \(format), 0, \(PostgreSQLName.literal(json))); "
              + "INSERT INTO \(place.line) VALUES (true, 0)")
        }
        try connection.run("COMMIT")
      } catch {
        if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
        throw error
      }
    }

    /// The error for a schema that has tables, and none of Quarry's.
    static func othersTables(_ place: PostgreSQLPlace) -> StorageError {
      StorageError(.corrupt, "the schema \(place.schema) has tables of others, and no store of Quarry")
    }

    /// Checks the format of the tables.
    ///
    /// - Throws: `schemaTooNew`, `corrupt`.
    static func checkFormat(_ place: PostgreSQLPlace, _ connection: PostgreSQLConnection) throws(StorageError) {
      guard let found = try connection.run("SELECT format FROM \(place.store)").text(0, 0).flatMap({ Int($0) }) else {
        throw StorageError(.corrupt, "the store does not say its format")
      }
      guard found <= format else {
        throw StorageError(.schemaTooNew, "the store has format \(found), and this version knows formats to \(format)")
      }
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
