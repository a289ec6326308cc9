public import BenchmarkHarness
import CBenchSQLite
import QuarryBackend
import QuarryEncryption
import QuarryFlatFile
import QuarryLMDB
import QuarryMemory
import QuarrySQLite

/// Quarry's engines. Another one is a line here and its product in the manifest.
public enum EngineList {
  public static let all: [BenchmarkEngine] = [
    BenchmarkEngine(
      name: "memory", summary: "Quarry in memory", version: "a B+tree", isQuarry: true, durability: .none,
      isPersistent: false, peer: "raw-lmdb",
      unsupported: ["delivery-other"], openRelated: { _ in try RelatedQuarryStore(.memory) },
      openObserved: { _ in try ObservedQuarryStore(.memory) }
    ) { _ in try QuarryStore(.memory) },
    BenchmarkEngine(
      name: "flat-file", summary: "Quarry in one flat file", version: "a log replayed into a B+tree", isQuarry: true,
      peer: "raw-lmdb", unsupported: ["delivery-other"],
      openRelated: { try RelatedQuarryStore(.flatFile(at: $0 + "/letters.quarry")) },
      openObserved: { try ObservedQuarryStore(.flatFile(at: $0 + "/counters.quarry")) }
    ) { try QuarryStore(.flatFile(at: $0 + "/people.quarry")) },
    BenchmarkEngine(
      name: "flat-file-encrypted", summary: "Quarry in one sealed flat file", version: "each batch sealed",
      isQuarry: true, isEncrypted: true, peer: "flat-file", unsupported: ["delivery-other"],
      openRelated: { try RelatedQuarryStore(.flatFile(at: $0 + "/letters.quarry"), encryption: key()) },
      openObserved: { try ObservedQuarryStore(.flatFile(at: $0 + "/counters.quarry"), encryption: key()) }
    ) { try QuarryStore(.flatFile(at: $0 + "/people.quarry"), encryption: key()) },
    BenchmarkEngine(
      name: "sqlite", summary: "Quarry on SQLite", version: sqliteVersion, isQuarry: true, peer: "raw-sqlite",
      openRelated: { try RelatedQuarryStore(.sqlite(at: $0 + "/letters.db")) },
      openObserved: { try ObservedQuarryStore(.sqlite(at: $0 + "/counters.db")) }
    ) { try QuarryStore(.sqlite(at: $0 + "/people.db")) },
    BenchmarkEngine(
      name: "sqlite-encrypted", summary: "Quarry on SQLite with sealed pages", version: sqliteVersion, isQuarry: true,
      isEncrypted: true, peer: "sqlite",
      openRelated: { try RelatedQuarryStore(.sqlite(at: $0 + "/letters.db"), encryption: key()) },
      openObserved: { try ObservedQuarryStore(.sqlite(at: $0 + "/counters.db"), encryption: key()) }
    ) { try QuarryStore(.sqlite(at: $0 + "/people.db"), encryption: key()) },
    BenchmarkEngine(
      name: "sqlite-without-checksums", summary: "Quarry on SQLite, pages without checksums", version: sqliteVersion,
      isQuarry: true, isVariant: true, peer: "sqlite"
    ) { try QuarryStore(SQLiteConfiguration(path: $0 + "/people.db", checksums: false)) },
    BenchmarkEngine(
      name: "lmdb", summary: "Quarry on LMDB", version: LMDBConfiguration.engineVersion, isQuarry: true,
      peer: "raw-lmdb",
      openRelated: { try RelatedQuarryStore(.lmdb(at: $0 + "/letters.lmdb", mapBytes: 32 << 30)) },
      openObserved: { try ObservedQuarryStore(.lmdb(at: $0 + "/counters.lmdb", mapBytes: 32 << 30)) }
    ) { try QuarryStore(.lmdb(at: $0 + "/people.lmdb", mapBytes: 32 << 30)) },
    BenchmarkEngine(
      name: "lmdb-encrypted", summary: "Quarry on LMDB with sealed pages", version: LMDBConfiguration.engineVersion,
      isQuarry: true, isEncrypted: true, peer: "lmdb",
      openRelated: { try RelatedQuarryStore(.lmdb(at: $0 + "/letters.lmdb", mapBytes: 32 << 30), encryption: key()) },
      openObserved: { try ObservedQuarryStore(.lmdb(at: $0 + "/counters.lmdb", mapBytes: 32 << 30), encryption: key()) }
    ) { try QuarryStore(.lmdb(at: $0 + "/people.lmdb", mapBytes: 32 << 30), encryption: key()) },
    BenchmarkEngine(
      name: "lmdb-checksums", summary: "Quarry on LMDB, pages with checksums", version: LMDBConfiguration.engineVersion,
      isQuarry: true, isVariant: true, peer: "lmdb"
    ) { try QuarryStore(.lmdb(at: $0 + "/people.lmdb", mapBytes: 32 << 30, checksums: true)) },
  ]

  private static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

  /// A key of raw bytes: deriving one from a passphrase is slow on purpose, and is not what is measured.
  private static func key() throws -> Encryption { Encryption(try EncryptionKey(0..<32)) }
}
