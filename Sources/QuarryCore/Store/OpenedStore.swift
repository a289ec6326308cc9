import QuarryBackend

/// The parts of a store whose backend is open.
struct OpenedStore {
  let backend: any Backend
  let context: StoreContext
  let schema: Schema
  var report: OpeningReport
  let options: OpenOptions
  /// Whether it may have the mark of an unfinished store, because it is opened to be filled.
  var isToFill = false

  /// - Throws: `schemaMismatch` when the schema does not match the models.
  init(
    _ backend: any Backend, _ definitions: [AnyModelDefinition], _ schema: Schema, changes: [String] = [],
    _ options: OpenOptions
  ) throws(StorageError) {
    context = try StoreContext(backend.manifest, definitions, schema)
    self.backend = backend
    self.schema = schema
    self.options = options
    var report = backend.openingReport
    report.schemaChanges = changes
    self.report = report
  }
}
