#if PostgreSQL
  import BenchmarkHarness
  import CBenchPostgreSQL

  /// A connection as a program in C has it. One thread at a time uses it.
  final class RawPostgreSQLConnection {
    private let handle: OpaquePointer
    /// Whether a command was sent whose result nothing has read.
    private var isAnswerDue = false

    init(_ string: String) throws {
      guard let handle = PQconnectdb(string) else { throw BenchmarkError("libpq: no memory") }
      self.handle = handle
      _ = PQsetNoticeProcessor(handle, { _, _ in }, nil)
      guard PQstatus(handle) == CONNECTION_OK else {
        PQfinish(handle)
        // libpq's own words would have the connection string in them.
        throw BenchmarkError("the server of QUARRY_TEST_POSTGRES cannot be reached")
      }
    }

    func close() { PQfinish(handle) }

    static var libraryVersion: String {
      let number = PQlibVersion()
      return "\(number / 10_000).\(number % 10_000)"
    }

    private func failure() -> BenchmarkError { BenchmarkError("libpq: \(String(cString: PQerrorMessage(handle)))") }

    /// Takes a result over, and throws unless it is sound.
    private func checked(_ result: OpaquePointer?) throws -> RawPostgreSQLResult {
      guard let result else { throw failure() }
      let status = PQresultStatus(result)
      guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_COPY_IN else {
        PQclear(result)
        throw failure()
      }
      return RawPostgreSQLResult(result)
    }

    /// Runs commands in one trip.
    ///
    /// - Returns: The result of the last one, as text unless it is that of a binary cursor.
    func execute(_ sql: String) throws -> RawPostgreSQLResult {
      try settle()
      return try checked(PQexec(handle, sql))
    }

    /// Sends a command. Its result is read before the next one.
    func send(_ sql: String) throws {
      try settle()
      guard PQsendQuery(handle, sql) == 1 else { throw failure() }
      isAnswerDue = true
    }

    private func settle() throws {
      guard isAnswerDue else { return }
      isAnswerDue = false
      while let result = PQgetResult(handle) { _ = try checked(result) }
    }

    /// Prepares a statement, whose parameters have these types by the server's numbers.
    func prepare(_ name: String, _ sql: String, _ types: [UInt32]) throws {
      _ = try checked(PQprepare(handle, name, sql, CInt(types.count), types))
    }

    /// Runs a prepared statement with parameters in the binary form, for a result in the binary form.
    func run(_ name: String, _ parameters: borrowing RawPostgreSQLParameters) throws -> RawPostgreSQLResult {
      try settle()
      return try checked(
        parameters.withPointers { pointers, lengths, formats in
          PQexecPrepared(handle, name, CInt(lengths.count), pointers, lengths, formats, 1)
        })
    }

    /// Copies bytes into the table that a COPY command names.
    ///
    /// - Parameter write: Calls its argument with each part of the bytes.
    func copy(_ sql: String, _ write: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
      _ = try execute(sql)
      try write { bytes in
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard PQputCopyData(handle, start, CInt(bytes.count)) == 1 else { throw failure() }
      }
      guard PQputCopyEnd(handle, nil) == 1 else { throw failure() }
      isAnswerDue = true
      try settle()
    }
  }

  /// The result of a statement.
  struct RawPostgreSQLResult: ~Copyable {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    var count: Int { Int(PQntuples(handle)) }
    /// How many rows the statement has changed.
    var changes: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    @inline(__always)
    private func load<T: FixedWidthInteger>(_ row: Int, _ column: CInt, as type: T.Type) -> T {
      guard let value = PQgetvalue(handle, CInt(row), column) else { return 0 }
      return T(bigEndian: UnsafeRawPointer(value).loadUnaligned(as: T.self))
    }

    func integer(_ row: Int, _ column: CInt) -> Int64 { load(row, column, as: Int64.self) }
    func double(_ row: Int, _ column: CInt) -> Double { Double(bitPattern: load(row, column, as: UInt64.self)) }

    func text(_ row: Int, _ column: CInt) -> String {
      guard let value = PQgetvalue(handle, CInt(row), column) else { return "" }
      let bytes = UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(handle, CInt(row), column)))
      return String(decoding: bytes, as: UTF8.self)
    }

    /// A row of all columns of a person.
    func person(_ row: Int) -> Person {
      Person(
        id: integer(row, 0), name: text(row, 1), email: text(row, 2), age: Int(integer(row, 3)), score: double(row, 4),
        created: .init(timeIntervalSinceReferenceDate: double(row, 5)), active: load(row, 6, as: UInt8.self) != 0,
        notes: PQgetisnull(handle, CInt(row), 7) == 0 ? text(row, 7) : nil)
    }
  }
#endif
