import QuarryBackend

/// What a store is made of when its backend is open.
struct OpenedStore {
  let backend: any Backend
  let bindings: [ModelBinding?]
  let schema: Schema
  var report: OpeningReport
  let options: OpenOptions
  /// Whether it may have the mark of an unfinished store, because it is opened to be filled.
  var isToFill = false

  /// - Throws: `schemaMismatch` when the schema is not that of the models.
  init(
    _ backend: any Backend, _ definitions: [AnyModelDefinition], _ schema: Schema, changes: [String] = [],
    _ options: OpenOptions
  ) throws(StorageError) {
    var bindings: [ModelBinding?] = []
    for definition in definitions {
      guard let model = schema.model(named: definition.name) else {
        throw StorageError(.schemaMismatch, "the store has no such model", model: definition.name)
      }
      while bindings.count <= definition.number { bindings.append(nil) }
      bindings[definition.number] = try ModelBinding(definition, model)
    }
    self.backend = backend
    self.bindings = bindings
    self.schema = schema
    self.options = options
    var report = backend.openingReport
    report.schemaChanges = changes
    self.report = report
  }
}
