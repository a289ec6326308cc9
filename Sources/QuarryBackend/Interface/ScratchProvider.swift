import Foundation

/// A provider that has room for a copy of its store: for rehearsals of a migration.
public protocol ScratchProvider: BackendProvider {
  /// Calls the body with a provider of the same engine for an empty place.
  ///
  /// The place is in memory, or next to the store on the same disk. Everything that the body creates there is removed when it
  /// ends.
  ///
  /// A process that is killed in the middle leaves the place. The next call, and the next opening of the store for writing, find
  /// that it is not in use and remove it.
  ///
  /// - Parameter body: Is called once with the provider of the empty place.
  /// - Throws: The errors of the body; `io`, `full`, `readOnly` where no place can be created.
  func withScratch<R>(_ body: (any BackendProvider) throws -> R) throws -> R
}

/// A provider that gives a store of a scratch place its own place, whole and in one step.
///
/// It is for engines whose stores are not files for backups to write.
public protocol SeedingProvider: ScratchProvider {
  /// Moves the store of a scratch place to the place of this provider.
  ///
  /// - Parameter scratch: A provider that ``ScratchProvider/withScratch(_:)`` has given, whose stores are closed.
  /// - Returns: False where something is at the place, or the engine cannot move the store: nothing has changed then.
  /// - Throws: `io`, `unavailable`.
  func take(_ scratch: any BackendProvider) throws(StorageError) -> Bool
}

extension BackendProvider {
  /// The provider as one that has room for a copy of its store.
  ///
  /// - Throws: `unsupported` when it is none.
  package func requireScratch() throws(StorageError) -> any ScratchProvider {
    if let provider = self as? any ScratchProvider { return provider }
    throw StorageError(.unsupported, "the engine cannot choose a place for a copy of the store: pass one")
  }
}

extension ScratchProvider {
  /// A name that is unique among scratch places.
  package static var scratchName: String { UUID().uuidString }
}
