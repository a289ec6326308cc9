import Foundation
public import QuarryBackend
public import QuarryConformance
import QuarryKeyValue
import QuarryLMDB

/// Stores in directories of a temporary folder each.
public struct LMDBHarness: StoreFolderHarness {
  public let engine = EngineDescription.lmdb
  public let variant: EngineDescription.Variant?
  public let folder: TemporaryFolder

  /// - Parameter variant: How the stores are kept; nil for LMDB's own trees.
  public init(_ folder: TemporaryFolder = TemporaryFolder(), _ variant: EngineDescription.Variant? = nil) {
    self.folder = folder
    self.variant = variant
  }

  public var manifest: BackendManifest {
    .keyValue(
      KeyValueEngineProperties(
        name: "lmdb", version: LMDBConfiguration.engineVersion, maximumValueBytes: LMDBConfiguration.maximumValueBytes,
        maximumSnapshots: LMDBConfiguration(path: "").readers, maximumPathBytes: 4068, durability: .powerLoss,
        sharing: .manyProcesses,
        countsRanges: variant != nil, opensWithDurability: true, compacts: true, backsUp: true,
        encrypts: true))
  }

  public var goldenStores: [GoldenStore] {
    GoldenFiles.stores(.lmdb, .sealedLMDB) { place in
      guard let path = (place as? LMDBConfiguration)?.path else { return nil }
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      return path + "/data.mdb"
    }
  }

  public func afterLostPower(_ durability: BackendManifest.Durability) -> LostPowerPromise {
    // Pages come to the disk in any order.
    LostPowerPromise(keepsWhatWasClosed: durability != .none)
  }

  public func makePlacesWithAnyOptions() throws -> [(name: String, place: any BackendProvider)] {
    try AnyOptions.places(
      [
        ("mapBytes", { (place: inout LMDBConfiguration, number) in place.mapBytes = number }),
        ("readers", { (place: inout LMDBConfiguration, number) in place.readers = number }),
      ], makePlace)
  }

  /// The data alone: readers, too, write themselves into the table of the lock file.
  public func files(at place: any BackendProvider) -> [String] {
    guard let place = place as? LMDBConfiguration else { return [] }
    return [place.path + "/data.mdb"].filter { FileManager.default.fileExists(atPath: $0) }
  }
}
