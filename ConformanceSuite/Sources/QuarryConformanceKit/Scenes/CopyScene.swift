import Foundation
package import QuarryBackend
package import QuarryCore

/// Copies of stores, and the places for them.
package enum CopyScene {
  /// Hands the body a path in a new folder, where there is nothing.
  package static func inFolder<R>(_ body: (String) throws -> R) throws -> R {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-backup-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.appending(path: "copy").path)
  }

  /// A place where there is nothing, and its path; nil for a harness whose places have none.
  package static func target(_ kit: ConformanceContext) throws -> (place: any BackendProvider, path: String)? {
    let place = try kit.makePlace()
    guard let path = kit.harness.secondProcess?.address(kit.undecorated(place)) else { return nil }
    return (place, path)
  }

  /// Backs the store up and opens the copy.
  package static func copy(
    _ store: Store, _ kit: ConformanceContext, _ models: [any Model.Type] = [Item.self],
    by backup: (Store, String) throws -> Void = { try $0.backup(to: $1) }
  ) throws -> Store? {
    guard let (place, path) = try target(kit) else { return nil }
    try backup(store, path)
    var options = OpenOptions()
    options.createsIfMissing = false
    return try kit.open(models, at: place, options: options)
  }
}
