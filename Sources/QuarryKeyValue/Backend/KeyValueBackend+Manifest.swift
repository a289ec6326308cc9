public import QuarryBackend

extension BackendManifest {
  /// Returns the manifest of a ``KeyValueBackend`` over such an engine.
  ///
  /// Trees, transactions and snapshots are the engine's own; everything that involves rows is Quarry's common code over them.
  ///
  /// - Parameter properties: The properties of the open engine.
  public static func keyValue(_ properties: KeyValueEngineProperties) -> BackendManifest {
    var capabilities: [Capability: CapabilitySupport] = [:]
    for capability in Capability.allCases { capabilities[capability] = support(capability, properties) }
    return BackendManifest(
      name: properties.name, engineVersion: properties.version, capabilities: capabilities,
      limits: BackendManifest.Limits(
        rowBytes: properties.maximumValueBytes, openSnapshots: properties.maximumSnapshots,
        pathBytes: properties.maximumPathBytes),
      isolation: .serializable, durability: properties.durability, sharing: properties.sharing)
  }

  private static func support(_ capability: Capability, _ properties: KeyValueEngineProperties) -> CapabilitySupport {
    switch capability {
    case .openReadOnly, .transactions, .snapshots, .savepoints, .statistics, .destroy:
      .native
    case .openDurability:
      properties.opensWithDurability
        ? .native
        : .unsupported(reason: "its commits have one durability, \(properties.durability.rawValue)")
    case .openEncryption:
      properties.encrypts ? .native : .unsupported(reason: "the engine does not encrypt")
    case .openNamespace:
      .unsupported(reason: "a place holds one store")
    case .multipleProcesses:
      properties.sharing == .manyProcesses
        ? .native : .unsupported(reason: "one process at a time has the store open")
    case .captureKeys, .captureRows:
      .emulated
    case .queryCompare, .queryCompareColumns, .queryText, .queryTextFolding, .queryNested, .querySort, .queryLimit,
      .queryPaging, .queryAggregate, .queryGroup, .queryExplain:
      .emulated
    case .upsert, .compareAndUpdate, .updateWhere, .deleteWhere:
      .emulated
    case .indexPlain, .indexUnique, .indexCompound, .indexDescending:
      .emulated
    case .schemaCreateModel, .schemaDropModel, .schemaRenameModel, .schemaAddProperty, .schemaRenameProperty,
      .schemaDropProperty, .schemaChangeOptionality, .schemaChangeReference, .schemaCreateIndex, .schemaDropIndex,
      .schemaRenameIndex,
      .schemaSetVersion:
      .emulated
    case .compact:
      properties.compacts ? .native : .unsupported(reason: "the engine has no free space to give back")
    // The engine verifies its trees, common code what is in them.
    case .check, .repair:
      .emulated
    case .backup:
      properties.backsUp ? .native : .unsupported(reason: "the engine writes no copies of itself")
    }
  }
}
