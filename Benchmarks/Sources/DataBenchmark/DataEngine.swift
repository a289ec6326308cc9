import BenchmarkEngines
public import BenchmarkHarness
import QuarryBackend
import QuarryEngines

/// One of Quarry's engines, for stores of a model that is known only at run time.
public struct DataEngine: Sendable {
  /// Its name, version and durability.
  public let engine: BenchmarkEngine
  private let kind: StoreURL.Engine

  /// Every engine. A new one needs its name in the list of `BenchmarkEngines`.
  public static let all: [DataEngine] = StoreURL.Engine.allCases.compactMap { kind in
    EngineList.all.first { $0.name == name(of: kind) }.map { DataEngine(engine: $0, kind: kind) }
  }

  private static func name(of kind: StoreURL.Engine) -> String {
    switch kind {
    case .memory: "memory"
    case .file: "flat-file"
    case .sqlite: "sqlite"
    case .lmdb: "lmdb"
    }
  }

  public var name: String { engine.name }

  /// Whether all rows are in memory while a store is open.
  var keepsAllInMemory: Bool {
    switch kind {
    case .memory, .file: true
    case .sqlite, .lmdb: false
    }
  }

  /// What it is, beside its figures.
  func trait(_ manifest: BackendManifest) -> DataSection.Trait {
    DataSection.Trait(
      engine: name, keepsAllInMemory: keepsAllInMemory, isShared: manifest.sharing == .manyProcesses,
      isReadByOthers: kind == .sqlite)
  }

  /// Opens the store in a folder, with the durability that the engine has by itself, and makes it when it is not there.
  func open(in folder: String) throws -> any Backend {
    let path = kind == .memory ? "" : StoreURL.escaped(folder + "/store")
    return try StoreURL(parsing: "\(kind.rawValue):\(path)").open(OpenOptions())
  }
}
