#if PostgreSQL
  import CPostgreSQL
  import QuarryBackend

  /// The result of one statement: rows, or how many were changed.
  final class PostgreSQLResult {
    private let handle: OpaquePointer
    /// The number of rows.
    let count: Int

    /// - Parameter handle: The result, which is freed with this object.
    init(_ handle: OpaquePointer) {
      self.handle = handle
      count = Int(PQntuples(handle))
    }

    deinit {
      PQclear(handle)
    }

    var columnCount: Int { Int(PQnfields(handle)) }

    /// The number of rows that the statement added, changed or removed.
    var changes: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    /// The server's number of a column's type.
    func type(_ column: Int) -> UInt32 { PQftype(handle, Int32(column)) }

    func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(handle, Int32(row), Int32(column)) != 0 }

    /// The bytes of a field, valid while the result is; empty for NULL.
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
      let length = Int(PQgetlength(handle, Int32(row), Int32(column)))
      guard length > 0, let start = PQgetvalue(handle, Int32(row), Int32(column)) else {
        return UnsafeRawBufferPointer(start: nil, count: 0)
      }
      return UnsafeRawBufferPointer(start: start, count: length)
    }

    /// The bytes of all fields of a row.
    func byteCount(_ row: Int) -> Int {
      (0..<columnCount).reduce(0) { $0 + Int(PQgetlength(handle, Int32(row), Int32($1))) }
    }

    /// The bytes of the largest row; 0 where there is none.
    var largestRow: Int { (0..<count).reduce(0) { max($0, byteCount($1)) } }

    /// The fields of all rows as text.
    var texts: [[String]] { (0..<count).map { row in (0..<columnCount).map { text(row, $0) ?? "" } } }

    /// A field that came as text; nil for NULL, and where there is no such row.
    func text(_ row: Int, _ column: Int) -> String? {
      guard row < count, column < columnCount, !isNull(row, column) else { return nil }
      return String(decoding: bytes(row, column), as: UTF8.self)
    }
  }
#endif
