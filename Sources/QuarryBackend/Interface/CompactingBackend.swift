/// A backend that gives free space back: one whose manifest offers ``Capability/compact``.
///
/// A backend that offers it under some conditions only implements this, and refuses with
/// ``BackendManifest/require(_:)`` under the others.
public protocol CompactingBackend: Backend {
  /// Gives free space back. No answer changes, and what is open stays open.
  ///
  /// - Throws: `unsupported` where the manifest says so; `readOnly`, `busy`, `full`, `io`.
  func compact() throws(StorageError)
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
