public import QuarryBackend

/// A snapshot that hands every call on to another.
open class ForwardingSnapshot: BackendSnapshot, @unchecked Sendable {
  // Unchecked because a class that others inherit from cannot be checked; its one field is constant.
  public let inner: any BackendSnapshot

  public init(_ inner: any BackendSnapshot) {
    self.inner = inner
  }

  open var version: CommitVersion { inner.version }
  open func beginRead() throws(StorageError) -> any BackendReadTransaction { try inner.beginRead() }
  open func close() { inner.close() }
}
