import QuarryBackend
import QuarryConformanceKit
import QuarryCore

extension ConformanceContext {
  /// Opens a store for a migration while a frozen store of the state before it is open.
  ///
  /// On an engine whose changes of the schema wait for snapshots, the first try has to be `busy` and to change nothing. The frozen
  /// store is closed then, and the second try has to succeed.
  ///
  /// - Parameters:
  ///   - frozen: The frozen store of the state before.
  ///   - store: An open store of the schema before.
  ///   - open: Opens the store and migrates it.
  ///   - expectOld: Throws unless the transaction sees the state before the migration.
  func migrate(
    beside frozen: FrozenStore, of store: Store, _ open: (OpenOptions) throws -> Store,
    seeing expectOld: (ReadTransaction) throws -> Void
  ) throws -> Store {
    switch manifest.schemaChanges {
    case .besideSnapshots:
      let migrated = try open(OpenOptions())
      try frozen.read { try expectOld($0) }
      return migrated
    case .afterSnapshots:
      var options = OpenOptions()
      options.busyTimeout = 0.3
      try expectError(.busy) { try open(options) }
      try frozen.read { try expectOld($0) }
      try store.read { try expectOld($0) }
      frozen.close()
      return try open(OpenOptions())
    }
  }
}
