import QuarryBackend
import QuarryEngines

typealias Engine = EngineDescription

/// The engines that keep stores in files.
extension EngineDescription {
  static let allCases = all.filter { $0.fileSuffix != nil }

  /// A store of the engine in a folder. What an engine does now and then it does often, so that tests meet it.
  func provider(in folder: String) throws(StorageError) -> any BackendProvider {
    try provider(at: path(in: folder), options: self == .flatFile ? "compaction=32KB" : nil)
  }
}
