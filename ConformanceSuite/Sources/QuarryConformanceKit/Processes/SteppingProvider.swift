package import QuarryBackend

/// A place whose backends take steps: each change of a schema, batch of rows, cursor and commit of a write transaction, each
/// look at the progress of a backup, and the begin and end of a compaction.
package struct SteppingProvider: ProviderLayer {
  package let provider: any BackendProvider
  package let stop: StepStop

  package init(provider: any BackendProvider, stop: StepStop) {
    self.provider = provider
    self.stop = stop
  }

  package func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    SteppingBackend(try provider.open(options), stop)
  }

  package func withScratch<R>(_ body: (any BackendProvider) throws -> R) throws -> R {
    try provider.requireScratch().withScratch { place in try body(SteppingProvider(provider: place, stop: stop)) }
  }
}

private final class SteppingBackend: BackendLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; what it adds is constant and Sendable.
  private let stop: StepStop

  init(_ backend: any Backend, _ stop: StepStop) {
    self.stop = stop
    super.init(backend)
  }

  override func writeHooks() -> (any TransactionHooks)? { SteppingHooks(stop: stop) }

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

private struct SteppingHooks: TransactionHooks {
  let stop: StepStop

  func apply(_ base: Writer, _ change: SchemaChange) throws(StorageError) {
    stop.step("\(change.capability.rawValue)")
    try base.apply(change)
  }

  func insert(_ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    stop.step("insert")
    try base.insert(model, rows)
  }

  func load(
    _ base: Writer, _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    try loadByInserting(base, model, next)
  }

  func update(_ base: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    stop.step("update")
    return try base.update(query, assignments)
  }

  func answers(_ base: Reader, _ questions: [ReadQuestion]) throws(StorageError) -> [ReadAnswer] {
    try answersByAsking(base, questions)
  }

  func cursor(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    stop.step("cursor")
    return try base.cursor(query)
  }

  func commit(_ base: Writer) throws(StorageError) -> CommitResult {
    stop.step("commit")
    let result = try base.commit()
    stop.step("committed")
    return result
  }
}
