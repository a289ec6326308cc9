public import QuarryBackend

/// A backend that hands every call on to another. What wraps an engine overrides the calls that it changes.
///
/// It has the calls of every optional protocol, and refuses those that the other has not.
open class ForwardingBackend: CompactingBackend, BackupBackend, QuarantiningBackend, RekeyingBackend, RoomBackend,
  WatchedBackend, @unchecked Sendable
{
  // Unchecked because the class is open; what it stores is immutable and Sendable.
  public let inner: any Backend

  public init(_ backend: any Backend) {
    inner = backend
  }

  open var manifest: BackendManifest { inner.manifest }
  open var openingReport: OpeningReport { inner.openingReport }

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
  open func compact() throws(StorageError) { try inner.requireCompacting().compact() }
  open func space() throws(StorageError) -> (bytes: Int, freeBytes: Int)? { try inner.requireCompacting().space() }
  open func freeDiskBytes() -> Int? { (inner as? any RoomBackend)?.freeDiskBytes() }
  open func commitWatch() throws(StorageError) -> (any CommitWatch)? {
    try (inner as? any WatchedBackend)?.commitWatch()
  }
  open func requireInPlace() throws(StorageError) { try (inner as? any WatchedBackend)?.requireInPlace() }
  open func quarantine() throws(StorageError) -> String { try inner.requireQuarantining().quarantine() }
  open func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    try inner.requireBackup().backup(to: path, progress: progress)
  }
  open var envelopeSlot: EnvelopeSlot? { (inner as? any RekeyingBackend)?.envelopeSlot }
  open func rekey(to new: Encryption, _ extent: RekeyExtent) throws(StorageError) {
    try inner.requireRekeying().rekey(to: new, extent)
  }
  open func check() throws(StorageError) -> [String] { try inner.check() }
  open func statistics() throws(StorageError) -> BackendStatistics { try inner.statistics() }
  open func destroy() throws(StorageError) { try inner.destroy() }
  open func close() throws(StorageError) { try inner.close() }
}
