import QuarryBackend
import QuarrySystem
import Synchronization

/// The environments of the process by the file that they map: LMDB breaks when one file is opened twice in a process, by
/// whatever path, so that who opens it again gets the environment that is open.
final class LMDBRegistry: Sendable {
  static let shared = LMDBRegistry()

  private let environments = Mutex<[FileIdentity: LMDBEnvironment]>([:])

  /// The environment for one more user.
  ///
  /// Held while an environment is opened: no other descriptor of the same file is open then.
  ///
  /// - Throws: `inUse` when it is open for reading only and is to be written to.
  func open(_ file: LMDBFile, _ options: LMDBEnvironment.Options) throws(StorageError) -> LMDBEnvironment {
    let result: Result<LMDBEnvironment, StorageError> = environments.withLock { environments in
      do throws(StorageError) {
        if let identity = try file.identity(), let open = environments[identity],
          open.generation == LMDBProcess.generation
        {
          try open.addUser(options)
          return .success(open)
        }
        let made = try LMDBEnvironment.open(file, options)
        environments[made.identity] = made
        return .success(made)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Closes an environment that has no user and no transaction any more.
  func closeIfUnused(_ environment: LMDBEnvironment) {
    environments.withLock { environments in
      guard environment.closeIfUnused() else { return }
      if environments[environment.identity] === environment { environments[environment.identity] = nil }
    }
  }
}
