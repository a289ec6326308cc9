public import BenchmarkHarness
public import QuarryBackend

extension BenchmarkEngine {
  /// An engine by the provider of its backend: what all workloads need, those of relations and of observation too.
  ///
  /// - Parameters:
  ///   - name: The name in flags and reports.
  ///   - summary: What it is, in a few words.
  ///   - version: The version of the library underneath.
  ///   - peer: The name of the engine that it is compared with; nil for none.
  ///   - place: The place of a store in a folder that is there.
  public init(
    quarry name: String, summary: String, version: String, peer: String? = nil,
    place: @escaping @Sendable (_ folder: String) throws -> any BackendProvider
  ) throws {
    // What the engine says of itself decides which workloads mean something.
    let folder = try TemporaryPlace()
    let backend = try place(folder.path).open(OpenOptions())
    let manifest = backend.manifest
    try backend.destroy()
    self.init(
      quarry: name, summary: summary, version: version, durability: manifest.durability, peer: peer,
      unsupported: manifest.sharing == .manyProcesses ? [] : ["delivery-other"], place: place)
  }

  /// An engine whose properties are known without a store.
  ///
  /// - Parameters:
  ///   - durability: What the engine's manifest says.
  ///   - elsewhere: Where its stores are, if they are not in the folders.
  ///   - place: The place of a store in a folder that is there.
  package init(
    quarry name: String, summary: String, version: String, durability: BackendManifest.Durability, peer: String?,
    unsupported: Set<String>, elsewhere: StoresElsewhere? = nil, obstacle: String? = nil,
    place: @escaping @Sendable (_ folder: String) throws -> any BackendProvider
  ) {
    let level: BenchmarkEngine.Durability =
      switch durability {
      case .none: .none
      case .processCrash: .processCrash
      case .powerLoss: .powerLoss
      }
    self.init(
      name: name, summary: summary, version: version, isQuarry: true, durability: level,
      isPersistent: durability != .none, peer: peer, obstacle: obstacle, unsupported: unsupported,
      elsewhere: elsewhere,
      openRelated: { path in try RelatedQuarryStore(try place(path)) },
      openObserved: { path in try ObservedQuarryStore(try place(path)) }
    ) { path in try QuarryStore(try place(path)) }
  }
}
