import Foundation
public import QuarryBackend
public import QuarryConformance
import QuarryKeyValue
import QuarryLMDB

/// Stores in directories of a temporary folder each.
public struct LMDBHarness: ConformanceHarness {
  /// The name of stores with checksums.
  static let nameWithChecksums = "lmdb-checksums"

  public var name: String { checksums ? Self.nameWithChecksums : "lmdb" }
  public let isPersistent = true
  private let folder: TemporaryFolder
  private let checksums: Bool

  /// - Parameter checksums: Whether the stores have their trees in pages with checksums.
  public init(_ folder: TemporaryFolder = TemporaryFolder(), checksums: Bool = false) {
    self.folder = folder
    self.checksums = checksums
  }

  public var manifest: BackendManifest {
    .keyValue(
      KeyValueEngineProperties(
        name: "lmdb", version: LMDBConfiguration.engineVersion, maximumValueBytes: LMDBConfiguration.maximumValueBytes,
        maximumSnapshots: LMDBConfiguration(path: "").readers, maximumPathBytes: 4068, durability: .powerLoss,
        sharing: .manyProcesses,
        countsRanges: checksums, opensWithDurability: true, compacts: true, backsUp: true,
        encrypts: true))
  }

  public var secondProcess: ConformanceProcess? {
    ConformanceProcess(
      EngineHarnesses.program, arguments: [name], address: { ($0 as? LMDBConfiguration)?.path },
      place: { [checksums] in LMDBConfiguration(path: $0, checksums: checksums) })
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

  public func makePlace() throws -> any BackendProvider {
    LMDBConfiguration(path: try folder.make() + "/store.lmdb", checksums: checksums)
  }

  public func makePlacesWithAnyOptions() throws -> [(name: String, place: any BackendProvider)] {
    try AnyOptions.places(
      [
        ("mapBytes", { (place: inout LMDBConfiguration, number) in place.mapBytes = number }),
        ("readers", { (place: inout LMDBConfiguration, number) in place.readers = number }),
      ], makePlace)
  }

  public func folder(of place: any BackendProvider) -> String? {
    (place as? LMDBConfiguration).map { TemporaryFolder.folder(of: $0.path) }
  }

  public func remove(_ place: any BackendProvider) {
    if let place = place as? LMDBConfiguration { folder.remove(folderOf: place.path) }
  }

  /// The data alone: readers, too, write themselves into the table of the lock file.
  public func files(at place: any BackendProvider) -> [String] {
    guard let place = place as? LMDBConfiguration else { return [] }
    return [place.path + "/data.mdb"].filter { FileManager.default.fileExists(atPath: $0) }
  }
}
