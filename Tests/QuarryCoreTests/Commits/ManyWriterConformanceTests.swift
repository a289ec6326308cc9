import QuarryBackend
import QuarryConformance
import QuarryConformanceTesting
import QuarryKeyValue
import QuarryManyWriters
import Testing

private let quiet = StorageConformance(ManyWriterHarness(.none), .aboutTransactions)
private let random = StorageConformance(ManyWriterHarness(.random(0.01)), .aboutTransactions)

/// The cases about transactions on an engine with many writers: without conflicts but those that transactions have, and with
/// others at random.
@Suite struct ManyWriterConformanceTests {
  @Test(arguments: quiet.runs) func conforms(_ run: ConformanceRun) async { await quiet.check(run) }
  @Test(arguments: random.runs) func conformsWithConflicts(_ run: ConformanceRun) async { await random.check(run) }
}

extension ConformanceSelection {
  fileprivate static var aboutTransactions: ConformanceSelection {
    var selection = ConformanceSelection.forTests
    selection.areas = ["CRUD", "UPS", "STMT", "TXN", "ISO", "SNAP", "CON", "REL", "OBS", "MIG"]
    return selection
  }
}

/// Stores of their own, which are gone when they are closed.
private struct ManyWriterHarness: ConformanceHarness {
  let name = "many"
  let isPersistent = false
  private let conflicts: ConflictPlan

  init(_ conflicts: ConflictPlan) {
    self.conflicts = conflicts
  }

  var manifest: BackendManifest {
    var manifest = BackendManifest.keyValue(
      KeyValueEngineProperties(
        name: "many", version: "1", durability: .none, sharing: .oneProcess, countsRanges: true))
    manifest.writers = .many
    return manifest
  }

  func makePlace() throws -> any BackendProvider { FreshPlace(conflicts: conflicts) }
  func remove(_ place: any BackendProvider) {}
}

private struct FreshPlace: ScratchProvider {
  let conflicts: ConflictPlan

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    try ManyWriterProvider(conflicts: conflicts).open(options)
  }

  func withScratch<R>(_ body: (any BackendProvider) throws -> R) throws -> R { try body(self) }
}
