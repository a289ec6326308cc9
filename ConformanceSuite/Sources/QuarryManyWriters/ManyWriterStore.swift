import QuarryBackend
import QuarryKeyValue
import QuarryTree
import Synchronization

/// The trees of a store with many writers, and what recent commits have changed.
///
/// A transaction reads the state that it began with. When it commits, its reads are compared with what was committed since: if
/// none of it has changed, the transaction could have run after all of these, and its changes are repeated on the newest state.
/// So transactions are serializable. A commit is one short critical section, and no transaction waits for another's body.
final class ManyWriterStore: Sendable {
  fileprivate struct Commit {
    var version: CommitVersion
    var operations: [WriteOperation]
  }

  fileprivate struct State {
    /// The commits that a transaction that is open has not seen, in their order.
    var commits: [Commit] = []
    /// The versions that open transactions began with, each with the number of transactions.
    var bases: [CommitVersion: Int] = [:]
    /// The versions before those of the last commits.
    var previous: [CommitVersion: CommitVersion] = [:]
    /// The number of engines that have the store open.
    var users = 0
    /// Whether there is a store: from the first opening for writing until it is destroyed.
    var exists = false
    var random: SplitMix
  }

  let trees = TreeStore()
  private let state: Mutex<State>
  /// By how much a commit raises the version.
  private let step: ClosedRange<UInt64>

  /// - Parameter step: By how much a commit raises the version: a number of the range.
  init(step: ClosedRange<UInt64>, seed: UInt64) {
    self.step = step
    state = Mutex(State(random: SplitMix(seed)))
  }

  /// - Throws: `notFound` when there is no store, and it is not to be made.
  func open(createsIfMissing: Bool) throws(StorageError) {
    try state.withLock { state throws(StorageError) in
      guard state.exists || createsIfMissing else { throw StorageError(.notFound, "there is no store") }
      state.exists = true
      state.users += 1
    }
  }

  func close() { state.withLock { $0.users -= 1 } }

  /// Removes everything that is stored.
  ///
  /// - Throws: `inUse` when others have the store open.
  func destroy() throws(StorageError) {
    try state.withLock { state throws(StorageError) in
      guard state.users == 1 else { throw StorageError(.inUse, "the store is open elsewhere") }
      state.exists = false
      trees.publish(.empty)
    }
  }

  /// The newest state, for a transaction that ``end(_:)`` or ``commit(_:_:_:)`` ends.
  func begin() -> TreeState {
    state.withLock { state in
      let newest = trees.state
      state.bases[newest.version, default: 0] += 1
      return newest
    }
  }

  /// Ends a transaction that has changed nothing.
  func end(_ base: CommitVersion) {
    state.withLock { $0.end(base) }
  }

  /// Commits what a transaction has changed.
  ///
  /// - Throws: `conflict` when a commit since its beginning has changed what it has read.
  func commit(
    _ base: CommitVersion, _ footprint: ReadFootprint, _ operations: [WriteOperation]
  ) throws(StorageError) -> CommitVersion {
    try state.withLock { state throws(StorageError) in
      defer { state.end(base) }
      for commit in state.commits where commit.version > base {
        if commit.operations.contains(where: { footprint.overlaps($0) }) { throw .overtaken }
      }
      let newest = trees.state
      var trees = newest.trees
      for operation in operations { try trees.apply(operation) }
      let version = CommitVersion(newest.version.rawValue + .random(in: step, using: &state.random))
      state.commits.append(Commit(version: version, operations: operations))
      state.previous[version] = newest.version
      self.trees.publish(TreeState(version: version, trees: trees))
      return version
    }
  }

  /// The version before one that a commit has just made; nil when it is not known any more.
  func takePrevious(of version: CommitVersion) -> CommitVersion? {
    state.withLock { $0.previous.removeValue(forKey: version) }
  }
}

extension ManyWriterStore.State {
  fileprivate mutating func end(_ base: CommitVersion) {
    bases[base, default: 1] -= 1
    if bases[base] == 0 { bases[base] = nil }
    guard let oldest = bases.keys.min() else { return commits.removeAll() }
    commits.removeAll { $0.version <= oldest }
  }
}

extension TreeSet {
  fileprivate mutating func apply(_ operation: WriteOperation) throws(StorageError) {
    switch operation {
    case .put(let tree, let key, let value):
      try key.withBytes { key throws(StorageError) in
        try value.withBytes { value throws(StorageError) in try put(tree, key, value) }
      }
    case .delete(let tree, let key): try key.withBytes { key throws(StorageError) in try remove(tree, key) }
    case .deleteRange(let tree, let range): try remove(tree, in: range)
    }
  }
}

extension StorageError {
  static var overtaken: StorageError {
    StorageError(.conflict, "another transaction has changed what this one has read")
  }
}

/// A generator of random numbers whose sequence follows from its seed.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
