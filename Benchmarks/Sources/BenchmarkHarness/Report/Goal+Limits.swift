// What the engines are to reach of their limits, of each other, and beside what else one would use.
extension Goal {
  private static let sqliteLimit = "raw-sqlite-checked"
  private static let lmdbLimit = "raw-lmdb-entries"

  private static let changes = [
    "insert-bulk", "insert-single", "update-key", "update-where", "delete-key", "delete-where",
  ]
  private static let reads = ["get", "get-single", "scan", "index-fetch", "index-count", "filter", "sort-limit"]
  private static let mixes = ["ycsb-a", "ycsb-b", "ycsb-c", "ycsb-d", "ycsb-e", "ycsb-f"]
  private static let frozen = ["get-frozen", "scan-frozen"]

  /// Of the C interface underneath, doing the same.
  static let limits: [Goal] =
    (changes + reads + mixes).map { Goal($0, "sqlite", .over(sqliteLimit), share($0)) }
    + [Goal("scan", "sqlite", .over("raw-sqlite-structs"), 0.95)]
    + (changes + reads + frozen + mixes).map { Goal($0, "lmdb", .over(lmdbLimit), share($0)) }
    // Its peer in memory has no limit of its own: what it is measured by is the fastest reader of a file.
    + ["memory", "lmdb"].map { Goal("read-while-writing", $0, .over("raw-lmdb"), 0.7) }

  /// Of GRDB, on the same SQLite. It checks no pages, and some work is done inside one statement: there the limit itself is
  /// slower than GRDB.
  static let alternatives: [Goal] = (changes + reads + mixes + ["open", "read-while-writing"]).map { workload in
    let bounds = ["insert-bulk": 3, "get": 10, "scan": 1.2]
    return Goal(workload, "sqlite", .over("grdb"), bounds[workload] ?? 1, limit: sqliteLimit)
  }

  /// Of an engine in memory over one with files.
  static let engines: [Goal] =
    (changes + reads + frozen + ["ycsb-c", "ycsb-e"]).map { Goal($0, "memory", .over("lmdb"), 1) }
    + [Goal("insert-bulk", "flat-file", .over("lmdb"), 1)]

  static let sharedCommits: [Goal] = ["flat-file", "sqlite", "lmdb"].flatMap { engine in
    [
      Goal("insert-single-8", engine, .overWorkload("insert-single"), 3),
      Goal("insert-single-64", engine, .overWorkload("insert-single"), 8),
    ]
  }

  /// Of costs by size. The caches of the processor hold a store of 10,000 objects and none of 1,000,000, for everybody.
  static let growth: [Goal] =
    ["memory", "flat-file", "sqlite", "lmdb"].flatMap { engine in
      let limit = engine == "sqlite" ? sqliteLimit : lmdbLimit
      return ["insert-bulk", "get", "scan", "index-fetch", "filter", "update-key", "delete-key"].map {
        Goal($0, engine, .growth(over: limit), 1.25)
      }
    } + ["memory", "flat-file", "lmdb"].map { Goal("index-count", $0, .growth(over: nil), 2) }
}
