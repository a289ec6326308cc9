import QuarryBackend
import QuarryKeyValue
import Synchronization

/// One opening of a sealed store: its keys, its cache, and whether it was closed.
final class SealedSession: Sendable {
  let cache: NodeCache
  private let keys: Mutex<SealedCiphers>
  private let closed = Atomic(false)
  /// Pieces that were sealed by transactions that were not committed: the next one counts them.
  let uncounted = Atomic<UInt64>(0)

  /// Whether a slot of the key was found damaged, which the next commit overwrites with the one that holds.
  let needsMending: Atomic<Bool>

  /// Whether slots of a key that the store had before may be left in the file.
  let hasOldSlots = Atomic(false)

  init(_ ciphers: SealedCiphers, needsMending: Bool = false, cacheBytes: Int) {
    self.needsMending = Atomic(needsMending)
    keys = Mutex(ciphers)
    cache = NodeCache(limit: cacheBytes)
  }

  var ciphers: SealedCiphers {
    get { keys.withLock { $0 } }
    set { keys.withLock { $0 = newValue } }
  }

  @inline(__always)
  func requireOpen() throws(StorageError) {
    if closed.load(ordering: .acquiring) { throw .storeClosed }
  }

  func close() {
    closed.store(true, ordering: .releasing)
    cache.removeAll()
  }

  /// The state that the root record of a transaction of the base says.
  func state(in base: some KeyValueReadTransaction) throws(StorageError) -> RootState {
    guard let stored = try SealedTrees.root(in: base), let tag = RootState.tag(of: stored) else {
      throw .damaged("its root record is missing")
    }
    if let state = cache.state, state.tag == tag { return state }
    let ciphers = ciphers
    guard let content = try ciphers.openRoot(stored) else {
      // The key may have been changed elsewhere since this store was opened.
      let slot = try StoredEnvelope.read(base, of: "the store")?.slot
      if let slot, slot != ciphers.slot {
        throw StorageError(.wrongKey, "the key of the store was changed elsewhere since it was opened")
      }
      throw .damaged("its root record is not as it was sealed")
    }
    let state = RootState(try RootRecord(content), tag: tag, ciphers)
    cache.publish(state)
    return state
  }

  func reader(_ base: any KeyValueReadTransaction, _ state: RootState) -> PageReader {
    PageReader(base: base, ciphers: state.ciphers, cache: cache)
  }
}

/// The slots of the key, as values of the base.
enum StoredEnvelope {
  private static func slot(
    _ base: some KeyValueReadTransaction, _ tree: TreeID, _ key: [UInt8]
  ) throws(StorageError) -> [UInt8]? {
    try key.withBytes { key throws(StorageError) in try base.get(tree, key).map { Array($0) } }
  }

  /// The envelope; nil where there is none.
  ///
  /// - Throws: `corrupt` when neither slot is whole; `schemaTooNew`.
  static func read(
    _ base: some KeyValueReadTransaction, of name: String
  ) throws(StorageError) -> Envelope? {
    let first = try slot(base, SealedTrees.envelope, SealedTrees.slotKey)
    let second = try slot(base, SealedTrees.pages, SealedTrees.otherSlotKey)
    if first == nil, second == nil { return nil }
    return try Envelope(first: first ?? [], second: second ?? [], of: name)
  }

  static func write(_ slot: EnvelopeSlot, _ base: some KeyValueWriteTransaction) throws(StorageError) {
    try slot.bytes.withBytes { bytes throws(StorageError) in
      try SealedTrees.slotKey.withBytes { key throws(StorageError) in
        _ = try base.put(SealedTrees.envelope, key, bytes)
      }
      try SealedTrees.otherSlotKey.withBytes { key throws(StorageError) in
        _ = try base.put(SealedTrees.pages, key, bytes)
      }
    }
  }

  static func writeRoot(_ record: [UInt8], _ base: some KeyValueWriteTransaction) throws(StorageError) {
    try record.withBytes { bytes throws(StorageError) in
      try SealedTrees.rootKey.withBytes { key throws(StorageError) in
        _ = try base.put(SealedTrees.envelope, key, bytes)
      }
    }
  }
}
