package import QuarryBackend
import QuarryKeyValue

/// Stores in memory with many writers, behind a simulated server, for tests of what Quarry does above such an engine.
///
/// All stores that one provider opens have the same content, which lasts as long as the provider.
package struct ManyWriterProvider: BackendProvider {
  /// Counts the round trips of all stores of the provider.
  package let meter: TripMeter
  private let store: ManyWriterStore
  private let conflicts: ConflictSource

  /// - Parameters:
  ///   - roundTrip: The seconds that each call takes.
  ///   - conflicts: The calls that are answered by a conflict without a cause.
  ///   - step: By how much a commit raises the version.
  ///   - seed: From which what is random follows.
  package init(
    roundTrip: Double = 0, conflicts: ConflictPlan = .none, step: ClosedRange<UInt64> = 1...3, seed: UInt64 = 1
  ) {
    meter = TripMeter(seconds: roundTrip)
    store = ManyWriterStore(step: step, seed: seed)
    self.conflicts = ConflictSource(conflicts, seed: seed)
  }

  /// What the stores offer.
  package static var manifest: BackendManifest {
    var manifest = BackendManifest.keyValue(ManyWriterEngine.properties(isReadOnly: false))
    manifest.writers = .many
    return manifest
  }

  package func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    let engine = try ManyWriterEngine(
      store, isReadOnly: options.isReadOnly, createsIfMissing: options.createsIfMissing)
    let backend = try KeyValueBackend(engine, options: options)
    return SimulatedServer(backend, store, meter, conflicts)
  }
}
