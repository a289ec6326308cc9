package import QuarryBackend
package import QuarryKeyValue
import QuarrySystem
package import QuarryTree
import Synchronization

/// Keeps trees in memory and every commit in a file, which is read whole at opening.
///
/// Engines of one process that write to the same file share what they have of it; each is closed on its own.
package final class FlatFileEngine: KeyValueEngine {
  package let properties: KeyValueEngineProperties
  private let session: TreeSession
  private let source: Source
  private let opening: FlatFileOpening
  package let openingReport: OpeningReport
  private let busyTimeout: Double
  /// As it was given, with links, from the root on.
  private let path: String

  /// Where states come from.
  private enum Source: Sendable {
    case log(FlatFileLog)
    /// A store that is only read: the state at its opening.
    case file(ReadFile)
  }

  private final class ReadFile: Sendable {
    let store: TreeStore
    let key: FlatFileKey?
    let file: Mutex<(any StoreFile)?>
    let end: Int
    let batches: Int
    let commits: Int
    let identity: [UInt8]

    init(_ file: any StoreFile, _ content: FlatFileContent) {
      store = TreeStore(content.state)
      key = content.key
      self.file = Mutex(file)
      end = content.end
      batches = content.batches
      commits = content.commits
      identity = content.header.identity
    }
  }

  /// Opens the file, and makes it if it is not there and the options allow.
  package init(
    _ configuration: FlatFileConfiguration, _ options: OpenOptions, files: any FlatFileSystem
  ) throws(StorageError) {
    var durability = options.durability ?? .powerLoss
    if options.ignoresFileSizeSignal { FileSizeSignal.ignore() }
    opening = try FlatFileOpening(configuration.path, files, options.encryption)
    busyTimeout = options.busyTimeout
    do throws(SystemError) {
      path = try SystemPath.absolute(configuration.path)
    } catch {
      throw StorageError(systemError: error.number, "the working directory is not known")
    }
    if options.isReadOnly {
      let (file, content) = try opening.openForReading()
      source = .file(ReadFile(file, content))
      openingReport = content.report
    } else {
      let log = try files.registry.open(
        opening, createsIfMissing: options.createsIfMissing, durability, configuration.compaction)
      source = .log(log)
      openingReport = log.report
      durability = log.durability
    }
    properties = Self.properties(durability, isReadOnly: options.isReadOnly)
    switch source {
    case .log(let log):
      session = TreeSession(log.store)
      log.compactIfWorthwhile()
    case .file(let file):
      session = TreeSession(file.store)
    }
  }

  static func properties(_ durability: BackendManifest.Durability, isReadOnly: Bool) -> KeyValueEngineProperties {
    KeyValueEngineProperties(
      name: "flat-file", version: "1", maximumPathBytes: FlatFileOpening.longestPath, durability: durability,
      sharing: .oneProcess, isReadOnly: isReadOnly, countsRanges: true, opensWithDurability: true, compacts: true,
      backsUp: true, encrypts: true, keepsLent: true)
  }

  deinit {
    if case .log(let log) = source, !session.isClosed { opening.files.registry.letGo(log) }
  }

  private func writable() throws(StorageError) -> FlatFileLog {
    try session.requireOpen()
    guard case .log(let log) = source else {
      throw .openedForReading
    }
    return log
  }

  // MARK: Transactions

  package func beginRead() throws(StorageError) -> TreeReadTransaction { try session.beginRead() }

  package func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, version: inout CommitVersion,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try session.withValue(tree, key, version: &version, body)
  }

  /// - Throws: `readOnly`, also after a commit that failed; `busy`.
  package func beginWrite(timeout: Double) throws(StorageError) -> TreeWriteTransaction {
    let log = try writable()
    try session.enter(timeout: timeout)
    do throws(StorageError) {
      return TreeWriteTransaction(
        session, try log.base(), log, recorder: BatchWriter(isSealed: log.isSealed, path: opening.path))
    } catch {
      log.store.leave()
      throw error
    }
  }

  package func snapshot() throws(StorageError) -> TreeSnapshot { try session.snapshot() }

  // MARK: Encryption

  /// The key that seals the store; nil for a plain one.
  private var key: FlatFileKey? {
    switch source {
    case .log(let log): log.state.withLock { $0.key }
    case .file(let file): file.key
    }
  }

  package var envelopeSlot: EnvelopeSlot? { key?.envelope.slot }

  package func rekey(to new: Encryption, _ extent: RekeyExtent) throws(StorageError) {
    let log = try writable()
    try log.requireInPlace(opening.path)
    try log.rekey(to: new, extent, timeout: busyTimeout)
  }

  // MARK: Care of the store

  /// - Complexity: Visits every node of the newest state.
  package func statistics() throws(StorageError) -> KeyValueEngineStatistics {
    try session.requireOpen()
    let state: TreeState
    let bytes: Int
    var details = ["checksums": key == nil ? "CRC-32C" : "sealed"]
    switch source {
    case .log(let log):
      let (committed, end, figures) = log.state.withLock { ($0.committed, $0.committedEnd, $0.figures) }
      (state, bytes) = (committed, end)
      details["batches"] = String(figures.batches)
      details["commits"] = String(figures.commits)
      details["syncs"] = String(figures.syncs)
      details["compactions"] = String(figures.compactions)
      if let error = figures.compactionError { details["compactionError"] = error.description }
    case .file(let file):
      (state, bytes) = (file.store.state, file.end)
      details["batches"] = String(file.batches)
      details["commits"] = String(file.commits)
    }
    let figures = state.statistics()
    details.merge(state.details(figures)) { own, _ in own }
    details["memoryBytes"] = String(figures.bytes)
    if let wasClosed = openingReport.wasClosed { details["wasClosed"] = wasClosed ? "yes" : "no" }
    if let tail = openingReport.tail {
      if let path = tail.path { details["tailPath"] = path }
      details["tailOffset"] = String(tail.offset)
      details["tailBytes"] = String(tail.bytes)
      details["tailReason"] = tail.reason
    }
    return KeyValueEngineStatistics(
      bytes: bytes, freeBytes: max(0, bytes - FlatFileLog.estimatedBytes(figures)), details: details)
  }

  /// Reads the whole file again and compares every checksum, and looks for what is wrong with the trees.
  package func check() throws(StorageError) -> [String] {
    try session.requireOpen()
    let file: (any StoreFile)?
    let key: FlatFileKey?
    let state: TreeState
    let end: Int
    let identity: [UInt8]
    switch source {
    case .log(let log):
      (file, key, state, end) = log.state.withLock { ($0.file, $0.key, $0.committed, $0.committedEnd) }
      identity = log.state.withLock { $0.header.identity }
    case .file(let read):
      (file, key, state, end) = (read.file.withLock { $0 }, read.key, read.store.state, read.end)
      identity = read.identity
    }
    guard let file else { throw .storeClosed }
    var defects = state.defects()
    do throws(StorageError) {
      let content = try FlatFileContent(
        reading: file, path: opening.path, .known(key), upTo: end, appliesContent: false)
      defects += content.key?.defects ?? []
      if let tail = content.tail { defects.append("byte \(tail.offset): \(tail.reason)") }
      if content.state.version != state.version {
        defects.append("the file ends with commit \(content.state.version) instead of \(state.version)")
      }
    } catch {
      guard error.code == .corrupt else { throw error }
      defects.append(error.message)
    }
    if let tail = openingReport.tail, tail.path == nil, !tail.isBeginningOfCommit {
      defects.append("byte \(tail.offset): \(tail.bytes) bytes are not a whole commit: \(tail.reason)")
    }
    // A user that may not list the directory can still have the store checked.
    return defects + ((try? FlatFileTail.defects(opening.path, identity, opening.files)) ?? [])
  }

  package func compact() throws(StorageError) {
    let log = try writable()
    try log.requireInPlace(opening.path)
    try log.compact(timeout: busyTimeout)
  }

  /// A store that is only read has the state of its opening, and its writer may rewrite the file: only a file that was removed is
  /// detected.
  package func requireInPlace() throws(StorageError) {
    switch source {
    case .log(let log): try log.requireInPlace(opening.path)
    case .file: if try opening.files.status(of: opening.path) == nil { throw .removedOrReplaced(opening.path) }
    }
  }

  package func freeDiskBytes() -> Int? { opening.files.freeBytes(beside: opening.path) }

  package func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    try session.requireOpen()
    let state: TreeState
    let key: FlatFileKey?
    switch source {
    case .log(let log): (state, key) = log.state.withLock { ($0.committed, $0.key) }
    case .file(let file): (state, key) = (file.store.state, file.key)
    }
    let destination = try BackupDestination(
      path, own: opening.path, endings: [], longestPath: FlatFileOpening.longestPath, opening.files)
    try FlatFileBackup(state, key?.encryption, progress).write(to: destination, opening.files)
  }

  /// Closes the store and removes its file, and what was kept aside of it.
  ///
  /// - Throws: `inUse` when it is open elsewhere in this process; `readOnly`; `io`.
  package func destroy() throws(StorageError) {
    let log = try writable()
    guard opening.files.registry.users(of: log) <= 1 else {
      throw .inUse(by: log.processID, "\(opening.path) is open more than once in this process")
    }
    try log.requireInPlace(opening.path)
    // The name is removed while the lock is held, so that no other thread opens the file that is about to be removed.
    try opening.files.remove(opening.path)
    for tail in (try? FlatFileTail.names(opening.path, opening.files)) ?? [] { try? opening.files.remove(tail) }
    try? close()
    try opening.files.syncDirectory(of: opening.path)
  }

  /// Closes the store and gives its file another name, and after it what was kept aside of it.
  ///
  /// - Throws: `inUse` when it is open elsewhere in this process; `unsupported` for a path that is a link; `readOnly`;
  ///   `io`.
  package func quarantine() throws(StorageError) -> String {
    let log = try writable()
    guard log.processID == FlatFileOwner.thisProcess else {
      throw .inUse(by: log.processID, "\(opening.path) was opened by process \(log.processID)")
    }
    if SystemPath.isLink(path) { throw .isLink(path) }
    let files = opening.files
    let place = try QuarantineName.free(for: opening.path) { name throws(StorageError) in
      try files.status(of: name) != nil
    }
    try files.registry.quarantine(log) { () throws(StorageError) in
      try log.requireInPlace(opening.path)
      try files.rename(opening.path, to: place)
      for tail in (try? FlatFileTail.names(opening.path, files)) ?? [] {
        try? files.rename(tail, to: FlatFileTail.path(tail, of: opening.path, beside: place))
      }
      try files.syncDirectory(of: place)
    }
    _ = session.close()
    return place
  }

  package func close() throws(StorageError) {
    if session.close() { return }
    switch source {
    case .log(let log): try opening.files.registry.close(log)
    case .file(let file): file.file.withLock { $0 = nil }
    }
  }
}
