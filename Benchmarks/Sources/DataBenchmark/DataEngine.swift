import BenchmarkEngines
public import BenchmarkHarness
import QuarryBackend
import QuarryEngines

/// One of Quarry's engines, for stores of a model that is known only at run time.
public struct DataEngine: Sendable {
  /// Its name, version and durability.
  public let engine: BenchmarkEngine
  /// Whether all rows are in memory while a store is open.
  let keepsAllInMemory: Bool
  private let isReadByOthers: Bool
  private let opening: @Sendable (_ folder: String) throws -> any Backend

  /// Every engine. A new one needs its name in the list of `BenchmarkEngines`.
  public static let all: [DataEngine] = EngineDescription.all.compactMap { about in
    EngineList.all.first { $0.name == about.name }.map { DataEngine(engine: $0, about: about) }
  }

  private init(engine: BenchmarkEngine, about: EngineDescription) {
    self.engine = engine
    keepsAllInMemory = about.keepsAllInMemory
    isReadByOthers = about.isReadByOthers
    opening = { folder in
      let path = about.path == .optionalName ? "" : StoreURL.escaped(folder + "/store")
      return try StoreURL(parsing: "\(about.scheme):\(path)").open(OpenOptions())
    }
  }

  /// This engine with other stores, which have something wrong: for tests.
  func with(_ change: @escaping @Sendable (any Backend) -> any Backend) -> DataEngine {
    DataEngine(self) { [opening] in change(try opening($0)) }
  }

  private init(_ other: DataEngine, _ opening: @escaping @Sendable (_ folder: String) throws -> any Backend) {
    engine = other.engine
    keepsAllInMemory = other.keepsAllInMemory
    isReadByOthers = other.isReadByOthers
    self.opening = opening
  }

  public var name: String { engine.name }

  /// What it is, beside its figures.
  func trait(_ manifest: BackendManifest) -> DataSection.Trait {
    DataSection.Trait(
      engine: name, keepsAllInMemory: keepsAllInMemory, isShared: manifest.sharing == .manyProcesses,
      isReadByOthers: isReadByOthers)
  }

  /// Opens the store in a folder, with the durability that the engine has by itself, and makes it when it is not there.
  func open(in folder: String) throws -> any Backend { try opening(folder) }
}
