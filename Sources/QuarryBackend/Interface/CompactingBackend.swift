/// A backend that gives free space back: one whose manifest offers ``Capability/compact``.
///
/// A backend that offers it under some conditions only implements this, and refuses with
/// ``BackendManifest/require(_:)`` under the others.
public protocol CompactingBackend: Backend {
  /// Gives free space back. No answer changes, and what is open stays open.
  ///
  /// - Throws: `closed`; `unsupported` where the manifest says so; `inUse` where another process has the store open and the
  ///   engine cannot compact it meanwhile; `readOnly`, `busy`, `full`, `io`.
  /// - Complexity: The engine may rewrite the whole store.
  func compact() throws(StorageError)

  /// The bytes of all files of the store, and how many of them hold nothing; nil where they are not known.
  ///
  /// Asked at each opening with a ``CompactionRule``: an engine whose ``Backend/statistics()`` counts rows answers this in
  /// a shorter way.
  ///
  /// - Throws: `closed`, `io`.
  func space() throws(StorageError) -> (bytes: Int, freeBytes: Int)?
}

extension CompactingBackend {
  /// Returns the sizes from the statistics.
  ///
  /// - Throws: As ``Backend/statistics()``.
  /// - Complexity: The cost of ``Backend/statistics()``, which may visit every page.
  public func space() throws(StorageError) -> (bytes: Int, freeBytes: Int)? {
    let statistics = try statistics()
    guard let bytes = statistics.bytes, let free = statistics.freeBytes else { return nil }
    return (bytes, free)
  }
}

extension Backend {
  /// The backend as one that gives free space back.
  ///
  /// - Throws: `unsupported` when it is none.
  public func requireCompacting() throws(StorageError) -> any CompactingBackend {
    if let backend = self as? any CompactingBackend { return backend }
    throw manifest.refusal(of: .compact)
  }
}
