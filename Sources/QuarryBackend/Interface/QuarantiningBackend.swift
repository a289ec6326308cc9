/// A backend that puts its store aside, so that another can be made at its place: for
/// `Migration.startOver(keeping: .quarantine)`.
public protocol QuarantiningBackend: Backend {
  /// Closes the store, and renames all of it within its folder in one step.
  ///
  /// The new name is the place's name, `.quarantine-` and the time. See ``QuarantineName``.
  ///
  /// The store that is put aside is whole: the same engine opens it there. A later opening of the place finds nothing. A call
  /// that throws leaves the store where it was; it may be closed.
  ///
  /// - Returns: Where the store is now, as its engine names places: a path, for a store in memory a name.
  /// - Throws: `closed`; `inUse` when another user has it open for writing, or reads from it where the engine can tell;
  ///   `readOnly` when it was opened for reading; `io`.
  func quarantine() throws(StorageError) -> String
}

extension Backend {
  /// The backend as one that quarantines its store.
  ///
  /// - Throws: `unsupported` if it cannot.
  public func requireQuarantining() throws(StorageError) -> any QuarantiningBackend {
    if let backend = self as? any QuarantiningBackend { return backend }
    throw StorageError(.unsupported, "\(manifest.name) cannot quarantine a store")
  }
}
