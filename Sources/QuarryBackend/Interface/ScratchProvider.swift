import Foundation

/// A provider that can name a place for a copy of its store: for rehearsals of a migration.
public protocol ScratchProvider: BackendProvider {
  /// A provider of the same engine for a place at which there is nothing: in memory, or beside the store on the same disk.
  /// Whoever opens it destroys what is made there.
  func scratch() -> any BackendProvider
}

extension ScratchProvider {
  /// The path of a scratch beside the store at a path.
  package static func scratchPath(beside path: String) -> String { path + ".scratch-\(UUID().uuidString)" }
}
