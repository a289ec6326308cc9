import QuarryBackend
import QuarryFlatFile
import QuarryLMDB
import QuarrySQLite
import Testing

/// The engines that keep stores in files, by the scheme of their URLs.
enum Engine: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case sqlite
  case flatFile = "file"
  case lmdb

  /// A store of the engine in a folder. What an engine does now and then it does often, so that tests meet it.
  func provider(in folder: String) -> any BackendProvider {
    switch self {
    case .sqlite: SQLiteConfiguration(path: path(in: folder))
    case .flatFile: FlatFileConfiguration(path: path(in: folder), compaction: .automatic(garbageBytes: 32 << 10))
    case .lmdb: LMDBConfiguration(path: path(in: folder))
    }
  }

  /// The store's main file, or its folder where an engine wants one.
  func path(in folder: String) -> String {
    switch self {
    case .sqlite: folder + "/store.db"
    case .flatFile: folder + "/store.quarry"
    case .lmdb: folder + "/store.lmdb"
    }
  }

  var testDescription: String { rawValue }
}
