public import QuarryBackend
public import QuarryConformance
import QuarryFlatFile
import QuarryKeyValue

/// Stores in files of a temporary folder each.
public struct FlatFileHarness: ConformanceHarness {
  public let name = "flat-file"
  public let isPersistent = true
  public let manifest = BackendManifest.keyValue(
    KeyValueEngineProperties(
      name: "flat-file", version: "1", maximumPathBytes: 4079, durability: .powerLoss, sharing: .oneProcess,
      countsRanges: true,
      opensWithDurability: true, compacts: true, backsUp: true, encrypts: true))
  private let folder: TemporaryFolder

  public init(_ folder: TemporaryFolder = TemporaryFolder()) {
    self.folder = folder
  }

  public var secondProcess: ConformanceProcess? {
    ConformanceProcess(
      EngineHarnesses.program, arguments: [name], address: { ($0 as? FlatFileConfiguration)?.path },
      place: { FlatFileConfiguration(path: $0) })
  }

  public var goldenStores: [GoldenStore] {
    GoldenFiles.stores(.flatFile, .sealedFlatFile) { ($0 as? FlatFileConfiguration)?.path }
  }

  public func afterLostPower(_ durability: BackendManifest.Durability) -> LostPowerPromise {
    // Batches are read until one is not whole; what is closed was synced, unless it was opened for nothing.
    LostPowerPromise(isCommittedState: true, keepsWhatWasClosed: durability != .none)
  }

  public func makePlace() throws -> any BackendProvider {
    FlatFileConfiguration(path: try folder.make() + "/store.quarry")
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

  public func folder(of place: any BackendProvider) -> String? {
    (place as? FlatFileConfiguration).map { TemporaryFolder.folder(of: $0.path) }
  }

  public func remove(_ place: any BackendProvider) {
    if let place = place as? FlatFileConfiguration { folder.remove(folderOf: place.path) }
  }

  public func files(at place: any BackendProvider) -> [String] {
    (place as? FlatFileConfiguration).map { folder.files(beside: $0.path) } ?? []
  }
}
