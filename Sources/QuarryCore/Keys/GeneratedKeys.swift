import QuarryBackend
import Synchronization

/// The models of one version of a stored schema whose keys are generated, and those whose keys are compound.
final class GeneratedKeys: Sendable {
  /// The version of the schema.
  let version: UInt64
  let models: [ModelID: GeneratedKey]
  let compound: [ModelID: CompoundKeyRows]
  /// Whether the store is synced: its writes take turns, so that none may wait for numbers that another transaction takes.
  let isSynced: Bool

  /// Nil where the program gives every key, and each is one property.
  init?(_ schema: Schema) {
    var models: [ModelID: GeneratedKey] = [:]
    var compound: [ModelID: CompoundKeyRows] = [:]
    for model in schema.models {
      models[model.id] = GeneratedKey(model)
      compound[model.id] = CompoundKeyRows(model)
    }
    if models.isEmpty, compound.isEmpty { return nil }
    self.models = models
    self.compound = compound
    version = schema.version
    isSynced = schema.isSynced
  }
}

/// The newest ``GeneratedKeys`` of a store, kept from one transaction to the next.
final class GeneratedKeysCache: Sendable {
  /// A version of the schema without generated keys, so that this is the only check of a store that has none.
  private let plain = Atomic<UInt64>(.max)
  private let newest = Mutex<GeneratedKeys?>(nil)

  /// The generated keys in the state that a transaction reads; nil where there are none.
  func keys(of transaction: any BackendReadTransaction) -> GeneratedKeys? {
    if transaction.schemaVersion == plain.load(ordering: .relaxed) { return nil }
    let schema = transaction.schema
    return newest.withLock { newest in
      if let newest, newest.version == schema.version { return newest }
      newest = GeneratedKeys(schema)
      if newest == nil { plain.store(schema.version, ordering: .relaxed) }
      return newest
    }
  }
}
