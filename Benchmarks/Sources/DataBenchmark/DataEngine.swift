import BenchmarkEngines
public import BenchmarkHarness
import QuarryBackend
import QuarryEngines

/// One of Quarry's engines, for stores of a model that is known only at run time.
public struct DataEngine: Sendable {
  /// Its name, version and durability.
  public let engine: BenchmarkEngine
  private let about: EngineDescription

  /// Every engine. A new one needs its name in the list of `BenchmarkEngines`.
  public static let all: [DataEngine] = EngineDescription.all.compactMap { about in
    EngineList.all.first { $0.name == about.name }.map { DataEngine(engine: $0, about: about) }
  }

  public var name: String { engine.name }

  /// Whether all rows are in memory while a store is open.
  var keepsAllInMemory: Bool { about.keepsAllInMemory }

  /// What it is, beside its figures.
  func trait(_ manifest: BackendManifest) -> DataSection.Trait {
    DataSection.Trait(
      engine: name, keepsAllInMemory: keepsAllInMemory, isShared: manifest.sharing == .manyProcesses,
      isReadByOthers: about.isReadByOthers)
  }

  /// Opens the store in a folder, with the durability that the engine has by itself, and makes it when it is not there.
  func open(in folder: String) throws -> any Backend {
    let path = about.path == .optionalName ? "" : StoreURL.escaped(folder + "/store")
    return try StoreURL(parsing: "\(about.scheme):\(path)").open(OpenOptions())
  }
}
