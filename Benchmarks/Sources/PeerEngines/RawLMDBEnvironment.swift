import BenchmarkHarness
import CBenchLMDB

/// An environment with people by key, and keys by age. Commits are synchronised, which is LMDB's default.
///
/// Unchecked Sendable: the handles are made once; LMDB lets one writer in at a time, and a transaction stays on the
/// thread that began it. The idle read transaction belongs to the one thread that reads, which the protocol promises.
final class RawLMDBEnvironment: @unchecked Sendable {
  private var environment: OpaquePointer?
  let people: MDB_dbi
  let ages: RawLMDBAgeIndex
  private var idle: OpaquePointer?

  init(_ folder: String, _ form: RawLMDBAgeIndex.Form) throws {
    var environment: OpaquePointer?
    try Self.check(mdb_env_create(&environment))
    try Self.check(mdb_env_set_maxdbs(environment, 4))
    try Self.check(mdb_env_set_mapsize(environment, 32 << 30))
    try Self.check(mdb_env_open(environment, folder, UInt32(MDB_NOTLS), 0o600))
    self.environment = environment
    (people, ages) = try Self.write(environment) { transaction in
      var people: MDB_dbi = 0
      try Self.check(mdb_dbi_open(transaction, "people", UInt32(MDB_CREATE | MDB_INTEGERKEY), &people))
      return (people, try RawLMDBAgeIndex(form, transaction))
    }
  }

  func close() {
    if let idle { mdb_txn_abort(idle) }
    idle = nil
    mdb_env_close(environment)
    environment = nil
  }

  @inline(__always)
  static func check(_ code: CInt) throws {
    if code != 0 { throw failure(code) }
  }

  static func failure(_ code: CInt) -> BenchmarkError {
    BenchmarkError("raw-lmdb: " + String(cString: mdb_strerror(code)))
  }

  func write<R>(_ body: (OpaquePointer) throws -> R) throws -> R { try Self.write(environment, body) }

  private static func write<R>(_ environment: OpaquePointer?, _ body: (OpaquePointer) throws -> R) throws -> R {
    var transaction: OpaquePointer?
    try check(mdb_txn_begin(environment, nil, 0, &transaction))
    guard let transaction else { throw failure(MDB_PANIC) }
    let result: R
    do {
      result = try body(transaction)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    // A commit frees the transaction, also when it fails.
    try check(mdb_txn_commit(transaction))
    return result
  }

  /// Reads in the idle transaction, renewed and reset.
  @inline(__always)
  func read<R>(_ body: (OpaquePointer) throws -> R) throws -> R {
    if let idle {
      try Self.check(mdb_txn_renew(idle))
    } else {
      try Self.check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &idle))
    }
    guard let idle else { throw Self.failure(MDB_PANIC) }
    defer { mdb_txn_reset(idle) }
    return try body(idle)
  }

  /// Calls the body with the cursor of a tree.
  static func withCursor<R>(
    _ transaction: OpaquePointer, _ tree: MDB_dbi, _ body: (OpaquePointer) throws -> R
  ) throws -> R {
    var cursor: OpaquePointer?
    try check(mdb_cursor_open(transaction, tree, &cursor))
    guard let cursor else { throw failure(MDB_PANIC) }
    defer { mdb_cursor_close(cursor) }
    return try body(cursor)
  }
}
