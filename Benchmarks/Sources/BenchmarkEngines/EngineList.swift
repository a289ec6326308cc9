public import BenchmarkHarness
import CBenchSQLite
import QuarryFlatFile
import QuarryLMDB
import QuarryMemory
import QuarrySQLite

/// Quarry's engines. Another one is a line here and its product in the manifest.
public enum EngineList {
  public static let all: [BenchmarkEngine] = [
    BenchmarkEngine(
      name: "memory", summary: "Quarry in memory", version: "a B+tree", isQuarry: true, durability: .none,
      isPersistent: false, peer: "raw-lmdb"
    ) { _ in try QuarryStore(.memory) },
    BenchmarkEngine(
      name: "flat-file", summary: "Quarry in one flat file", version: "a log replayed into a B+tree", isQuarry: true,
      peer: "raw-lmdb"
    ) { try QuarryStore(.flatFile(at: $0 + "/people.quarry")) },
    BenchmarkEngine(
      name: "sqlite", summary: "Quarry on SQLite", version: String(cString: sqlite3_libversion()), isQuarry: true,
      peer: "raw-sqlite"
    ) { try QuarryStore(.sqlite(at: $0 + "/people.db")) },
    BenchmarkEngine(
      name: "lmdb", summary: "Quarry on LMDB", version: LMDBConfiguration.engineVersion, isQuarry: true,
      peer: "raw-lmdb"
    ) { try QuarryStore(.lmdb(at: $0 + "/people.lmdb", mapBytes: 32 << 30)) },
  ]
}
