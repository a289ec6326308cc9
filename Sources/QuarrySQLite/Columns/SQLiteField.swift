import CSQLite

/// A value of the row that a statement's last step came to, valid until the next step or reset, or of the row that a
/// function was called for, valid inside the call.
///
/// SQLite calls the first an unprotected value, because the connection's mutex is not held when it is read. Quarry's
/// connections have no mutex (`SQLITE_OPEN_NOMUTEX`) and belong to one thread at a time; for such SQLite knows no difference
/// between protected and unprotected values. Looked up once, a column's type and value cost a third of what the functions
/// do that look it up each time.
struct SQLiteField {
  let value: OpaquePointer?

  @inline(__always)
  var type: Int32 { sqlite3_value_type(value) }

  @inline(__always)
  var integer: Int64 { sqlite3_value_int64(value) }

  @inline(__always)
  var real: Double { sqlite3_value_double(value) }

  /// The bytes of a BLOB, or of TEXT in the encoding of the store, which is UTF-8.
  @inline(__always)
  var bytes: UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(value)
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
  }
}

/// The values of one row by their numbers: the columns of a statement's result, or the arguments of a function.
protocol SQLiteColumns {
  func field(_ column: Int32) -> SQLiteField
}

extension SQLiteStatement: SQLiteColumns {}
