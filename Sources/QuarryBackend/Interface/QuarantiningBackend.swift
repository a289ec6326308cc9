/// A backend that puts its store aside, so that another can be made at its place: for
/// `Migration.startOver(keeping: .quarantine)`.
public protocol QuarantiningBackend: Backend {
  /// Closes the store, and gives all of it another name beside its place in one step: that of the place,
  /// `.quarantine-` and the time. See ``QuarantineName``.
  ///
  /// The store that is put aside is whole: the same engine opens it there. Whoever opens the place afterwards finds
  /// nothing. A call that throws leaves the store where it was; it may be closed.
  ///
  /// - Returns: Where the store is now, as its engine names places: a path, for a store in memory a name.
  /// - Throws: `inUse` when anybody else has it open for writing, or reads from it where the engine can tell; `readOnly`
  ///   when it was opened for reading; `io`.
  func quarantine() throws(StorageError) -> String
}

extension Backend {
  /// The backend as one that puts its store aside.
  ///
  /// - Throws: `unsupported` when it is none.
  public func requireQuarantining() throws(StorageError) -> any QuarantiningBackend {
    if let backend = self as? any QuarantiningBackend { return backend }
    throw StorageError(.unsupported, "\(manifest.name) cannot put a store aside")
  }
}
