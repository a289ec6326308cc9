import QuarryBackend
import QuarrySystem

extension SQLiteBackend: DiskSpaceReporting, WatchedBackend {
  func check() throws(StorageError) -> [String] {
    guard !isClosed else { throw .storeClosed }
    var report = DefectReport()
    let isLogMoved = try moveLog()
    try report.examine("schema") { report throws(StorageError) in
      let (connection, models, version) = try beginOnReader()
      let transaction = SQLiteReadTransaction(self, connection, models, base: version)
      defer { transaction.end() }
      try SQLiteCheck(connection, models).run(&report)
      let pages = isLogMoved ? try connection.integer("PRAGMA page_count") ?? 0 : 0
      if vfs != nil {
        try SealedDatabaseCheck(try .of(connection.database), file.path, pages: pages).run(&report)
      } else if let database = CheckedDatabase.of(connection.database), database.hasChecksums {
        try ChecksumCheck(database, pages: pages).run(&report)
      }
      try transaction.checkFile()
    }
    return report.lines
  }

  /// Moves the log into the database: until then a page there may be torn by a loss of power during a checkpoint, without ever
  /// being read.
  ///
  /// - Returns: Whether all of it was brought there.
  private func moveLog() throws(StorageError) -> Bool {
    if file.walByteCount == 0 { return true }
    if isReadOnly { return false }
    let connection = try takeReader()
    defer { pool.give(connection) }
    return connection.checkpoint()
  }

  func commitWatch() throws(StorageError) -> (any CommitWatch)? { try FileWatch(file.path) }

  func requireInPlace() throws(StorageError) {
    guard !isClosed, let identity = pool.identity, !identity.isNamed(by: file.path) else { return }
    // A change of the key, which gives the store another file, has taken the known one away before.
    if pool.identity == identity { throw .removedOrReplaced(file.path) }
  }

  func freeDiskBytes() -> Int? { SystemFileSystem().freeBytes(beside: file.path) }

  /// Three numbers of the database's header, and the sizes of the files.
  func space() throws(StorageError) -> (bytes: Int, freeBytes: Int)? {
    let (connection, models, version) = try beginOnReader()
    let transaction = SQLiteReadTransaction(self, connection, models, base: version)
    defer { transaction.end() }
    let pageSize = try connection.integer("PRAGMA page_size") ?? 0
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    let free = try connection.integer("PRAGMA freelist_count") ?? 0
    let bytes = file.byteCount
    return (bytes, Self.freeBytes(of: bytes, used: pages - free, pageSize))
  }

  /// The bytes not needed for the pages in use: free pages, and the log, which has pages once more.
  private static func freeBytes(of bytes: Int, used pages: Int64, _ pageSize: Int64) -> Int {
    max(0, bytes - Int(pages * pageSize))
  }

  func statistics() throws(StorageError) -> BackendStatistics {
    let (connection, models, version) = try beginOnReader()
    let transaction = SQLiteReadTransaction(self, connection, models, base: version)
    defer { transaction.end() }
    let sizes = try connection.sizes()
    var result: [BackendStatistics.ModelStatistics] = []
    for model in models.state.schema.models {
      let rows = Int(try connection.integer("SELECT count(*) FROM \(SQLiteName.quoted(model.name))") ?? 0)
      var indexes: [BackendStatistics.IndexStatistics] = []
      for index in model.indexes {
        let names = [SQLiteDefinition.spareIndexName(index), SQLiteDefinition.indexName(model, index)]
        // Each row has an entry, also where a value is nil.
        indexes.append(
          .init(name: index.name, entries: rows, bytes: names.lazy.compactMap { sizes[ByteString($0)] }.first))
      }
      result.append(.init(name: model.name, rows: rows, bytes: sizes[ByteString(model.name)], indexes: indexes))
    }
    let pageSize = try connection.integer("PRAGMA page_size") ?? 0
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    let free = try connection.integer("PRAGMA freelist_count") ?? 0
    let bytes = file.byteCount
    let hasChecksums = CheckedDatabase.of(connection.database)?.hasChecksums ?? false
    return BackendStatistics(
      models: result, bytes: bytes, freeBytes: Self.freeBytes(of: bytes, used: pages - free, pageSize),
      details: [
        "page size": String(pageSize), "pages": String(pages), "free pages": String(free),
        "log bytes": String(file.walByteCount), "snapshots": String(snapshots.load(ordering: .relaxed)),
        "encryption": envelopeSlot?.description ?? "none", "commits": version.description,
        "schema format": String(models.state.schema.format),
        "schema version": String(models.state.schema.version),
        "format": String(try connection.integer("PRAGMA user_version") ?? 0),
        "checksums": hasChecksums ? "XXH64" : vfs == nil ? "none" : "sealed",
      ])
  }
}
