public import QuarryBackend

/// A backend that hands every call on to another. What wraps an engine overrides the calls that it changes.
open class ForwardingBackend: Backend, @unchecked Sendable {
  // Unchecked because the class is open; what it stores is immutable and Sendable.
  private let backend: any Backend

  public init(_ backend: any Backend) {
    self.backend = backend
  }

  open var manifest: BackendManifest { backend.manifest }

  open func beginRead() throws(StorageError) -> any BackendReadTransaction { try backend.beginRead() }

  open func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    try backend.beginWrite(options)
  }

  open func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try backend.withRow(model, key, body)
  }

  open func snapshot() throws(StorageError) -> any BackendSnapshot { try backend.snapshot() }
  open func compact() throws(StorageError) { try backend.compact() }
  open func backup(to path: String) throws(StorageError) { try backend.backup(to: path) }
  open func check() throws(StorageError) -> [String] { try backend.check() }
  open func statistics() throws(StorageError) -> BackendStatistics { try backend.statistics() }
  open func destroy() throws(StorageError) { try backend.destroy() }
  open func close() throws(StorageError) { try backend.close() }
}
