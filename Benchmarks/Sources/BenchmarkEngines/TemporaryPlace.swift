import Foundation

/// A folder that is there while the value is.
final class TemporaryPlace {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "quarry-bench-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
