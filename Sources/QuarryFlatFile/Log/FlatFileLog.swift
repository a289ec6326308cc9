import Dispatch
import QuarryBackend
import QuarrySystem
import QuarryTree
import Synchronization

/// The file that is open for writing: appends batches, brings them to the disk, and only then shows them to readers.
///
/// A writer appends its batch while it has the turn, gives the turn back and waits for the disk. The first waiter syncs all
/// batches appended by then; the others wait for its sync, and one of them syncs the rest. So writers that commit at the same
/// time share a sync, and the next writer builds on a state that is not yet read.
final class FlatFileLog: TreeCommitter {
  /// The content of the file, and how far it is safe.
  struct State {
    /// Nil when the store was closed.
    var file: (any StoreFile)?
    /// The file's identity, once a commit has needed it.
    var identity: FileIdentity?
    /// The rewritten file while it takes the place of the other: the path may name either.
    var successor: (any StoreFile)?
    var header: FlatFileHeader
    /// The key that seals the file; nil for a plain one.
    var key: FlatFileKey?
    /// The end of the file as the file records it.
    var mark: FlatFileMark
    /// The failures that commits survive. It can be raised while the store is open.
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
  /// The findings of opening the file.
  let report: OpeningReport
  /// The process that opened it: a fork of it must not use the file.
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

  /// A store that is released without being closed stays open for its transactions, and the lock is released with the last.
  deinit {
    let file = state.withLock { $0.failure == nil ? $0.file : nil }
    guard let file, processID == FlatFileOwner.thisProcess else { return }
    try? state.withLock { state throws(StorageError) in try Self.markClosed(&state, file) }
    try? FlatFileOwner.clear(in: file)
  }

  /// Whether the store is encrypted, which does not change while it is open.
  let isSealed: Bool

  var durability: BackendManifest.Durability { state.withLock { $0.durability } }

  /// Whether it writes to that file, or has just rewritten it.
  func holds(_ identity: FileIdentity) -> Bool {
    let (file, successor) = state.withLock { ($0.file, $0.successor) }
    return [file, successor].contains { (try? $0?.status().identity) == identity }
  }

  /// Checks that a path by which the store was opened still names its file.
  ///
  /// - Throws: `io`; nothing where the store was closed.
  func requireInPlace(_ path: String) throws(StorageError) {
    try state.withLock { state throws(StorageError) in try requireInPlace(&state, path) }
  }

  func requireInPlace(_ state: inout State, _ path: String) throws(StorageError) {
    guard let file = state.file else { return }
    let identity = if let known = state.identity { known } else { try file.status().identity }
    state.identity = identity
    let found: FileIdentity?
    do throws(StorageError) {
      found = try files.status(of: path)?.identity
    } catch {
      // A file that the system does not let this process read may be in its place.
      guard error.code == .notFound else { return }
      found = nil
    }
    if found == identity { return }
    if let found, try state.successor?.status().identity == found { return }
    throw .removedOrReplaced(path)
  }

  /// Admits another user of the process, which must have the key of the store as if it were not open.
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
  /// - Throws: `io` when what was committed before cannot be synced to the disk.
  func raise(to durability: BackendManifest.Durability) throws(StorageError) {
    let (file, isRaised) = state.withLock { state in
      let isRaised = state.durability.isWeaker(than: durability)
      if isRaised { state.durability = durability }
      return (state.file, isRaised)
    }
    if isRaised, durability == .powerLoss, let file { try file.sync() }
  }

  /// The state that the next writer builds on. Only for the holder of the turn.
  ///
  /// - Throws: `readOnly` after a failure.
  func base() throws(StorageError) -> TreeState {
    try state.withLock { state throws(StorageError) in
      if let failure = state.failure { throw Self.readOnly(after: failure) }
      return state.written
    }
  }
}
