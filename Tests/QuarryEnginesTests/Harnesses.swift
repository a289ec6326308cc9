import Foundation
import QuarryBackend
import QuarryConformance
import QuarryHarnesses
import QuarryTestSupport

/// Every engine, where its stores are quickest: syncing changes no answer, and random runs make thousands of commits.
enum Harnesses {
  static let all: [any ConformanceHarness] =
    [MemoryHarness(), NamedMemoryHarness()] + Engine.allCases.map { FileHarness(engine: $0, isSynced: false) }
}

/// Stores of an engine in a temporary folder each.
struct FileHarness: ConformanceHarness {
  var engine: Engine
  /// Whether commits are synced, as they are unless a program says otherwise.
  var isSynced = true

  var name: String { engine.name }
  var isPersistent: Bool { true }
  var manifest: BackendManifest {
    var manifest = EngineHarnesses.harness(engine.name, in: TemporaryFolder())?.manifest ?? engine.manifest
    if !isSynced { manifest.durability = .none }
    return manifest
  }

  func makePlace() throws -> any BackendProvider {
    let folder = ScratchFolder.memory.appending(path: "quarry-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return Place(engine: engine, isSynced: isSynced, folder: folder)
  }

  func remove(_ place: any BackendProvider) {
    guard let place = place as? Place else { return }
    try? FileManager.default.removeItem(at: place.folder)
  }

  private struct Place: BackendProvider {
    var engine: Engine
    var isSynced: Bool
    var folder: URL

    func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
      var options = options
      if !isSynced, options.durability == nil { options.durability = BackendManifest.Durability.none }
      return try engine.provider(in: folder.path).open(options)
    }
  }
}
