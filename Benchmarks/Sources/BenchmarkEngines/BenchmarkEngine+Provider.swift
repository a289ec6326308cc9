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
      name: name, summary: summary, version: version, isQuarry: true,
      durability: manifest.durability == .powerLoss ? .powerLoss : .none, isPersistent: manifest.durability != .none,
      peer: peer, unsupported: manifest.sharing == .manyProcesses ? [] : ["delivery-other"],
      openRelated: { path in try RelatedQuarryStore(try place(path)) },
      openObserved: { path in try ObservedQuarryStore(try place(path)) }
    ) { path in try QuarryStore(try place(path)) }
  }
}
