import Foundation
import QuarryBackend
import QuarryConformance
import QuarryCore
import QuarryHarnesses
import QuarryMemory
import QuarrySQLite
import Testing

/// The engines that keep stores in files.
enum Engine: String, CaseIterable, CustomTestStringConvertible {
  case sqlite

  /// A store of the engine in a folder.
  func provider(in folder: URL) -> any BackendProvider {
    switch self {
    case .sqlite: SQLiteConfiguration(path: path(in: folder))
    }
  }

  var manifest: BackendManifest {
    switch self {
    case .sqlite: SQLiteHarness().manifest
    }
  }

  func path(in folder: URL) -> String {
    switch self {
    case .sqlite: folder.appending(path: "store.db").path
    }
  }

  /// Bytes of all files in the folder.
  static func bytes(in folder: URL) throws -> Int {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).reduce(0) { sum, file in
      sum + (try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0)
    }
  }

  var testDescription: String { rawValue }
}
