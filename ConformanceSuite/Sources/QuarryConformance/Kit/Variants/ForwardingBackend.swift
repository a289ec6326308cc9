public import QuarryBackend

/// A backend that hands every call on to another: what decorators and planted faults begin with.
open class ForwardingBackend: Backend, @unchecked Sendable {
  // Unchecked because a class that others inherit from cannot be checked; its one field is constant.
  public let inner: any Backend

  public init(_ inner: any Backend) {
    self.inner = inner
  }

  open var manifest: BackendManifest { inner.manifest }

  open func beginRead() throws(StorageError) -> any BackendReadTransaction { try inner.beginRead() }

  open func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    try inner.beginWrite(options)
  }

  open func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try inner.withRow(model, key, body)
  }

  open func snapshot() throws(StorageError) -> any BackendSnapshot { try inner.snapshot() }
  open func compact() throws(StorageError) { try inner.compact() }
  open func backup(to path: String) throws(StorageError) { try inner.backup(to: path) }
  open func check() throws(StorageError) -> [String] { try inner.check() }
  open func statistics() throws(StorageError) -> BackendStatistics { try inner.statistics() }
  open func destroy() throws(StorageError) { try inner.destroy() }
  open func close() throws(StorageError) { try inner.close() }
}

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

/// A cursor that hands every call on to another.
open class ForwardingCursor: RowCursor {
  public let inner: any RowCursor

  public init(_ inner: any RowCursor) {
    self.inner = inner
  }

  open func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    try inner.fill(rows)
  }

  open func close() { inner.close() }
}
