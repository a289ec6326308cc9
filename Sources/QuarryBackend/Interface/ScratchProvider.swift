import Foundation

/// A provider that has room for a copy of its store: for rehearsals of a migration.
public protocol ScratchProvider: BackendProvider {
  /// Calls the body with a provider of the same engine for a place at which there is nothing: in memory, or beside the store
  /// on the same disk. What the body makes there goes when it ends.
  ///
  /// A process that is killed in the middle leaves the place. It is removed by the next call, and by the next opening of the
  /// store for writing, which find that nobody uses it.
  ///
  /// - Throws: What the body throws; `io`, `full`, `readOnly` where no place can be made.
  func withScratch<R>(_ body: (any BackendProvider) throws -> R) throws -> R
}

extension BackendProvider {
  /// The provider as one that has room for a copy of its store.
  ///
  /// - Throws: `unsupported` when it is none.
  package func requireScratch() throws(StorageError) -> any ScratchProvider {
    if let provider = self as? any ScratchProvider { return provider }
    throw StorageError(.unsupported, "the engine names no place for a copy of the store: say where it shall be")
  }
}

extension ScratchProvider {
  /// What tells a scratch from all others.
  package static var scratchName: String { UUID().uuidString }
}
