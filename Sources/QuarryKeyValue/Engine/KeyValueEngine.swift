public import QuarryBackend

/// A store of ordered trees of bytes with transactions: the smaller of the two interfaces that an engine can implement.
///
/// ``KeyValueBackend`` makes a `Backend` of it: tables, indexes, unique constraints, planner, execution.
///
/// Keys are ordered by their bytes (`memcmp`, a prefix first). Trees are addressed by number; a tree that was never
/// written to is empty, so that there is nothing to create. Many read transactions may be open on any threads; there is
/// one write transaction at a time, and readers and the writer do not wait for each other.
///
/// Lent bytes. Memory that `get` and cursors return belongs to the engine; the caller only reads it:
///
/// - It is valid until the next call of a ``KeyValueWriteTransaction`` on the same transaction begins, whatever tree the call is
///   about. Such calls are `put`, `insert`, `delete`, the calls of savepoints, and `commit`. It is also valid only until the
///   transaction ends.
/// - Of more values than ``KeyValueEngineProperties/lentValues`` that `get` lent since, at least the last that many are
///   valid; all of them where the engine declares ``KeyValueEngineProperties/keepsLent`` and the transaction only reads.
/// - Bytes that a cursor lent are valid only until the cursor moves, and for as long as the cursor exists.
///
/// ``KeyValueBackend`` keeps to this rule: it copies what it holds for longer, and passes no lent bytes to a call that
/// writes. The conformance kit runs every case on the engine behind a decorator that overwrites lent bytes as soon as the
/// rule allows (the variant `overwritten`).
public protocol KeyValueEngine: AnyObject, Sendable {
  /// The transaction that reads one committed state.
  associatedtype ReadTransaction: KeyValueReadTransaction
  /// The transaction that reads and writes.
  associatedtype WriteTransaction: KeyValueWriteTransaction
  /// A committed state that many threads read.
  associatedtype Snapshot: KeyValueSnapshot where Snapshot.ReadTransaction == ReadTransaction

  /// The engine's description of itself.
  var properties: KeyValueEngineProperties { get }

  /// The findings and actions of opening the store.
  var openingReport: OpeningReport { get }

  /// Begins a read transaction on the newest committed state. It waits for no writer.
  ///
  /// - Throws: `closed`; `limitExceeded` past ``KeyValueEngineProperties/maximumSnapshots``; `corrupt`, `io`.
  func beginRead() throws(StorageError) -> ReadTransaction
  /// Reads one value of the newest committed state: begin, get and end in one call.
  ///
  /// This is the hot path of reading one object. The backend is generic code that is not specialised behind `any Backend`. Here
  /// the engine's own code does all three at once, and may skip the steps that only a continuing transaction needs.
  ///
  /// - Parameters:
  ///   - tree: The number of the tree.
  ///   - key: The key, lent for the call.
  ///   - body: Is called once with the value if there is one; the bytes are valid only inside.
  /// - Returns: Whether the key was there.
  /// - Throws: `closed`, `corrupt`, `io`; the errors of the body.
  func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool
  /// As ``withValue(_:_:_:)``, and says of which state the value is, before the body is called.
  ///
  /// - Parameters:
  ///   - tree: The number of the tree.
  ///   - key: The key, lent for the call.
  ///   - version: Receives the place of the state in the order of commits, also when the key is not there.
  ///   - body: Is called once with the value if there is one; the bytes are valid only inside.
  /// - Returns: Whether the key was there.
  /// - Throws: As ``withValue(_:_:_:)``.
  func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, version: inout CommitVersion,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool
  /// Begins the write transaction, waiting for another writer.
  ///
  /// - Parameter timeout: The longest wait in seconds, any number: see `Deadline`.
  /// - Throws: `busy` when the wait took longer; `closed`; `readOnly` when the store was opened for reading; `corrupt`, `full`,
  ///   `io`.
  func beginWrite(timeout: Double) throws(StorageError) -> WriteTransaction
  /// Pins the newest committed state for many threads.
  ///
  /// - Throws: `closed`; `limitExceeded` past ``KeyValueEngineProperties/maximumSnapshots``; `io`.
  func snapshot() throws(StorageError) -> Snapshot
  /// Bytes of files or memory, bytes that are free inside, and figures of the engine's own.
  ///
  /// - Throws: `closed`, `io`.
  func statistics() throws(StorageError) -> KeyValueEngineStatistics
  /// Verifies the engine's own structures, its trees, pages or file.
  ///
  /// The backend checks the meaning of the entries. Damage is a result and no error.
  ///
  /// - Returns: The defects in words; empty for sound structures.
  /// - Throws: `closed`; `io` for a failure that is not damage.
  /// - Complexity: Reads everything that is stored.
  func check() throws(StorageError) -> [String]
  /// Gives free space back. No answer changes, and what is open stays open.
  ///
  /// - Throws: `closed`; `unsupported` where the engine's properties say so; `inUse`, `readOnly`, `busy`, `full`, `io`.
  func compact() throws(StorageError)
  /// Bytes that the disk of the store's files still takes, as `DiskSpaceReporting` says; nil where that is not known for sure.
  func freeDiskBytes() -> Int?
  /// Begins to wait for commits of other openings, as `WatchedBackend` says.
  ///
  /// - Returns: The watch; nil where the engine is not notified of commits.
  /// - Throws: `closed`, `io`.
  func commitWatch() throws(StorageError) -> (any CommitWatch)?
  /// Checks that the path of the store still names the files that are open, as `WatchedBackend` says. A commit checks this
  /// by itself.
  ///
  /// - Throws: `io` (`StorageError.removedOrReplaced`).
  func requireInPlace() throws(StorageError)
  /// Closes the engine and puts its store aside, as `QuarantiningBackend` says.
  ///
  /// - Returns: Where the store is now.
  /// - Throws: `unsupported` where the engine cannot; `inUse`, `readOnly`, `io`.
  func quarantine() throws(StorageError) -> String
  /// Writes a copy of the newest committed state, as `BackupBackend` says.
  ///
  /// - Parameters:
  ///   - path: A path where nothing exists yet. The same engine opens the copy there.
  ///   - progress: Is called from time to time with the bytes written and the estimated total; false cancels the backup.
  /// - Throws: `closed`; `unsupported` where the engine's properties say so; `inUse`, `notFound`, `invalidValue`,
  ///   `limitExceeded`, `full`, `io`; `StorageError.backupCancelled`.
  func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError)
  /// The slot that holds the key of the store; nil for a plain one.
  var envelopeSlot: EnvelopeSlot? { get }
  /// Changes the key of the store, as `RekeyingBackend` says.
  ///
  /// - Parameters:
  ///   - new: The new key.
  ///   - extent: Whether the store gets a new data key too, or only a new wrapping of its data key.
  /// - Throws: `closed`; `unsupported` where the engine does not encrypt; `notEncrypted`, `readOnly`, `inUse`, `busy`, `full`,
  ///   `io`, `corrupt`.
  func rekey(to new: Encryption, _ extent: RekeyExtent) throws(StorageError)
  /// Overwrites the remains in the engine's files of values that a commit has replaced or removed: the old key of an encrypted
  /// store.
  ///
  /// It is called outside of transactions, after that commit. Open snapshots may lose these values.
  ///
  /// - Parameters:
  ///   - beginning: How each such value begins, eight bytes or more.
  ///   - byteCount: The bytes of each.
  ///   - isOld: Whether such bytes are to be overwritten.
  ///   - timeout: How long to wait for a writer, in seconds.
  /// - Throws: `closed`, `busy`, `full`, `io`.
  func overwriteOldValues(
    beginningWith beginning: [UInt8], byteCount: Int, timeout: Double, where isOld: ([UInt8]) -> Bool
  ) throws(StorageError)
  /// Closes the store and removes all its files.
  ///
  /// - Throws: `closed`; `readOnly` when it was opened for reading; `inUse` when another user has it open; `io`.
  func destroy() throws(StorageError)
  /// Closes the engine. Whatever is still open throws `closed` from then on. A second call does nothing.
  ///
  /// - Throws: `io` when the engine cannot finish its work; the store is closed then too.
  func close() throws(StorageError)
}

extension KeyValueEngine {
  /// An empty report.
  public var openingReport: OpeningReport { OpeningReport() }

  /// Leaves out which state it is, and throws as ``withValue(_:_:version:_:)``.
  @inlinable
  public func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    var version = CommitVersion(0)
    return try withValue(tree, key, version: &version, body)
  }

  /// Begins a read transaction for it, and throws as ``beginRead()`` and ``KeyValueReadTransaction/get(_:_:)``.
  public func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, version: inout CommitVersion,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try withValueInTransaction(tree, key, version: &version, body)
  }

  /// Does the work of ``withValue(_:_:version:_:)`` in a read transaction that is begun for it.
  ///
  /// It is for engines that have a quicker way, where that way does not serve.
  @inlinable @inline(never)
  package func withValueInTransaction(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, version: inout CommitVersion,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    let transaction = try beginRead()
    defer { transaction.end() }
    version = transaction.version
    guard let value = try transaction.get(tree, key) else { return false }
    try body(value)
    return true
  }

  /// Throws `unsupported`: the engine has no free space to give back.
  public func compact() throws(StorageError) {
    throw .unsupported(.compact, "\(properties.name) has no free space to give back")
  }

  /// Nil: the engine knows of no disk.
  public func freeDiskBytes() -> Int? { nil }

  /// Returns nil and throws nothing: the engine is not notified of commits.
  public func commitWatch() throws(StorageError) -> (any CommitWatch)? { nil }

  /// Does nothing, and throws nothing: the store has no path.
  public func requireInPlace() throws(StorageError) {}

  /// Throws `unsupported`: the engine has no other place for its store.
  public func quarantine() throws(StorageError) -> String {
    throw StorageError(.unsupported, "\(properties.name) cannot quarantine a store")
  }

  /// Nil: the engine does not encrypt.
  public var envelopeSlot: EnvelopeSlot? { nil }

  /// Throws `unsupported` for an engine that does not encrypt, `notEncrypted` for a plain store of one that does.
  public func rekey(to new: Encryption, _ extent: RekeyExtent) throws(StorageError) {
    if properties.encrypts { throw .notEncrypted("the store") }
    throw .unsupported(.openEncryption, "\(properties.name) does not encrypt")
  }

  /// Does nothing, and throws nothing: the engine keeps no replaced values, or has its own way to release them.
  public func overwriteOldValues(
    beginningWith beginning: [UInt8], byteCount: Int, timeout: Double, where isOld: ([UInt8]) -> Bool
  ) throws(StorageError) {}

  /// Throws `unsupported`: the engine writes no copies.
  public func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    throw .unsupported(.backup, "\(properties.name) writes no copies of itself")
  }
}
