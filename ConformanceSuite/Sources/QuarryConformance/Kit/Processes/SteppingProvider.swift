import QuarryBackend

/// A place whose backends take steps: each change of a schema, batch of rows, cursor and commit of a write transaction, each
/// look at the progress of a backup, and the begin and end of a compaction.
struct SteppingProvider: BackendProvider {
  let inner: any BackendProvider
  let stop: StepStop

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    SteppingBackend(try inner.open(options), stop)
  }
}

extension SteppingProvider: PlacedProvider {
  var storePath: String? { (inner as? any PlacedProvider)?.storePath }

  func withScratch<R>(_ body: (any BackendProvider) throws -> R) throws -> R {
    guard let inner = inner as? any ScratchProvider else {
      throw StorageError(.unsupported, "the place has no room for another store")
    }
    return try inner.withScratch { place in try body(SteppingProvider(inner: place, stop: stop)) }
  }
}

private final class SteppingBackend: ForwardingBackend, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; what it adds is constant and Sendable.
  private let stop: StepStop

  init(_ backend: any Backend, _ stop: StepStop) {
    self.stop = stop
    super.init(backend)
  }

  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    SteppingWriteTransaction(try super.beginWrite(options), stop)
  }

  override func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    stop.step("backup")
    try super.backup(to: path) { [stop] done, total in
      stop.step("part")
      return progress(done, total)
    }
    stop.step("done")
  }

  override func compact() throws(StorageError) {
    stop.step("compact")
    try super.compact()
    stop.step("done")
  }
}

private final class SteppingWriteTransaction: ForwardingWriteTransaction {
  private let stop: StepStop

  init(_ writer: any BackendWriteTransaction, _ stop: StepStop) {
    self.stop = stop
    super.init(writer: writer)
  }

  override func apply(_ change: SchemaChange) throws(StorageError) {
    stop.step("\(change.capability.rawValue)")
    try super.apply(change)
  }

  override func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    stop.step("insert")
    try super.insert(model, rows)
  }

  override func update(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    stop.step("update")
    return try super.update(query, assignments)
  }

  override func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor {
    stop.step("cursor")
    return try super.cursor(query)
  }

  override func commit() throws(StorageError) -> CommitResult {
    stop.step("commit")
    let result = try super.commit()
    stop.step("committed")
    return result
  }
}
