public import BenchmarkHarness
import CBenchLMDB
import CBenchSQLite
import GRDB

/// What Quarry is compared with: the libraries underneath, by their C interfaces, GRDB, and SQLCipher.
public enum PeerEngines {
  public static let all: [BenchmarkEngine] = [
    BenchmarkEngine(
      name: "raw-sqlite", summary: "SQLite by its C interface", version: SQLiteLibrary.linked.version,
      isQuarry: false, peer: nil, unsupported: ["get-frozen", "scan-frozen"],
      openRelated: { try RawRelatedStore($0 + "/letters.db") }
    ) { try RawSQLiteStore($0 + "/people.db", .init(library: .linked)) },
    BenchmarkEngine(
      name: "raw-sqlite-structs", summary: "SQLite by its C interface, to structs",
      version: SQLiteLibrary.linked.version,
      isQuarry: false, peer: nil,
      unsupported: Set(Workload.all.map(\.id)).subtracting(["get", "get-single", "scan", "index-fetch", "ycsb-e"])
    ) { try RawSQLiteStore($0 + "/people.db", .init(library: .linked, makesStructs: true)) },
    BenchmarkEngine(
      name: "raw-lmdb", summary: "LMDB by its C interface", version: lmdbVersion, isQuarry: false, peer: nil
    ) { try RawLMDBStore($0) },
    BenchmarkEngine(
      name: "grdb", summary: "GRDB, typed records", version: "7.10 on SQLite " + SQLiteLibrary.linked.version,
      isQuarry: false, peer: "raw-sqlite",
      openRelated: { try GRDBRelatedStore($0 + "/letters.db") }
    ) { try GRDBStore($0 + "/people.db") },
    BenchmarkEngine(
      name: "sqlcipher", summary: "SQLCipher by its C interface, to structs",
      version: SQLiteLibrary.sqlcipher.map { "on SQLite " + $0.version } ?? "", isQuarry: false, isEncrypted: true,
      peer: nil,
      obstacle: SQLiteLibrary.sqlcipher == nil ? "its library is not installed (Debian: libsqlcipher-dev)" : nil,
      unsupported: ["get-frozen", "scan-frozen"]
    ) { folder in
      guard let library = SQLiteLibrary.sqlcipher else { throw BenchmarkError("sqlcipher is not installed") }
      return try RawSQLiteStore(folder + "/people.db", .sqlcipher(library))
    },
  ]

  private static var lmdbVersion: String {
    var (major, minor, patch): (CInt, CInt, CInt) = (0, 0, 0)
    _ = mdb_version(&major, &minor, &patch)
    return "\(major).\(minor).\(patch)"
  }
}
