import Dispatch
import QuarryBackend
import QuarrySystem
import QuarryTree

extension FlatFileLog {
  /// About how many bytes the entries take in a rewritten file.
  static func estimatedBytes(_ figures: BTree.Statistics) -> Int {
    FlatFileFormat.firstBatch + figures.entryBytes + 4 * figures.entries
      + FlatFileFormat.batchHeaderBytes * (1 + figures.entryBytes / SnapshotWriter.partBytes)
  }

  /// The bytes without which no file has the entries: every key and every value.
  static func leastBytes(_ figures: BTree.Statistics) -> Int { FlatFileFormat.firstBatch + figures.entryBytes }

  /// Rewrites the file in the background when it is worth it.
  ///
  /// Trees are checked only when the file has reached a length at which there may be enough garbage. That length is set again
  /// each time, so that the checks cost little compared with the writes in between.
  func compactIfWorthwhile() {
    guard case .automatic(let garbageBytes) = compaction else { return }
    let isDue = state.withLock { state in
      if state.end <= state.nextComparison || state.isCompactionScheduled || state.isClosing || state.failure != nil {
        return false
      }
      state.isCompactionScheduled = true
      return true
    }
    if isDue { compactions.async { self.compactIfGarbage(garbageBytes) } }
  }

  private func compactIfGarbage(_ garbageBytes: Int) {
    let (committed, end) = state.withLock { ($0.committed, $0.committedEnd) }
    let live = Self.estimatedBytes(committed.statistics())
    let limit = max(2 * live, live.addingClamped(max(0, garbageBytes)))
    var error: StorageError?
    if end > limit {
      do throws(StorageError) { try rewrite(timeout: 60) } catch let failure { error = failure }
    }
    state.withLock { state in
      state.isCompactionScheduled = false
      state.figures.compactionError = error
      // After an error it is tried again when the file has grown by as much again.
      state.nextComparison = error == nil ? limit : max(limit, state.end.addingClamped(max(1 << 16, garbageBytes)))
    }
    // What was committed meanwhile may be garbage again, and no commit may follow.
    compactIfWorthwhile()
  }

  /// Rewrites the file now.
  ///
  /// - Parameter timeout: How long it waits for a writer.
  /// - Throws: `busy` when a write transaction stays open; `unsupported` for a file with other names; `full`, `io`.
  func compact(timeout: Double) throws(StorageError) {
    var error: StorageError?
    compactions.sync {
      do throws(StorageError) { try rewrite(timeout: timeout) } catch let failure { error = failure }
    }
    if let error { throw error }
  }

  /// Writes a snapshot of the newest state to a new file, appends the commits made meanwhile, and gives it the name of the old
  /// one.
  ///
  /// Writers wait only for the last steps, readers not at all. One at a time.
  ///
  /// - Parameter new: The encryption that wraps another data key of an encrypted store; nil to keep its data key.
  func rewrite(timeout: Double, to new: Encryption? = nil) throws(StorageError) {
    let (old, header, oldKey, committed, start) = try state.withLock { state throws(StorageError) in
      try Self.requireWritable(state)
      return (state.file, state.header, state.key, state.committed, state.committedEnd)
    }
    guard let old else { throw .storeClosed }
    let status = try old.status()
    if status.links != 1 {
      throw .unsupported(
        new == nil ? .compact : .openEncryption, "\(path) has other names, which would be left with the old content")
    }
    let key = try Self.key(of: header, oldKey, renewedWith: new)
    let partial = OwnName.partial(path)
    let figures = committed.statistics()
    try files.requireRoom(for: partial, about: Self.estimatedBytes(figures)) { Self.leastBytes(figures) }
    guard let file = try files.open(partial, .create) else {
      throw StorageError(.io, "\(partial) could not be created")
    }
    do throws(StorageError) {
      guard try file.lock() else { throw .inUse(by: nil, "\(partial) is in use") }
      try file.setPermissions(status.permissions)
      let rewritten = header.rewritten(isSealed: key != nil, snapshot: committed.version.rawValue)
      let first = FlatFileMark.first(isClosed: false, in: rewritten)
      try FlatFileOpening.write(rewritten, first, key, to: file)
      let writer = SnapshotWriter(file, rewritten, key) { () throws(StorageError) in try self.requireNotClosing() }
      let batches = try writer.write(committed)
      var copier = BatchCopier(
        from: BatchCopier.End(file: old, header: header, key: oldKey), at: start,
        to: BatchCopier.End(file: file, header: rewritten, key: key), behind: writer)
      // Most of the commits made meanwhile are copied while other writers continue.
      for _ in 0..<8 {
        let end = state.withLock { $0.committedEnd }
        if end - copier.source < 1 << 16 { break }
        try copier.copy(upTo: end)
        try requireNotClosing()
      }
      let mark = first.next(
        isClosed: false, end: copier.destination,
        commit: committed.version.rawValue &+ UInt64(copier.batches), chain: copier.chain, last: copier.last)
      // With the file's name on the disk all of this is: the mark gets there together with what it speaks of.
      let settled = try mark.settle(in: file, of: rewritten, key)
      try file.sync()
      try swap(to: file, rewritten, key, settled, &copier, snapshotBatches: batches, partial, timeout: timeout)
    } catch {
      // The file that has the store's name by now is not removed: it has another name.
      try? files.remove(partial)
      throw error
    }
  }

  /// The key that seals the rewritten file.
  private static func key(
    of header: FlatFileHeader, _ old: FlatFileKey?, renewedWith new: Encryption?
  ) throws(StorageError) -> FlatFileKey? {
    guard let new else { return try old?.rewritten() }
    return try old?.renewed(with: new, for: header.identity)
  }

  /// The steps that no writer may come between.
  private func swap(
    to file: any StoreFile, _ header: FlatFileHeader, _ key: FlatFileKey?, _ mark: FlatFileMark,
    _ copier: inout BatchCopier, snapshotBatches: Int, _ partial: String, timeout: Double
  ) throws(StorageError) {
    try enter(timeout: timeout)
    defer { store.leave() }
    let written = state.withLock { $0.written }
    try waitForSync(of: written.version)
    let end = try state.withLock { state throws(StorageError) in
      try Self.requireWritable(state)
      return state.committedEnd
    }
    if try copier.copy(upTo: end) > 0 { try file.sync() }
    try requireNotClosing()
    // If the file was removed or replaced, there is no file to replace.
    guard let old = state.withLock({ $0.file }), try files.status(of: path)?.identity == old.status().identity else {
      throw .removedOrReplaced(path)
    }
    // An opening of the store in this process finds either file meanwhile, and that it is this store's file.
    state.withLock { $0.successor = file }
    defer { state.withLock { $0.successor = nil } }
    try files.rename(file, at: partial, to: path)
    var failure: StorageError?
    do throws(StorageError) { try files.syncDirectory(of: path) } catch { failure = error }
    let (source, chain, last) = (copier.destination, copier.chain, copier.last)
    let batches = snapshotBatches + copier.batches
    state.withLock { state in
      state.file = file
      state.identity = nil
      state.header = header
      state.key = key
      state.mark = mark
      state.chain = chain
      state.last = last
      state.end = source
      state.committedEnd = source
      state.synced = max(state.synced, written.version.rawValue)
      state.figures.batches = batches
      state.figures.commits = batches - snapshotBatches
      state.figures.compactions += 1
      // After a power loss the old file may have the name again: what is written to the new one would be lost.
      if let failure { state.failure = failure }
    }
    old.unlock()
    if let failure { throw failure }
  }

  private func enter(timeout: Double) throws(StorageError) {
    var waited = 0.0
    while !store.enter(timeout: 0.05) {
      try requireNotClosing()
      waited += 0.05
      if waited >= timeout { throw .busy(timeout) }
    }
  }

  func requireNotClosing() throws(StorageError) {
    try state.withLock { state throws(StorageError) in try Self.requireWritable(state) }
  }

  /// The error of a write after a commit that failed.
  static func readOnly(after failure: StorageError) -> StorageError {
    StorageError(
      .readOnly, "the store can only be read until it is opened again, because a commit failed: \(failure.message)",
      cause: failure)
  }

  static func requireWritable(_ state: borrowing State) throws(StorageError) {
    if state.isClosing { throw .storeClosed }
    if state.file == nil { throw .storeClosed }
    if let failure = state.failure { throw readOnly(after: failure) }
  }
}
