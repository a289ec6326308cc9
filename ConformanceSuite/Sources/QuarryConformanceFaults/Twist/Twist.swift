import QuarryBackend

/// What a faulty backend does differently from the sound one beneath: hooks of its transactions, and calls of the backend
/// itself. A fault changes one or a few of them.
protocol Twist: TransactionHooks, Sendable {
  // The backend.
  func manifest(_ backend: any Backend) -> BackendManifest
  func beginRead(_ backend: any Backend) throws(StorageError) -> Reader
  func beginWrite(_ backend: any Backend, _ options: WriteOptions) throws(StorageError) -> Writer
  func snapshot(_ backend: any Backend) throws(StorageError) -> any BackendSnapshot
  func compact(_ backend: any Backend) throws(StorageError)
  func backup(_ backend: any Backend, to path: String, _ progress: @escaping BackupProgress) throws(StorageError)
  func check(_ backend: any Backend) throws(StorageError) -> [String]
  func statistics(_ backend: any Backend) throws(StorageError) -> BackendStatistics
  /// Whether the data go when the store is destroyed.
  var destroysData: Bool { get }
  func destroy(_ backend: any Backend) throws(StorageError)
  func close(_ backend: any Backend) throws(StorageError)

  /// The query that takes the place of one that is read or written by, in transactions of both kinds.
  func query(_ query: BoundQuery, _ schema: Schema) -> BoundQuery
}

/// Changes nothing: a backend behind it has to pass every case.
struct NoTwist: Twist {}

extension Twist {
  func manifest(_ backend: any Backend) -> BackendManifest { backend.manifest }
  func beginRead(_ backend: any Backend) throws(StorageError) -> Reader { try backend.beginRead() }

  func beginWrite(_ backend: any Backend, _ options: WriteOptions) throws(StorageError) -> Writer {
    try backend.beginWrite(options)
  }

  func snapshot(_ backend: any Backend) throws(StorageError) -> any BackendSnapshot { try backend.snapshot() }
  func compact(_ backend: any Backend) throws(StorageError) { try backend.requireCompacting().compact() }
  func backup(_ backend: any Backend, to path: String, _ progress: @escaping BackupProgress) throws(StorageError) {
    try backend.requireBackup().backup(to: path, progress: progress)
  }
  func check(_ backend: any Backend) throws(StorageError) -> [String] { try backend.check() }
  func statistics(_ backend: any Backend) throws(StorageError) -> BackendStatistics { try backend.statistics() }
  var destroysData: Bool { true }
  func destroy(_ backend: any Backend) throws(StorageError) { try backend.destroy() }
  func close(_ backend: any Backend) throws(StorageError) { try backend.close() }

  func query(_ query: BoundQuery, _ schema: Schema) -> BoundQuery { query }

  // What is changed in one call is changed in its relatives.

  func schemaVersion(_ tx: Reader) -> UInt64 { schema(tx).version }

  func load(
    _ tx: Writer, _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    try loadByInserting(tx, model, next)
  }

  func missing(_ tx: Reader, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int] {
    try missingByReading(tx, model, keys)
  }

  func delete(_ tx: Writer, _ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try delete(tx, model, [Key(copying: key)]) == 1
  }
}
