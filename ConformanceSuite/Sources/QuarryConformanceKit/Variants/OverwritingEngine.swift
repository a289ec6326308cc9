import QuarryBackend
import QuarryKeyValue

/// An engine of ordered trees that overwrites what it has lent at the first moment that the rule of `KeyValueEngine` allows,
/// and knows of nothing whether it was there. What stands on engines has to do with that.
final class OverwritingEngine<Base: KeyValueEngine>: KeyValueEngine {
  typealias ReadTransaction = OverwritingTransaction<Base.ReadTransaction>
  typealias WriteTransaction = OverwritingWriteTransaction<Base.WriteTransaction>
  typealias Snapshot = OverwritingSnapshot<Base.Snapshot>

  let base: Base

  init(_ base: Base) {
    self.base = base
  }

  var properties: KeyValueEngineProperties {
    var properties = base.properties
    properties.knowsPresence = false
    properties.keepsLent = false
    return properties
  }

  var openingReport: OpeningReport { base.openingReport }
  var envelopeSlot: EnvelopeSlot? { base.envelopeSlot }

  func beginRead() throws(StorageError) -> ReadTransaction { OverwritingTransaction(try base.beginRead()) }

  func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, version: inout CommitVersion,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try base.withValue(tree, key, version: &version) { value throws(StorageError) in
      let lent = LentBytes()
      defer { lent.overwrite() }
      try body(lent.lend(value))
    }
  }

  func beginWrite(timeout: Double) throws(StorageError) -> WriteTransaction {
    OverwritingWriteTransaction(try base.beginWrite(timeout: timeout))
  }

  func snapshot() throws(StorageError) -> Snapshot { OverwritingSnapshot(try base.snapshot()) }
  func statistics() throws(StorageError) -> KeyValueEngineStatistics { try base.statistics() }
  func check() throws(StorageError) -> [String] { try base.check() }
  func compact() throws(StorageError) { try base.compact() }
  func freeDiskBytes() -> Int? { base.freeDiskBytes() }
  func commitWatch() throws(StorageError) -> (any CommitWatch)? { try base.commitWatch() }
  func quarantine() throws(StorageError) -> String { try base.quarantine() }
  func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    try base.backup(to: path, progress: progress)
  }
  func rekey(to new: Encryption, _ extent: RekeyExtent) throws(StorageError) { try base.rekey(to: new, extent) }
  func destroy() throws(StorageError) { try base.destroy() }
  func close() throws(StorageError) { try base.close() }
}

/// See ``OverwritingEngine``.
final class OverwritingSnapshot<Base: KeyValueSnapshot>: KeyValueSnapshot {
  private let base: Base

  init(_ base: Base) {
    self.base = base
  }

  var version: CommitVersion { base.version }

  func beginRead() throws(StorageError) -> OverwritingTransaction<Base.ReadTransaction> {
    OverwritingTransaction(try base.beginRead())
  }

  func close() { base.close() }
}

/// See ``OverwritingEngine``.
class OverwritingTransaction<Base: KeyValueReadTransaction>: KeyValueReadTransaction {
  final let base: Base
  private let lent = LentBytes()
  /// Of the cursors, for as long as each exists.
  private var cursors: [CursorBytes] = []

  /// What a cursor has lent since it moved.
  final class CursorBytes {
    let lent = LentBytes()
    var isGone = false
  }

  init(_ base: Base) {
    self.base = base
  }

  /// Overwrites everything: a write begins, or the transaction ends.
  final func overwriteAll() {
    lent.overwrite()
    for cursor in cursors { cursor.lent.overwrite() }
    cursors.removeAll { $0.isGone }
  }

  var version: CommitVersion { base.version }

  func get(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    guard let value = try base.get(tree, key) else { return nil }
    let copy = lent.lend(value)
    lent.overwrite(keeping: KeyValueEngineProperties.lentValues)
    return copy
  }

  func cursor(
    _ tree: TreeID, _ range: KeyRange, descending: Bool
  ) throws(StorageError) -> OverwritingCursor<Base.Cursor> {
    let bytes = CursorBytes()
    if cursors.count > 64 { cursors.removeAll { $0.isGone } }
    cursors.append(bytes)
    return OverwritingCursor(try base.cursor(tree, range, descending: descending), bytes.lent) { bytes.isGone = true }
  }

  func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int { try base.count(tree, range) }

  func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics { try base.statistics(of: tree) }

  func end() {
    overwriteAll()
    base.end()
  }
}

/// See ``OverwritingEngine``.
final class OverwritingWriteTransaction<Base: KeyValueWriteTransaction>: OverwritingTransaction<Base>,
  KeyValueWriteTransaction
{
  func put(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    overwriteAll()
    return try !base.put(tree, key, value)
  }

  func insert(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    overwriteAll()
    return try base.insert(tree, key, value)
  }

  func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    overwriteAll()
    return try !base.delete(tree, key)
  }

  func delete(_ tree: TreeID, in range: KeyRange) throws(StorageError) -> Int {
    overwriteAll()
    return try -1 - base.delete(tree, in: range)
  }

  func savepoint() throws(StorageError) {
    overwriteAll()
    try base.savepoint()
  }

  func releaseSavepoint() throws(StorageError) {
    overwriteAll()
    try base.releaseSavepoint()
  }

  func rollbackSavepoint() throws(StorageError) {
    overwriteAll()
    try base.rollbackSavepoint()
  }

  func commit() throws(StorageError) -> CommitVersion {
    overwriteAll()
    return try base.commit()
  }
}

/// See ``OverwritingEngine``. Copies of the value are the same cursor.
struct OverwritingCursor<Base: KeyValueCursor>: KeyValueCursor {
  private final class Storage {
    var base: Base
    let lent: LentBytes
    let onEnd: () -> Void

    init(_ base: Base, _ lent: LentBytes, _ onEnd: @escaping () -> Void) {
      self.base = base
      self.lent = lent
      self.onEnd = onEnd
    }

    deinit {
      lent.overwrite()
      onEnd()
    }
  }

  private let storage: Storage

  init(_ base: Base, _ lent: LentBytes, onEnd: @escaping () -> Void) {
    storage = Storage(base, lent, onEnd)
  }

  mutating func next() throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    storage.lent.overwrite()
    guard let (key, value) = try storage.base.next() else { return nil }
    return (storage.lent.lend(key), storage.lent.lend(value))
  }

  mutating func fill(_ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    storage.lent.overwrite()
    let count = try storage.base.fill(values)
    for place in 0..<count { values[place] = storage.lent.lend(values[place]) }
    return count
  }
}
