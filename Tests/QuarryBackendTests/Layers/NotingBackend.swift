import QuarryBackend
import Synchronization

/// The calls that reached the backend beneath a layer, by their full names.
final class Notes: Sendable {
  private let names = Mutex<[String]>([])

  func add(_ name: String) { names.withLock { $0.append(name) } }

  /// The calls since the last time.
  func take() -> [String] {
    names.withLock { names in
      defer { names = [] }
      return names
    }
  }
}

/// A backend that fulfils every requirement of the protocols itself, those with a default too, and notes each call.
final class NotingBackend: CompactingBackend, BackupBackend, QuarantiningBackend, RekeyingBackend, DiskSpaceReporting,
  WatchedBackend
{
  let notes: Notes

  init(_ notes: Notes) {
    self.notes = notes
  }

  var manifest: BackendManifest {
    notes.add("manifest")
    return BackendManifest(
      name: "noting", engineVersion: "1", capabilities: [:], limits: .init(), isolation: .serializable,
      durability: .none, sharing: .oneProcess)
  }

  var openingReport: OpeningReport {
    notes.add("openingReport")
    return OpeningReport()
  }

  func beginRead() throws(StorageError) -> any BackendReadTransaction {
    notes.add(#function)
    return NotingTransaction(notes)
  }

  func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    notes.add(#function)
    return NotingTransaction(notes)
  }

  func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    notes.add(#function)
    return false
  }

  func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, schema version: UInt64,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool? {
    notes.add(#function)
    return false
  }

  func snapshot() throws(StorageError) -> any BackendSnapshot {
    notes.add(#function)
    return NotingSnapshot(notes)
  }

  func check() throws(StorageError) -> [String] {
    notes.add(#function)
    return []
  }

  func statistics() throws(StorageError) -> BackendStatistics {
    notes.add(#function)
    return BackendStatistics(models: [])
  }

  func destroy() throws(StorageError) { notes.add(#function) }
  func close() throws(StorageError) { notes.add(#function) }
  func compact() throws(StorageError) { notes.add(#function) }

  func space() throws(StorageError) -> (bytes: Int, freeBytes: Int)? {
    notes.add(#function)
    return nil
  }

  func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) { notes.add(#function) }

  func quarantine() throws(StorageError) -> String {
    notes.add(#function)
    return ""
  }

  var envelopeSlot: EnvelopeSlot? {
    notes.add("envelopeSlot")
    return nil
  }

  func rekey(to new: Encryption, _ extent: RekeyExtent) throws(StorageError) { notes.add(#function) }

  func freeDiskBytes() -> Int? {
    notes.add(#function)
    return nil
  }

  func commitWatch() throws(StorageError) -> (any CommitWatch)? {
    notes.add(#function)
    return nil
  }

  func requireInPlace() throws(StorageError) { notes.add(#function) }
}

final class NotingSnapshot: BackendSnapshot {
  private let notes: Notes

  init(_ notes: Notes) {
    self.notes = notes
  }

  var version: CommitVersion {
    notes.add("version")
    return CommitVersion(1)
  }

  func beginRead() throws(StorageError) -> any BackendReadTransaction {
    notes.add(#function)
    return NotingTransaction(notes)
  }

  func close() { notes.add(#function) }
}

final class NotingCursor: RowCursor {
  private let notes: Notes

  init(_ notes: Notes) {
    self.notes = notes
  }

  func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    notes.add(#function)
    return 0
  }

  func close() { notes.add(#function) }
}
