package import QuarryBackend
package import QuarryKeyValue
import Synchronization

/// Keeps trees in memory and every commit in a file, which is read whole at opening.
package final class FlatFileEngine: KeyValueEngine {
  package let properties: KeyValueEngineProperties
  private let session: TreeSession
  private let source: Source
  private let opening: FlatFileOpening
  /// What was behind the last whole commit when the file was opened.
  private let tail: FlatFileContent.Tail?

  /// Where states come from.
  private enum Source: Sendable {
    case log(FlatFileLog)
    /// A store that is only read: the state at its opening.
    case file(ReadFile)
  }

  private final class ReadFile: Sendable {
    let store: TreeStore
    let file: Mutex<(any StoreFile)?>
    let end: Int
    let batches: Int
    let commits: Int

    init(_ file: any StoreFile, _ content: FlatFileContent) {
      store = TreeStore(content.state)
      self.file = Mutex(file)
      end = content.end
      batches = content.batches
      commits = content.commits
    }
  }

  /// Opens the file, and makes it if it is not there and the options allow.
  package init(
    _ configuration: FlatFileConfiguration, _ options: OpenOptions, files: any FileSystem
  ) throws(StorageError) {
    let durability = options.durability ?? .powerLoss
    opening = try FlatFileOpening(configuration.path, files)
    if options.isReadOnly {
      let (file, content) = try opening.openForReading()
      source = .file(ReadFile(file, content))
      tail = content.tail
    } else {
      let (file, content) = try opening.openForWriting(createsIfMissing: options.createsIfMissing)
      // What was read may not have reached the disk before: it is built on only when it has.
      if durability == .powerLoss { try file.sync() }
      let log = FlatFileLog(
        file, content, synced: durability == .powerLoss ? content.state.version.rawValue : content.header.snapshot,
        files: files, path: opening.path, durability: durability, compaction: configuration.compaction,
        busyTimeout: options.busyTimeout)
      source = .log(log)
      tail = content.tail
    }
    properties = KeyValueEngineProperties(
      name: "file", version: "1", durability: durability, sharing: .oneProcess, isReadOnly: options.isReadOnly,
      countsRanges: true, opensWithDurability: true, compacts: true)
    switch source {
    case .log(let log):
      session = TreeSession(log.store)
      log.compactIfWorthwhile()
    case .file(let file):
      session = TreeSession(file.store)
    }
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
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try session.withValue(tree, key, body)
  }

  /// - Throws: `readOnly`, also after a commit that failed; `busy`.
  package func beginWrite(timeout: Double) throws(StorageError) -> TreeWriteTransaction {
    let log = try writable()
    try session.enter(timeout: timeout)
    do throws(StorageError) {
      return TreeWriteTransaction(session, try log.base(), log, recorder: BatchWriter())
    } catch {
      log.store.leave()
      throw error
    }
  }

  package func snapshot() throws(StorageError) -> TreeSnapshot { try session.snapshot() }

  // MARK: Care of the store

  /// - Complexity: A look at every node of the newest state.
  package func statistics() throws(StorageError) -> KeyValueEngineStatistics {
    try session.requireOpen()
    let state: TreeState
    let bytes: Int
    var details: [String: String] = [:]
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
    if let tail {
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
    let state: TreeState
    let end: Int
    switch source {
    case .log(let log): (file, state, end) = log.state.withLock { ($0.file, $0.committed, $0.committedEnd) }
    case .file(let read): (file, state, end) = (read.file.withLock { $0 }, read.store.state, read.end)
    }
    guard let file else { throw .storeClosed }
    var defects = state.defects()
    do throws(StorageError) {
      let content = try FlatFileContent(reading: file, path: opening.path, end: end, appliesContent: false)
      if let tail = content.tail { defects.append("byte \(tail.offset): \(tail.reason)") }
      if content.state.version != state.version {
        defects.append("the file ends with commit \(content.state.version) instead of \(state.version)")
      }
    } catch {
      guard error.code == .corrupt else { throw error }
      defects.append(error.message)
    }
    return defects
  }

  package func compact() throws(StorageError) {
    try writable().compact()
  }

  /// Closes the store and removes its file.
  package func destroy() throws(StorageError) {
    let log = try writable()
    let file = log.state.withLock { $0.file }
    // The name goes while the lock is held, so that nobody opens what is about to go.
    if let file, try opening.files.status(of: opening.path)?.identity == file.status().identity {
      try opening.files.remove(opening.path)
    }
    try? close()
    try opening.files.syncDirectory(of: opening.path)
  }

  package func close() throws(StorageError) {
    if session.close() { return }
    switch source {
    case .log(let log): try log.close()
    case .file(let file): file.file.withLock { $0 = nil }
    }
  }
}
