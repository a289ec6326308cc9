public import QuarryBackend

extension BackendManifest {
  /// A manifest from lists, for harnesses. A capability that is in no list is missing, and the kit says so.
  ///
  /// - Parameter unsupported: What is not offered, with the reason.
  public init(
    name: String, engineVersion: String, native: [Capability], emulated: [Capability] = [],
    unsupported: [Capability: String] = [:], limits: Limits = Limits(), isolation: Isolation = .serializable,
    durability: Durability, sharing: Sharing, writers: Writers = .one,
    schemaChanges: SchemaChanges = .besideSnapshots
  ) {
    var capabilities: [Capability: CapabilitySupport] = [:]
    for capability in native { capabilities[capability] = .native }
    for capability in emulated { capabilities[capability] = .emulated }
    for (capability, reason) in unsupported { capabilities[capability] = .unsupported(reason: reason) }
    self.init(
      name: name, engineVersion: engineVersion, capabilities: capabilities, limits: limits, isolation: isolation,
      durability: durability, sharing: sharing, writers: writers, schemaChanges: schemaChanges)
  }
}
