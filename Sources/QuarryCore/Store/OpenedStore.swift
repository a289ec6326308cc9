import QuarryBackend

/// The parts of a store whose backend is open.
struct OpenedStore {
  let backend: any Backend
  /// The pipeline through which the store was migrated, and is written to.
  let pipeline: CommitPipeline
  let context: StoreContext
  let schema: Schema
  var report: OpeningReport
  let options: OpenOptions
  /// Whether it may have the mark of an unfinished store, because it is opened to be filled.
  var isToFill = false

  /// - Throws: `schemaMismatch` when the schema does not match the models.
  init(
    _ pipeline: CommitPipeline, _ definitions: [AnyModelDefinition], _ schema: Schema, changes: [String] = [],
    _ options: OpenOptions
  ) throws(StorageError) {
    let blocks = pipeline.isConcurrent ? NumberBlocks(pipeline, timeout: options.busyTimeout) : nil
    context = try StoreContext(
      pipeline.backend.manifest, definitions, schema, memory: options.boundOfMemory,
      history: options.history, blocks)
    self.pipeline = pipeline
    backend = pipeline.backend
    self.schema = schema
    self.options = options
    var report = backend.openingReport
    report.schemaChanges = changes
    self.report = report
  }
}
