public import QuarryBackend
import QuarrySQLite

/// An engine that keeps stores in files, by the name that the exerciser's arguments and the tests use.
public enum FileEngine: String, CaseIterable, Sendable {
  case sqlite

  /// A store of the engine in a folder. Files are put in order as often as the engine can be asked to, so that little
  /// is needed to meet it.
  public func provider(in folder: String) -> any BackendProvider {
    switch self {
    case .sqlite: SQLiteConfiguration(path: path(in: folder))
    }
  }

  /// The store's main file, or its folder where an engine wants one.
  public func path(in folder: String) -> String {
    switch self {
    case .sqlite: folder + "/store.db"
    }
  }
}
