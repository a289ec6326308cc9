import QuarryBackend

/// Turns the history of a store on or off when the store is opened.
struct HistoryOpening {
  let pipeline: CommitPipeline
  let options: OpenOptions

  /// Begins to record where the store has a log, so that a migration is recorded.
  func begin() throws(StorageError) {
    try reading { transaction throws(StorageError) in
      try pipeline.recorder.look(transaction)
      pipeline.keeping.look(transaction.schema)
    }
  }

  /// Does what the options ask for.
  ///
  /// - Returns: The schema afterwards; nil where nothing had to be done.
  /// - Throws: `unsupported` on an engine that does not capture rows; `invalidValue` for bounds that are none, and for a model
  ///   that is left out and that the store does not have.
  func run() throws -> Schema? {
    guard let option = options.history, !options.isReadOnly else {
      // The schema may be another one by now.
      if pipeline.recorder.isOn { try begin() }
      return nil
    }
    let wish = try HistoryWish(option)
    let isDone = try reading { transaction throws(StorageError) in try wish.isDone(in: transaction) }
    if isDone {
      try begin()
      return nil
    }
    let manifest = pipeline.backend.manifest
    let schema = try pipeline.transaction(WriteOptions(isSchemaChange: true)) { writer in
      try wish.carryOut(in: writer, manifest)
      return .commit(writer.schema)
    }
    try begin()
    return schema
  }

  private func reading<R>(
    _ body: (any BackendReadTransaction) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    try pipeline.repeating(for: options.busyTimeout) { () throws(StorageError) in
      let transaction = try pipeline.backend.beginRead()
      defer { transaction.end() }
      return try body(transaction)
    }
  }
}

/// What a program asks for.
struct HistoryWish {
  let isOn: Bool
  private var seconds: Int64 = 0
  private var bytes: Int64 = 0
  private var leftOut: [String] = []

  init(_ option: HistoryOption) throws(StorageError) {
    switch option {
    case .off: isOn = false
    case .on(let age, let bytes, let leftOut):
      isOn = true
      guard bytes > 0 else {
        throw StorageError(.invalidValue, "the bytes of a history must be at least 1, not \(bytes)")
      }
      self.bytes = Int64(bytes)
      seconds = Int64(age.seconds ?? 0)
      self.leftOut = leftOut
    }
  }

  private func leftOut(in schema: Schema) throws(StorageError) -> Set<ModelID> {
    var ids: Set<ModelID> = []
    for name in leftOut {
      guard let model = schema.model(named: name), !model.isInternal else {
        throw StorageError(.invalidValue, "the store has no model \(name) to leave out of its history", model: name)
      }
      ids.insert(model.id)
    }
    return ids
  }

  private func bound(_ state: HistoryState, _ schema: Schema) throws(StorageError) -> HistoryState {
    var state = state
    (state.keepsSeconds, state.keepsBytes) = (seconds, bytes)
    state.leftOut = try leftOut(in: schema)
    return state
  }

  func isDone(in transaction: any BackendReadTransaction) throws(StorageError) -> Bool {
    guard let models = HistoryModels(transaction.schema) else { return !isOn }
    guard isOn else { return false }
    let state = try HistoryState(models, transaction)
    return state == (try bound(state, transaction.schema))
  }

  /// - Throws: `unsupported` on an engine that does not capture rows.
  func carryOut(in writer: any BackendWriteTransaction, _ manifest: BackendManifest) throws(StorageError) {
    try manifest.require(isOn ? .captureRows : .schemaDropModel)
    if isOn { try manifest.require(.schemaCreateModel) }
    if !isOn {
      for model in writer.schema.models where model.isOfHistory { try writer.apply(.dropModel(model.id)) }
      return
    }
    if let models = HistoryModels(writer.schema) {
      return try bound(HistoryState(models, writer), writer.schema).write(models, writer)
    }
    for model in InternalModel.ofHistory where writer.schema.model(named: model.name) == nil {
      try writer.apply(.createModel(model))
    }
    guard let models = HistoryModels(writer.schema) else { throw .damagedLog }
    var state = try bound(HistoryState(), writer.schema)
    try state.note(writer.schema, models, writer)
    try state.create(models, writer)
  }
}
