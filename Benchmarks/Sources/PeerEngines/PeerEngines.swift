public import BenchmarkHarness
import CBenchLMDB
import CBenchSQLite
import Foundation
import GRDB
import QuarryBackend
import QuarrySQLite

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
      name: "raw-sqlite-checked", summary: "SQLite by its C interface, to structs, pages checked as Quarry's are",
      version: SQLiteLibrary.linked.version, isQuarry: false, peer: nil, unsupported: ["get-frozen", "scan-frozen"]
    ) { folder in
      try checkedFiles.get()
      return try RawSQLiteStore(
        folder + "/people.db", .init(library: .linked, makesStructs: true, checksPages: true))
    },
    BenchmarkEngine(
      name: "raw-lmdb", summary: "LMDB by its C interface, keys as sorted duplicates of an age", version: lmdbVersion,
      isQuarry: false, peer: nil
    ) { try RawLMDBStore($0, .duplicates) },
    BenchmarkEngine(
      name: "raw-lmdb-entries", summary: "LMDB by its C interface, an entry of the index for each object",
      version: lmdbVersion, isQuarry: false, peer: nil
    ) { try RawLMDBStore($0, .entries) },
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

  /// Quarry registers its files with SQLite when the process opens its first store.
  private static let checkedFiles = Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try SQLiteConfiguration(path: folder.path + "/first.db").open(OpenOptions()).close()
  }

  private static var lmdbVersion: String {
    var (major, minor, patch): (CInt, CInt, CInt) = (0, 0, 0)
    _ = mdb_version(&major, &minor, &patch)
    return "\(major).\(minor).\(patch)"
  }
}
