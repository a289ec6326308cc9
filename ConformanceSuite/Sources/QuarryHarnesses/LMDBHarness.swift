import Foundation
public import QuarryBackend
public import QuarryConformance
import QuarryKeyValue
import QuarryLMDB

/// Stores in directories of a temporary folder each.
public struct LMDBHarness: ConformanceHarness {
  public let name = "lmdb"
  public let isPersistent = true
  public let manifest = BackendManifest.keyValue(
    KeyValueEngineProperties(
      name: "lmdb", version: LMDBConfiguration.engineVersion, maximumValueBytes: LMDBConfiguration.maximumValueBytes,
      maximumSnapshots: LMDBConfiguration(path: "").readers, durability: .powerLoss, sharing: .manyProcesses,
      countsRanges: false, opensWithDurability: true, compacts: true, backsUp: true,
      encrypts: true))
  private let folder: TemporaryFolder

  public init(_ folder: TemporaryFolder = TemporaryFolder()) {
    self.folder = folder
  }

  public var secondProcess: ConformanceProcess? {
    ConformanceProcess(
      EngineHarnesses.program, arguments: [name], address: { ($0 as? LMDBConfiguration)?.path },
      place: { LMDBConfiguration(path: $0) })
  }

  public var goldenStores: [GoldenStore] {
    GoldenFiles.stores(.lmdb, .sealedLMDB) { place in
      guard let path = (place as? LMDBConfiguration)?.path else { return nil }
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      return path + "/data.mdb"
    }
  }

  public func makePlace() throws -> any BackendProvider {
    LMDBConfiguration(path: try folder.make() + "/store.lmdb")
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
