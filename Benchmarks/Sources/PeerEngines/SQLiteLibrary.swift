import CBenchSQLiteFunctions

/// A library with SQLite's C interface.
///
/// Unchecked Sendable: its table of functions is constant once it was filled, and is never let go.
struct SQLiteLibrary: @unchecked Sendable {
  /// What its errors begin with.
  let name: String
  let functions: UnsafePointer<bench_sqlite_functions>

  /// The one that the program is linked with.
  static let linked = SQLiteLibrary(name: "raw-sqlite", functions: bench_sqlite_linked())

  /// SQLCipher, where it is installed. It has the symbols of SQLite, so that it can only be loaded beside it.
  static let sqlcipher: SQLiteLibrary? = bench_sqlite_sqlcipher().map {
    SQLiteLibrary(name: "sqlcipher", functions: $0)
  }

  /// The version of SQLite that it is, or is made from.
  var version: String { functions.pointee.libversion().map { String(cString: $0) } ?? "" }

  /// What a connection says of its last call.
  func message(_ database: OpaquePointer?) -> String {
    functions.pointee.errmsg(database).map { String(cString: $0) } ?? ""
  }
}
