public import QuarryBackend
import QuarryFlatFile
import QuarrySQLite

/// An engine that keeps stores in files, by the name that the exerciser's arguments and the tests use.
public enum FileEngine: String, CaseIterable, Sendable {
  case sqlite
  case flatFile = "file"

  /// A store of the engine in a folder. What an engine does now and then it does often, so that tests meet it.
  public func provider(in folder: String) -> any BackendProvider {
    switch self {
    case .sqlite: SQLiteConfiguration(path: path(in: folder))
    case .flatFile: FlatFileConfiguration(path: path(in: folder), compaction: .automatic(garbageBytes: 32 << 10))
    }
  }

  /// The store's main file, or its folder where an engine wants one.
  public func path(in folder: String) -> String {
    switch self {
    case .sqlite: folder + "/store.db"
    case .flatFile: folder + "/store.quarry"
    }
  }
}
