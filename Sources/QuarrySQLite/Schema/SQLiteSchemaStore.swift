import CSQLite
import Foundation
import QuarryBackend

/// The tables in which Quarry keeps what it knows of the store: the schema and the number of the last commit.
enum SQLiteSchemaStore {
  /// `Qrry`, in the header of the file.
  static let applicationID: UInt32 = 0x5172_7279
  static let applicationPlace = 68..<72
  static let applicationBytes = withUnsafeBytes(of: applicationID.bigEndian) { Array($0) }
  /// The format of a store that is made, the `user_version` in the header: 1, and 3 where pages have checksums and the first
  /// one names the log. A program that knows 1 alone would write pages without checksums, and one that knows 2 would begin
  /// logs that the first page does not name.
  static func format(hasChecksums: Bool) -> UInt32 { hasChecksums ? 3 : 1 }
  static let newestFormat: UInt32 = 3
  static let formatsWithChecksums: [UInt8] = [2, 3]
  /// Where it is in the header, four bytes, the first one first.
  static let formatPlace = 60..<64

  /// Both numbers that a transaction needs at its beginning. The first reading statement also fixes what it sees.
  static let stateSQL = #"SELECT "version", "schema" FROM "_quarry_commit" WHERE "id" = 1"#
  static let raiseSQL = #"UPDATE "_quarry_commit" SET "version" = ?1 WHERE "id" = 1"#

  /// Makes the tables in an empty database.
  static func create(_ connection: SQLiteConnection, hasChecksums: Bool) throws(StorageError) {
    try connection.run("PRAGMA application_id = \(applicationID)")
    try connection.run("PRAGMA user_version = \(format(hasChecksums: hasChecksums))")
    try connection.run(
      #"CREATE TABLE "_quarry_commit" ("id" INTEGER PRIMARY KEY CHECK ("id" = 1), "version" INTEGER NOT NULL, "#
        + #""schema" INTEGER NOT NULL) STRICT"#)
    try connection.run(
      #"CREATE TABLE "_quarry_schema" ("id" INTEGER PRIMARY KEY CHECK ("id" = 1), "json" TEXT NOT NULL) STRICT"#)
    try connection.run(#"INSERT INTO "_quarry_commit" VALUES (1, 0, 0)"#)
    try connection.runKept(
      #"INSERT INTO "_quarry_schema" VALUES (1, ?1)"#, [.text(try codec.encode(Schema()))])
  }

  /// The text of a schema without a model, which every store begins with.
  private static let emptySchema: [UInt8]? = try? codec.encode(Schema())

  /// Stores a changed schema.
  static func save(_ schema: Schema, _ connection: SQLiteConnection) throws(StorageError) {
    try connection.runKept(
      #"UPDATE "_quarry_schema" SET "json" = ?1 WHERE "id" = 1"#, [.text(try codec.encode(schema))])
    try connection.runKept(
      #"UPDATE "_quarry_commit" SET "schema" = ?1 WHERE "id" = 1"#,
      [.integer(Int64(bitPattern: schema.version))])
  }

  private static let codec = SchemaCodec(escapesSlashes: false) { format in
    "the schema has format \(format), and this version knows formats up to \(Schema.currentFormat)"
  }

  /// Reads the schema of the state that the connection's transaction sees.
  ///
  /// - Throws: `schemaTooNew`, `corrupt`.
  static func load(_ connection: SQLiteConnection) throws(StorageError) -> Schema {
    let statement = try connection.lease(#"SELECT "json" FROM "_quarry_schema" WHERE "id" = 1"#)
    defer { connection.giveBack(statement) }
    guard try statement.step(), statement.type(0) == SQLITE_TEXT else {
      throw StorageError(.corrupt, "the store has no schema")
    }
    if let emptySchema, statement.bytes(0).elementsEqual(emptySchema) { return Schema() }
    return try codec.decode(Data(statement.bytes(0)))
  }
}
