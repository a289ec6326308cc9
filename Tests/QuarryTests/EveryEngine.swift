import Foundation
import Quarry
import QuarryEngines

/// Stores of each engine for a test, in a folder that is removed after it.
enum EveryEngine {
  static let schemes = ["memory", "file", "sqlite", "lmdb"]

  /// - Parameter options: Options of the URL, `?name=value`.
  static func withStore(
    _ scheme: String, _ models: [any Model.Type], options: String = "", _ body: (Store) throws -> Void
  ) throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = try StoreURL(parsing: url(scheme, folder) + options)
    let store = try Store(models: models, in: place.provider, options: place.options())
    try body(store)
    try store.close()
  }

  static func withStore(
    _ scheme: String, _ models: [any Model.Type], isolation: isolated (any Actor)? = #isolation,
    _ body: (Store) async throws -> Void
  ) async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = try StoreURL(parsing: url(scheme, folder))
    let store = try Store(models: models, in: place.provider, options: place.options())
    try await body(store)
    try store.close()
  }

  private static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "engines-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  private static func url(_ scheme: String, _ folder: URL) -> String {
    scheme == "memory" ? "memory:" : "\(scheme):\(folder.path)/store"
  }
}
