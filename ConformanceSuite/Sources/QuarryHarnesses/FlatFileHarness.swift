public import QuarryBackend
public import QuarryConformance
import QuarryFlatFile
import QuarryKeyValue

/// Stores in files of a temporary folder each.
public struct FlatFileHarness: StoreFolderHarness {
  public let engine = EngineDescription.flatFile
  public let manifest = BackendManifest.keyValue(
    KeyValueEngineProperties(
      name: "flat-file", version: "1", maximumPathBytes: 4079, durability: .powerLoss, sharing: .oneProcess,
      countsRanges: true,
      opensWithDurability: true, compacts: true, backsUp: true, encrypts: true))
  public let folder: TemporaryFolder

  public init(_ folder: TemporaryFolder = TemporaryFolder()) {
    self.folder = folder
  }

  public var goldenStores: [GoldenStore] {
    GoldenFiles.stores(.flatFile, .sealedFlatFile) { ($0 as? FlatFileConfiguration)?.path }
  }

  public func afterLostPower(_ durability: BackendManifest.Durability) -> LostPowerPromise {
    // Batches are read until one is not whole; what is closed was synced, unless it was opened for nothing.
    LostPowerPromise(isCommittedState: true, keepsWhatWasClosed: durability != .none)
  }

  public func makePlacesWithAnyOptions() throws -> [(name: String, place: any BackendProvider)] {
    try AnyOptions.places(
      [
        (
          "garbageBytes",
          { (place: inout FlatFileConfiguration, number) in
            place.compaction = .automatic(garbageBytes: number)
          }
        )
      ], makePlace)
  }
}
