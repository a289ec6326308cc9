import QuarryBackend
import QuarrySystem
import Synchronization

/// The stores of the process by the mapped file.
///
/// LMDB breaks when one file is opened twice in a process, by whatever path, so a second opening gets the environments that are
/// open.
final class LMDBRegistry: Sendable {
  static let shared = LMDBRegistry()

  private let stores = Mutex<[FileIdentity: LMDBEnvironmentHistory]>([:])

  /// The store for one more user.
  ///
  /// Held while an environment is opened: no other descriptor of the same file is open then.
  ///
  /// - Throws: `inUse` when it is open for reading only and is to be written to.
  func open(_ file: LMDBFile, _ options: LMDBEnvironment.Options) throws(StorageError) -> LMDBEnvironmentHistory {
    let result: Result<LMDBEnvironmentHistory, StorageError> = stores.withLock { stores in
      do throws(StorageError) {
        if let identity = try file.identity(), let open = stores[identity],
          open.generation == LMDBProcess.generation
        {
          try open.addUser(options)
          return .success(open)
        }
        let made = try LMDBEnvironment.open(file, options)
        let store = LMDBEnvironmentHistory(made)
        stores[made.identity] = store
        return .success(store)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Puts another environment into the place of a store's, after the files have changed their names.
  ///
  /// - Parameter exchange: Replaces the file. Nothing is opened in this process meanwhile.
  func replace(
    _ store: LMDBEnvironmentHistory, with environment: LMDBEnvironment, _ exchange: () throws(StorageError) -> Void
  ) throws(StorageError) {
    try stores.withLock { stores throws(StorageError) in
      try exchange()
      let old = store.current
      if stores[old.identity] === store { stores[old.identity] = nil }
      stores[environment.identity] = store
      store.replace(with: environment)
    }
  }

  /// Waits until no store of this process is being given another file, opened or closed.
  func waitForExchange() {
    stores.withLock { _ in }
  }

  /// Runs the body while no store of this process is opened or closed, if the store has one user.
  ///
  /// - Throws: `inUse`, and what the body throws.
  func withOnlyUser(of store: LMDBEnvironmentHistory, _ body: () throws(StorageError) -> Void) throws(StorageError) {
    try stores.withLock { _ throws(StorageError) in
      if store.users > 1 { throw .openTwice(store) }
      try body()
    }
  }

  /// Does something while this process neither has a file open nor opens one.
  ///
  /// - Throws: `inUse` when it has it open, and what the body throws.
  func withClosed(
    _ identity: FileIdentity, _ file: LMDBFile, _ body: () throws(StorageError) -> Void
  ) throws(StorageError) {
    try stores.withLock { stores throws(StorageError) in
      if let store = stores[identity], store.generation == LMDBProcess.generation {
        throw .inUse(by: store.processID, "\(file.path) is open in this process")
      }
      try body()
    }
  }

  /// Closes an environment that has no user and no transaction any more.
  func closeIfUnused(_ environment: LMDBEnvironment) {
    stores.withLock { stores in
      guard environment.closeIfUnused() else { return }
      if let store = stores[environment.identity], store.isCurrent(environment) { stores[environment.identity] = nil }
    }
  }
}

extension StorageError {
  static func openTwice(_ store: LMDBEnvironmentHistory) -> StorageError {
    .inUse(by: store.processID, "\(store.file.path) is open more than once in this process")
  }

  static func open(_ store: LMDBEnvironmentHistory, in process: Int32) -> StorageError {
    // A process that this one cannot see has no number here.
    let name = process > 0 ? "process \(process)" : "another process"
    return .inUse(by: process > 0 ? process : nil, "\(name) has \(store.file.path) open")
  }
}
