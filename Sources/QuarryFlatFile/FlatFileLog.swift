import Dispatch
import QuarryBackend
import QuarrySystem
import QuarryTree
import Synchronization

/// The file that is open for writing: appends batches, brings them to the disk, and only then shows them to readers.
///
/// A writer appends its batch while it has the turn, gives the turn back and waits for the disk. Whoever waits first
/// syncs, for all that were appended by then; the others wait for that, and one of them syncs for the rest. So writers
/// that commit at the same time share a sync, and the next one builds on a state that nobody reads yet.
final class FlatFileLog: TreeCommitter {
  /// What is in the file, and how far it is safe.
  struct State {
    /// Nil when the store was closed.
    var file: (any StoreFile)?
    /// The rewritten file while it takes the place of the other: the path may name either.
    var successor: (any StoreFile)?
    var header: FlatFileHeader
    /// What the file is sealed with; nil for a plain one.
    var key: FlatFileKey?
    /// What the file says of its end.
    var mark: FlatFileMark
    /// What commits survive. It can be raised while the store is open.
    var durability: BackendManifest.Durability
    /// The end of the last batch, the state that the batches make, ``FlatFileMark/chain`` of them, and the tag of the last
    /// one of an encrypted file.
    var end: Int
    var written: TreeState
    var chain: UInt32
    var last: BatchTag
    /// The end of the last batch that is committed: what readers see, and what is kept when a sync fails.
    var committedEnd: Int
    var committed: TreeState
    /// The last commit that is known to be on the disk.
    var synced: UInt64
    var isSyncing = false
    var waiters: [DispatchSemaphore] = []
    /// Why nothing is written any more.
    var failure: StorageError?
    var isClosing = false
    var figures: Figures
    /// The length from which on the file is compared with what a rewrite would take.
    var nextComparison: Int
    var isCompactionScheduled = false
  }

  struct Figures: Sendable {
    var batches: Int
    var commits: Int
    var syncs = 0
    var compactions = 0
    var compactionError: StorageError?
  }

  let store: TreeStore
  let files: any FileSystem
  let path: String
  let compaction: FlatFileConfiguration.Compaction
  /// What was found when the file was opened.
  let report: OpeningReport
  /// Who opened it: a fork of it has no business with the file.
  let processID = FlatFileOwner.thisProcess
  let state: Mutex<State>
  /// Runs one rewrite at a time.
  let compactions = DispatchQueue(label: "quarry.flatfile.compaction")

  init(
    _ file: any StoreFile, _ content: FlatFileContent, _ mark: FlatFileMark, synced: UInt64, report: OpeningReport,
    files: any FileSystem, path: String, durability: BackendManifest.Durability,
    compaction: FlatFileConfiguration.Compaction
  ) {
    store = TreeStore(content.state)
    isSealed = content.key != nil
    self.files = files
    self.path = path
    self.compaction = compaction
    self.report = report
    state = Mutex(
      State(
        file: file, header: content.header, key: content.key, mark: mark, durability: durability, end: content.end,
        written: content.state, chain: content.chain, last: content.last, committedEnd: content.end,
        committed: content.state,
        synced: synced, figures: Figures(batches: content.batches, commits: content.commits), nextComparison: 0))
  }

  /// A store that is let go without being closed stays open for its transactions, and the lock goes with the last.
  deinit {
    let file = state.withLock { $0.failure == nil ? $0.file : nil }
    guard let file, processID == FlatFileOwner.thisProcess else { return }
    try? state.withLock { state throws(StorageError) in try Self.markClosed(&state, file) }
    try? FlatFileOwner.clear(in: file)
  }

  /// Whether the store is encrypted, which does not change while it is open.
  let isSealed: Bool

  var durability: BackendManifest.Durability { state.withLock { $0.durability } }

  /// Whether it writes to that file, or has just written it anew.
  func holds(_ identity: FileIdentity) -> Bool {
    let (file, successor) = state.withLock { ($0.file, $0.successor) }
    return [file, successor].contains { (try? $0?.status().identity) == identity }
  }

  /// Lets another user of the process in, who has to have the key of the store as if nobody had opened it before.
  ///
  /// - Throws: `keyRequired`, `wrongKey`, `notEncrypted`.
  func admit(_ encryption: Encryption?) throws(StorageError) {
    switch (state.withLock { $0.key?.envelope }, encryption) {
    case (nil, nil): break
    case (nil, _?): throw .notEncrypted(path)
    case (_?, nil): throw .keyRequired(path)
    case (let envelope?, let encryption?): _ = try envelope.unlock(with: encryption)
    }
  }

  /// Makes commits survive at least that much from now on.
  ///
  /// - Throws: `io` when what was committed before cannot be brought to the disk.
  func raise(to durability: BackendManifest.Durability) throws(StorageError) {
    let (file, isRaised) = state.withLock { state in
      let isRaised = state.durability.isWeaker(than: durability)
      if isRaised { state.durability = durability }
      return (state.file, isRaised)
    }
    if isRaised, durability == .powerLoss, let file { try file.sync() }
  }

  /// What the next writer builds on. Only for the holder of the turn.
  ///
  /// - Throws: `readOnly` after a failure.
  func base() throws(StorageError) -> TreeState {
    try state.withLock { state throws(StorageError) in
      if let failure = state.failure {
        throw StorageError(
          .readOnly, "the store can only be read until it is opened again, because a commit failed: \(failure.message)",
          cause: failure)
      }
      return state.written
    }
  }

  // MARK: Committing

  func commit(_ state: TreeState, _ changes: (any TreeRecorder)?) throws(StorageError) {
    do throws(StorageError) {
      guard let batch = changes as? BatchWriter else {
        throw StorageError(.io, "a transaction of another engine")
      }
      try append(batch, state)
    } catch {
      store.leave()
      throw error
    }
    store.leave()
    if durability == .powerLoss { try waitForSync(of: state.version) }
    compactIfWorthwhile()
  }

  func commitUnchanged(_ state: TreeState) throws(StorageError) {
    store.leave()
    if durability == .powerLoss { try waitForSync(of: state.version) }
  }

  func rollBack() {
    let seen = state.withLock { $0.written.version }
    store.leave()
    // The body may have seen a state that readers do not see before it is on the disk, and its caller knows: nobody
    // reads an older one after that. Where the disk refuses, the store takes no more writes.
    if durability == .powerLoss { try? waitForSync(of: seen) }
  }

  private func append(_ batch: BatchWriter, _ new: TreeState) throws(StorageError) {
    let tag = try seal(batch, new)
    let checksum = tag == nil ? batch.contentChecksum() : 0
    try state.withLock { state throws(StorageError) in
      if let failure = state.failure { throw failure }
      guard let file = state.file, !state.isClosing else { throw .storeClosed }
      guard processID == FlatFileOwner.thisProcess else {
        throw .inUse(by: processID, "\(path) was opened by process \(processID); its fork must open it again")
      }
      let end = state.end
      do throws(StorageError) {
        // Bytes in a file without a name are lost with the process, whatever is synced.
        if try file.status().links == 0 { throw StorageError(.io, "\(path) was removed while it was open") }
        // It gets to the disk with the first sync that a commit waits for; until then the older mark holds as well.
        if state.mark.isClosed {
          let mark = state.mark.again(isClosed: false)
          try mark.write(to: file, of: state.header, state.key)
          state.mark = mark
        }
        let write = { (bytes: UnsafeRawBufferPointer) throws(StorageError) in
          try file.write(bytes, at: end)
          state.end = end + bytes.count
          state.chain = FlatFileMark.chain(state.chain, BatchHeader.checksum(bytes))
        }
        if let tag {
          try batch.withSealedBatch(write)
          state.last = tag
        } else {
          try batch.withBatch(
            tag: state.header.tag, commit: new.version.rawValue, synced: state.synced, contentChecksum: checksum, write)
        }
      } catch {
        guard error.code == .full else { throw fail(&state, error) }
        do throws(StorageError) { try file.truncate(to: end) } catch { _ = fail(&state, error) }
        throw error
      }
      state.written = new
      state.figures.batches += 1
      state.figures.commits += 1
      if state.durability != .powerLoss { publish(&state, new, end: state.end) }
    }
  }

  /// Seals the batch of an encrypted file, where it is. Only for the holder of the turn: nobody beside it changes what the
  /// batch is bound to.
  ///
  /// - Returns: Its tag; nil for a plain file.
  /// - Throws: `full`, `limitExceeded`, `io`; nothing is written then.
  private func seal(_ batch: BatchWriter, _ new: TreeState) throws(StorageError) -> BatchTag? {
    let bound = try state.withLock { state throws(StorageError) -> (any StoreCipher, BatchHeader, BatchTag)? in
      guard let key = state.key else { return nil }
      // Of every batch and every mark that the file has had, and those of its closing.
      guard UInt64(state.figures.batches) &+ state.mark.number < StoreCipherFormat.sealLimit - 16 else {
        throw StorageError(.limitExceeded, "\(path) has as many commits as one key may seal: it has to be compacted")
      }
      let header = BatchHeader(
        flags: 0, tag: state.header.tag, commit: new.version.rawValue, synced: state.synced, length: 0,
        contentChecksum: 0)
      return (key.cipher, header, state.last)
    }
    guard let (cipher, header, last) = bound else { return nil }
    return try batch.seal(header, cipher, after: last)
  }

  private func publish(_ state: inout State, _ new: TreeState, end: Int) {
    state.committedEnd = end
    state.committed = new
    store.publish(new)
  }

  /// Drops what is not committed, and lets nothing be written any more.
  func fail(_ state: inout State, _ error: StorageError) -> StorageError {
    if state.failure == nil {
      state.failure = error
      // What failed should not be there when the store is opened again. Where this fails too, it may be.
      if let file = state.file { try? file.truncate(to: state.committedEnd) }
    }
    return error
  }

  private enum Step {
    case done
    case failed(StorageError)
    case wait(DispatchSemaphore)
    case sync(any StoreFile, TreeState, end: Int)
  }

  /// Waits until the commit is on the disk.
  func waitForSync(of version: CommitVersion) throws(StorageError) {
    while true {
      let step = state.withLock { state -> Step in
        if state.committed.version >= version { return .done }
        if let failure = state.failure { return .failed(failure) }
        if state.isSyncing {
          let semaphore = DispatchSemaphore(value: 0)
          state.waiters.append(semaphore)
          return .wait(semaphore)
        }
        guard let file = state.file else { return .failed(.storeClosed) }
        state.isSyncing = true
        return .sync(file, state.written, end: state.end)
      }
      switch step {
      case .done: return
      case .failed(let error): throw error
      case .wait(let semaphore): semaphore.wait()
      case .sync(let file, let written, let end): sync(file, written, end: end)
      }
    }
  }

  /// Syncs for everybody whose batch is before `end`.
  private func sync(_ file: any StoreFile, _ written: TreeState, end: Int) {
    var failure: StorageError?
    do throws(StorageError) { try file.sync() } catch { failure = error }
    let waiters = state.withLock { state in
      state.isSyncing = false
      state.figures.syncs += 1
      if let failure {
        _ = fail(&state, failure)
      } else if state.failure == nil {
        state.synced = written.version.rawValue
        publish(&state, written, end: end)
      }
      let waiters = state.waiters
      state.waiters = []
      return waiters
    }
    for waiter in waiters { waiter.signal() }
  }

  // MARK: Closing

  /// Ends rewriting for good: the file keeps its place until it is closed.
  func endCompactions() {
    state.withLock { $0.isClosing = true }
    compactions.sync {}
  }

  /// Brings what is written to the disk, and lets the next opener in.
  ///
  /// - Throws: What the last sync threw, unless a commit has thrown it before; the store is closed all the same.
  func close() throws(StorageError) {
    let (written, hasFailed) = state.withLock { state in
      state.isClosing = true
      return (state.written, state.failure != nil)
    }
    // A rewrite that goes on sees that the store is closing and ends.
    compactions.sync {}
    var failure: StorageError?
    // Whoever's commit failed was told so.
    if !hasFailed {
      do throws(StorageError) {
        try waitForSync(of: written.version)
        try state.withLock { state throws(StorageError) in
          if let file = state.file { try Self.markClosed(&state, file) }
        }
      } catch {
        failure = error
      }
    }
    let file = state.withLock { state in
      let file = state.file
      state.file = nil
      return file
    }
    if let file {
      try? FlatFileOwner.clear(in: file)
      file.unlock()
    }
    if let failure { throw failure }
  }

  /// Says in the file where it ends, so that whoever opens it knows whether it is whole. Only when nothing is on its way
  /// to the disk any more.
  private static func markClosed(_ state: inout State, _ file: any StoreFile) throws(StorageError) {
    // Who asked for no syncs has none: there is nothing that the file could be held to.
    if state.durability == .none || state.mark.isClosed && state.mark.end == state.end { return }
    if state.durability == .processCrash { try file.sync() }
    let mark = state.mark.next(
      isClosed: true, end: state.end, commit: state.written.version.rawValue, chain: state.chain, last: state.last)
    try mark.write(to: file, of: state.header, state.key)
    try file.sync()
    state.mark = mark
    // An encrypted file says it at both places: see FlatFileMark.settle. The one is on the disk before the other is torn.
    guard state.key != nil else { return }
    let again = mark.again(isClosed: true)
    try again.write(to: file, of: state.header, state.key)
    try file.sync()
    state.mark = again
  }
}

extension BackendManifest.Durability {
  /// Whether less survives than at the other level.
  func isWeaker(than other: BackendManifest.Durability) -> Bool {
    switch (self, other) {
    case (.powerLoss, _), (_, .none): false
    case (.none, _): true
    case (.processCrash, _): other == .powerLoss
    }
  }
}
