import Foundation
import QuarryBackend
public import QuarryCore

/// The sync of one store: its status, what is held, and digests.
public struct StoreSync: Sendable {
  /// The store.
  public let store: Store
  let keeper: SyncKeeper

  init(_ store: Store, _ keeper: SyncKeeper) {
    self.store = store
    self.keeper = keeper
  }

  func reading<R>(_ body: (StoredWork) throws -> R) throws -> R {
    try store.read { tx in try body(try keeper.work(in: tx.engineReader)) }
  }

  /// Changes the records. What becomes visible is written, and not recorded as the store's own.
  func changing<R>(_ body: (StoredWork) throws -> R) throws -> R {
    // The mark would hide what the outer write has changed.
    try store.requireNoTransaction()
    return try store.write { tx in
      tx.isMerge = true
      return try body(try keeper.workToChange(in: tx.engineWriter))
    }
  }
}
