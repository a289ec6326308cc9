import CSQLite
import QuarryBackend
import QuarrySQL

/// A prepared statement. It is finalized when the last reference goes, and belongs to the thread that uses its
/// connection.
final class SQLiteStatement {
  let handle: OpaquePointer
  /// The text, which is the shape of the query because every value is bound.
  let sql: ByteString
  /// Whether it selects a call of the connection's ``SQLiteRowFunction``.
  @exclusivity(unchecked) var handsRows = false
  /// Whether another statement is better: where the function was called ahead, or rows had NaNs.
  @exclusivity(unchecked) var needsColumns = false

  /// Prepares the first statement of the text.
  init(_ database: OpaquePointer, _ sql: String, isKept: Bool) throws(StorageError) {
    var handle: OpaquePointer?
    var text = sql
    let result = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        guard let start = bytes.baseAddress, let count = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
        return sqlite3_prepare_v3(
          database, start, count, isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0, &handle, nil)
      }
    }
    guard result == SQLITE_OK, let handle else {
      throw StorageError(sqlite: result == SQLITE_OK ? SQLITE_ERROR : result, database)
    }
    self.handle = handle
    self.sql = ByteString(sql)
  }

  deinit {
    sqlite3_finalize(handle)
  }

  var database: OpaquePointer? { sqlite3_db_handle(handle) }

  /// Runs the statement to its next row.
  ///
  /// - Returns: Whether there is a row; without one the statement has ended.
  @inline(__always)
  func step() throws(StorageError) -> Bool {
    let result = sqlite3_step(handle)
    if result == SQLITE_ROW { return true }
    if result == SQLITE_DONE { return false }
    throw failure(result)
  }

  /// The error of a failed step, after which the statement can be used again.
  func failure(_ result: Int32) -> StorageError {
    let error = StorageError(sqlite: result, database)
    reset()
    return error
  }

  /// Runs a statement that gives no rows, and makes it ready for the next time.
  func run() throws(StorageError) {
    while try step() {}
    reset()
  }

  /// Makes the statement ready for the next time.
  ///
  /// Its earlier error is not reported again.
  @inline(__always)
  func reset() {
    sqlite3_reset(handle)
  }

  func clearBindings() {
    sqlite3_clear_bindings(handle)
  }

  /// Binds a value, of which SQLite keeps a copy.
  func bind(_ index: Int32, _ value: SQLConstant) throws(StorageError) {
    let result =
      switch value {
      case .null, .list: sqlite3_bind_null(handle, index)
      case .integer(let value): sqlite3_bind_int64(handle, index, value)
      case .real(let value): sqlite3_bind_double(handle, index, value)
      case .text(let bytes):
        bytes.withUnsafeBytes {
          quarry_sqlite3_bind_text_copy(handle, index, $0.baseAddress, sqlite3_uint64($0.count))
        }
      case .blob(let bytes):
        bytes.withUnsafeBytes {
          quarry_sqlite3_bind_blob_copy(handle, index, $0.baseAddress, sqlite3_uint64($0.count))
        }
      }
    try check(result)
  }

  /// Binds values from the first parameter on.
  func bind(_ values: [SQLConstant]) throws(StorageError) {
    var index: Int32 = 0
    for value in values {
      index += 1
      try bind(index, value)
    }
  }

  /// Binds text that lives until the statement is reset.
  @inline(__always)
  func bind(_ index: Int32, lentText bytes: UnsafeRawBufferPointer) throws(StorageError) {
    try check(quarry_sqlite3_bind_text_static(handle, index, bytes.baseAddress, sqlite3_uint64(bytes.count)))
  }

  /// Binds bytes that live until the statement is reset.
  @inline(__always)
  func bind(_ index: Int32, lentBlob bytes: UnsafeRawBufferPointer) throws(StorageError) {
    try check(quarry_sqlite3_bind_blob_static(handle, index, bytes.baseAddress, sqlite3_uint64(bytes.count)))
  }

  @inline(__always)
  func bind(_ index: Int32, _ value: Int64) throws(StorageError) {
    try check(sqlite3_bind_int64(handle, index, value))
  }

  @inline(__always)
  func bind(_ index: Int32, _ value: Double) throws(StorageError) {
    try check(sqlite3_bind_double(handle, index, value))
  }

  @inline(__always)
  func bindNull(_ index: Int32) throws(StorageError) {
    try check(sqlite3_bind_null(handle, index))
  }

  @inline(__always)
  private func check(_ result: Int32) throws(StorageError) {
    if result != SQLITE_OK { throw StorageError(sqlite: result, database) }
  }

  // Columns of the row that the last step came to.

  @inline(__always)
  func field(_ column: Int32) -> SQLiteField { SQLiteField(value: sqlite3_column_value(handle, column)) }

  func type(_ column: Int32) -> Int32 { field(column).type }

  func integer(_ column: Int32) -> Int64 { field(column).integer }

  func real(_ column: Int32) -> Double { field(column).real }

  /// The bytes of a BLOB or TEXT, valid until the next step or reset.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer { field(column).bytes }
}
