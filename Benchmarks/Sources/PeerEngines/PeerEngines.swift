public import BenchmarkHarness
import CBenchLMDB
import CBenchSQLite
import GRDB

/// What Quarry is compared with: the libraries underneath, by their C interfaces, and GRDB.
public enum PeerEngines {
  public static let all: [BenchmarkEngine] = [
    BenchmarkEngine(
      name: "raw-sqlite", summary: "SQLite by its C interface", version: String(cString: sqlite3_libversion()),
      isQuarry: false, peer: nil, unsupported: ["get-frozen", "scan-frozen"]
    ) { try RawSQLiteStore($0 + "/people.db") },
    BenchmarkEngine(
      name: "raw-lmdb", summary: "LMDB by its C interface", version: lmdbVersion, isQuarry: false, peer: nil
    ) { try RawLMDBStore($0) },
    BenchmarkEngine(
      name: "grdb", summary: "GRDB, typed records", version: "7.10 on SQLite " + String(cString: sqlite3_libversion()),
      isQuarry: false, peer: "raw-sqlite"
    ) { try GRDBStore($0 + "/people.db") },
  ]

  private static var lmdbVersion: String {
    var (major, minor, patch): (CInt, CInt, CInt) = (0, 0, 0)
    _ = mdb_version(&major, &minor, &patch)
    return "\(major).\(minor).\(patch)"
  }
}
