public import QuarryBackend

/// The part of a store that its transactions use: the bindings of the models, the limits of the engine and the references.
///
/// A transaction has no store, so that one can run on an engine before its store is open.
@usableFromInline
final class StoreContext: Sendable {
  /// The bindings of the models, by ``ModelDefinition/number``.
  @usableFromInline let bindings: [ModelBinding?]
  @usableFromInline let boundModels: [BoundModel?]
  @usableFromInline let limits: WriteLimits
  /// Whether the objects of a model have rules of their own: ``Validated``.
  let hasValidated: Bool
  let manifest: BackendManifest
  /// Whether the engine has many writers, so that a transaction may be run again.
  @usableFromInline let isConcurrent: Bool
  /// Bytes that a call may hold before it sorts in temporary files; `.max` for an encrypted store, whose values get into none.
  let memory: Int
  /// The history that the store was opened with.
  let history: HistoryOption?
  let references = ReferenceMaps()
  let generatedKeys = GeneratedKeysCache()
  /// The numbers taken in advance, where there are many writers; nil for a transaction without a store.
  let numberBlocks: (any NumberSource)?
  /// What the last write transaction has left for the next one.
  let spareRoom = Spare<WriteRoom>()

  init(
    _ manifest: BackendManifest, _ bindings: [ModelBinding?], memory: Int = .max, history: HistoryOption? = nil,
    _ numberBlocks: (any NumberSource)? = nil
  ) {
    self.manifest = manifest
    self.memory = memory
    self.history = history
    self.numberBlocks = numberBlocks
    isConcurrent = manifest.writers == .many
    self.bindings = bindings
    boundModels = bindings.map { $0.map(BoundModel.init) }
    limits = WriteLimits(manifest)
    hasValidated = bindings.contains { $0?.isValidated ?? false }
  }

  /// - Throws: `schemaMismatch` when the schema is not the schema of the models.
  convenience init(
    _ manifest: BackendManifest, _ definitions: [AnyModelDefinition], _ schema: Schema, memory: Int = .max,
    history: HistoryOption? = nil, _ numberBlocks: (any NumberSource)? = nil
  ) throws(StorageError) {
    var bindings: [ModelBinding?] = []
    for definition in definitions {
      guard let model = schema.model(named: definition.name) else {
        throw StorageError(.schemaMismatch, "the store does not have this model", model: definition.name)
      }
      while bindings.count <= definition.number { bindings.append(nil) }
      bindings[definition.number] = try ModelBinding(definition, model)
    }
    self.init(manifest, bindings, memory: memory, history: history, numberBlocks)
  }

  /// The first binding that fulfils the condition; nil where the program knows no such model.
  func binding(where isWanted: (ModelBinding) -> Bool) -> ModelBinding? {
    bindings.lazy.compactMap { $0 }.first(where: isWanted)
  }

  /// The binding of a model.
  ///
  /// - Throws: `schemaMismatch` when the store was not opened for it.
  @inlinable
  func binding<M: Model>(_ type: M.Type) throws(StorageError) -> ModelBinding {
    let number = M.modelDefinition.number
    guard number < bindings.count, let binding = bindings[number] else { throw Self.unbound(M.modelDefinition.name) }
    return binding
  }

  /// Whether objects of the model get keys when they are stored.
  @usableFromInline
  func generatesKey<M: Model>(_ type: M.Type) -> Bool {
    let number = M.modelDefinition.number
    return number < bindings.count && bindings[number]?.schema.keyGeneration != nil
  }

  /// The parts of a binding that a read of one object needs, valid as long as the context is.
  @inlinable @inline(__always)
  func boundModel<M: Model>(_ type: M.Type) throws(StorageError) -> BoundModel {
    let number = M.modelDefinition.number
    guard number < boundModels.count, let bound = boundModels[number] else {
      throw Self.unbound(M.modelDefinition.name)
    }
    return bound
  }

  @usableFromInline
  static func unbound(_ name: String) -> StorageError {
    StorageError(.schemaMismatch, "the store was not opened for this model", model: name)
  }
}
