import Foundation
import QuarryBackend
import QuarryConformance
import QuarryMemory
import Synchronization

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

  var name: String { engine.rawValue }
  var isPersistent: Bool { true }

  func makePlace() throws -> any BackendProvider {
    let folder = Scratch.base.appending(path: "quarry-\(UUID().uuidString)")
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
      return try engine.provider(in: folder).open(options)
    }
  }
}

struct MemoryHarness: ConformanceHarness {
  var name: String { "memory" }
  var isPersistent: Bool { false }

  func makePlace() throws -> any BackendProvider { MemoryConfiguration.memory }
  func remove(_ place: any BackendProvider) {}
}

/// Stores in memory under names, each with a backend that is held open, so that the store outlives being closed.
struct NamedMemoryHarness: ConformanceHarness {
  var name: String { "memory under a name" }
  var isPersistent: Bool { true }

  func makePlace() throws -> any BackendProvider { HeldPlace() }
  func remove(_ place: any BackendProvider) { (place as? HeldPlace)?.letGo() }

  private final class HeldPlace: BackendProvider {
    private let configuration = MemoryConfiguration(name: UUID().uuidString)
    private let held = Mutex<(any Backend)?>(nil)

    func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
      let backend = try configuration.open(options)
      guard held.withLock({ $0 == nil }) else { return backend }
      let other = try configuration.open(OpenOptions())
      held.withLock { $0 = other }
      return backend
    }

    func letGo() {
      try? held.withLock { $0 }?.close()
    }
  }
}
