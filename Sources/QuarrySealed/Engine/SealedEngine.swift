public import QuarryBackend
public import QuarryKeyValue

/// Adds encryption to an engine of ordered trees.
///
/// Everything stored is in the trees of the engine below as sealed pages, including names of trees, keys, values and their sizes.
///
/// ```swift
/// let engine = try MyEngine(path, options)
/// guard let encryption = options.encryption else { return try KeyValueBackend(engine, options: options) }
/// return try KeyValueBackend(SealedEngine(engine, encryption: encryption), options: options)
/// ```
///
/// The trees of this engine are copy-on-write B+trees of pages of 4,080 bytes. Each page is a value of one tree of the base under
/// its number: `docs/formats/sealed-pages.md`. A page's parent has its tag, so a page that was changed, exchanged or put back is
/// detected. A commit is a commit of the base. So durability, sharing between processes, snapshots and waiting are as in the
/// base. Opened pages are kept in memory, shared by all transactions.
///
/// With ``init(checksumming:name:cacheBytes:timeout:)`` the same pages have checksums in place of seals: nothing is encrypted,
/// and damage is found before it is read as data.
///
/// Every call throws the errors of the base. A call that begins a transaction also throws `wrongKey` when the key was changed
/// elsewhere since the store was opened. Each read also throws `corrupt` for a page that is not as it was sealed.
///
/// It does not detect a whole store that is replaced by an earlier copy. It does not hide the number and size of commits from an
/// observer who sees the file change.
public final class SealedEngine<Base: KeyValueEngine>: KeyValueEngine {
  public typealias ReadTransaction = SealedReadTransaction
  public typealias WriteTransaction = SealedWriteTransaction
  public typealias Snapshot = SealedSnapshot<Base.Snapshot>

  /// The engine below.
  public let base: Base
  /// The properties of the base, except for ranges and key lengths.
  ///
  /// Ranges are counted without visiting their entries. Keys are of 960 bytes at most, or of as many as the base takes.
  public let properties: KeyValueEngineProperties
  let session: SealedSession
  let timeout: Double
  private let name: String

  /// Opens the sealed store of an engine, and creates it where the engine has nothing yet and may be written to.
  ///
  /// - Parameters:
  ///   - base: An open engine, which this one closes; it stays open when this throws.
  ///   - encryption: The key.
  ///   - name: The store's name in errors.
  ///   - cacheBytes: Bytes of opened pages that are kept in memory.
  ///   - timeout: The number of seconds to wait for a writer when the store is created or its key is changed.
  /// - Throws: `notEncrypted` when the engine has a plain store; `wrongKey`; `corrupt`; `schemaTooNew`. `notFound` when there is
  ///   nothing and the engine is for reading only. `unsupported` for an engine that takes no values of 4,080 bytes. `busy`,
  ///   `full`, `io`.
  public convenience init(
    _ base: Base, encryption: Encryption, name: String = "the store", cacheBytes: Int = 32 << 20, timeout: Double = 5
  ) throws(StorageError) {
    try self.init(base, encryption, name, cacheBytes, timeout)
  }

  /// Opens a store whose pages have checksums in place of seals.
  ///
  /// The store is created where the engine has nothing yet and may be written to. It is a plain store whose damage is found
  /// before it is read as data.
  ///
  /// - Parameters:
  ///   - base: An open engine, which this one closes; it stays open when this throws.
  ///   - name: The store's name in errors.
  ///   - cacheBytes: Bytes of pages that are kept in memory once they were compared with their checksums.
  ///   - timeout: The number of seconds to wait for a writer when the store is created.
  /// - Throws: `keyRequired` when the engine has a sealed store. `corrupt`, also where it has trees of a store without checksums.
  ///   `schemaTooNew`. `notFound` when there is nothing and the engine is for reading only. `unsupported` for an engine that
  ///   takes no values of 4,080 bytes. `busy`, `full`, `io`.
  public convenience init(
    checksumming base: Base, name: String = "the store", cacheBytes: Int = 32 << 20, timeout: Double = 5
  ) throws(StorageError) {
    try self.init(base, nil, name, cacheBytes, timeout)
  }

  private init(
    _ base: Base, _ encryption: Encryption?, _ name: String, _ cacheBytes: Int, _ timeout: Double
  ) throws(StorageError) {
    var properties = base.properties
    if let limit = properties.maximumValueBytes, limit < SealedFormat.pageBytes {
      let message = "\(properties.name) takes values of \(limit) bytes, and a sealed page has \(SealedFormat.pageBytes)"
      throw encryption == nil ? StorageError(.unsupported, message) : .unsupported(.openEncryption, message)
    }
    // Not more than the base has: so the same entries fit into a plain store of it.
    properties.maximumKeyBytes = min(properties.maximumKeyBytes ?? .max, SealedFormat.maximumKeyBytes)
    properties.countsRanges = true
    // The trees are this engine's own, and unreferenced pages are freed while a transaction reads.
    properties.knowsPresence = true
    properties.keepsLent = false
    if encryption != nil { properties.encrypts = true }
    self.properties = properties
    self.base = base
    self.name = name
    self.timeout = timeout
    let ciphers: SealedCiphers
    var needsMending = false
    if let encryption {
      (ciphers, needsMending) = try SealedStore.open(base, encryption, name: name, timeout: timeout)
    } else {
      ciphers = try SealedStore.openChecked(base, name: name, timeout: timeout)
    }
    session = SealedSession(ciphers, needsMending: needsMending, cacheBytes: cacheBytes)
    let transaction = try base.beginRead()
    defer { transaction.end() }
    _ = try session.state(in: transaction)
  }

  public var openingReport: OpeningReport { base.openingReport }

  // MARK: Transactions

  public func beginRead() throws(StorageError) -> SealedReadTransaction {
    try session.requireOpen()
    return try session.beginRead(base.beginRead(), nil)
  }

  /// One read of the base, for the root record; all else is in memory where the pages were opened before.
  ///
  /// - Throws: `closed`; `wrongKey` when the key was changed elsewhere since the store was opened; `corrupt` for a page that was
  ///   changed, exchanged or put back; `io`; the errors of the body.
  public func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, version: inout CommitVersion,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try session.requireOpen()
    var current: RootState?
    let cache = session.cache
    try SealedTrees.rootKey.withBytes { rootKey throws(StorageError) in
      _ = try base.withValue(SealedTrees.envelope, rootKey, version: &version) { stored throws(StorageError) in
        guard let state = cache.state, state.tag == RootState.tag(of: stored) else { return }
        current = state
      }
    }
    if let current {
      defer { withExtendedLifetime(current) {} }
      switch current.lookUp(tree, key) {
      case .value(let value):
        try body(value)
        return true
      case .absent: return false
      case .unknown: break
      }
    }
    return try withValueInTransaction(tree, key, version: &version, body)
  }

  public func beginWrite(timeout: Double) throws(StorageError) -> SealedWriteTransaction {
    try session.requireOpen()
    let transaction = try base.beginWrite(timeout: timeout)
    do throws(StorageError) {
      let state = try session.state(in: transaction)
      return SealedWriteTransaction(
        session, transaction, session.reader(transaction, state), state, properties)
    } catch {
      transaction.end()
      throw error
    }
  }

  public func snapshot() throws(StorageError) -> Snapshot {
    try session.requireOpen()
    return try SealedSnapshot(session, base.snapshot())
  }

  // MARK: The store below

  public func statistics() throws(StorageError) -> KeyValueEngineStatistics {
    var figures = try base.statistics()
    let transaction = try beginRead()
    defer { transaction.end() }
    let record = transaction.state.record
    figures.details["sealed trees"] = String(record.trees.count)
    figures.details["sealed entries"] = String(record.trees.reduce(0) { $0 &+ $1.root.count })
    figures.details["seals"] = String(record.seals)
    figures.details["bytes of opened pages"] = String(session.cache.meter.bytes)
    return figures
  }

  /// Stores the trees again where pages are not full, and compacts the base.
  ///
  /// - Throws: `closed`, `wrongKey`, `corrupt`; the errors of the base, among them `unsupported`, `readOnly`, `busy`, `full`,
  ///   `io`.
  /// - Complexity: Every node is opened and stored in one transaction of the base.
  public func compact() throws(StorageError) {
    try session.requireOpen()
    // Refuses before anything is written where the base cannot.
    try base.compact()
    let transaction = try beginWrite(timeout: timeout)
    do throws(StorageError) {
      try transaction.repack()
      _ = try transaction.commit()
    } catch {
      transaction.end()
      throw error
    }
    try base.compact()
  }

  public func freeDiskBytes() -> Int? { base.freeDiskBytes() }

  public func commitWatch() throws(StorageError) -> (any CommitWatch)? { try base.commitWatch() }

  public func requireInPlace() throws(StorageError) { try base.requireInPlace() }

  public func quarantine() throws(StorageError) -> String {
    try session.requireOpen()
    let place = try base.quarantine()
    session.close()
    return place
  }

  public func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    try session.requireOpen()
    try base.backup(to: path, progress: progress)
  }

  public func destroy() throws(StorageError) {
    try session.requireOpen()
    try base.destroy()
    session.close()
  }

  public func close() throws(StorageError) {
    if session.hasOldSlots.load(ordering: .relaxed) { try? overwriteOldSlots() }
    session.close()
    try base.close()
  }

  // MARK: Keys

  /// As the base has it: another process may have wrapped the key again.
  public var envelopeSlot: EnvelopeSlot? {
    guard let known = session.ciphers.slot else { return nil }
    return (try? Self.envelopeSlot(of: base)) ?? known
  }

  /// Changes the key in one transaction of the base, so that the store has either the old key or the new one.
  ///
  /// The full change seals every page again. The base has the old pages among its free pages until it uses these again or is
  /// compacted; a compaction is tried at the end where the base can. Slots of the old key are overwritten where the base keeps
  /// them. Where that fails, the key was changed all the same, and the slots are overwritten at the end of this opening. Open
  /// transactions and snapshots continue with the old key. Any other user of the open store gets `wrongKey` from then on.
  ///
  /// - Parameters:
  ///   - new: The new key.
  ///   - extent: Whether every page is sealed again, or only the data key wrapped again.
  /// - Throws: `closed`; `readOnly`; `notEncrypted` for a store with checksums in place of seals; `busy` after the engine's
  ///   timeout; `wrongKey`, `corrupt`, `full`, `io`.
  /// - Complexity: For the full change every page is opened, sealed and stored.
  public func rekey(to new: Encryption, _ extent: RekeyExtent) throws(StorageError) {
    try session.requireOpen()
    if properties.isReadOnly { throw .openedForReading }
    if session.ciphers.slot == nil { throw .notEncrypted(name) }
    let transaction = try base.beginWrite(timeout: timeout)
    do throws(StorageError) {
      let changed = try SealedRekeying(session, transaction).run(to: new, extent)
      _ = try transaction.commit()
      session.ciphers = changed
    } catch {
      transaction.end()
      throw error
    }
    if extent == .full {
      session.uncounted.store(0, ordering: .relaxed)
      session.cache.removeAll()
      // The new file has nothing of the old key.
      if properties.compacts, (try? base.compact()) != nil { return }
    }
    session.hasOldSlots.store(true, ordering: .relaxed)
    for _ in 0..<2 where session.hasOldSlots.load(ordering: .relaxed) { try? overwriteOldSlots() }
  }

  /// Overwrites the slots of keys that the store had before: each commit leaves the pages that it replaced in the file, with
  /// what was in them.
  private func overwriteOldSlots() throws(StorageError) {
    guard let slot = session.ciphers.slot else { return }
    let current = slot.bytes
    try base.overwriteOldValues(
      beginningWith: Array(current.prefix(12)), byteCount: EnvelopeSlot.byteCount, timeout: timeout
    ) { bytes in
      guard bytes != current, let found = try? EnvelopeSlot(bytes) else { return false }
      // Not one of a change that another process has made since.
      return found.identity == slot.identity && found.generation <= slot.generation
    }
    session.hasOldSlots.store(false, ordering: .relaxed)
  }

  /// Returns the defects below, in the slots of the key, in any page, and in the order and the numbers of the entries.
  ///
  /// - Throws: `closed`, `io`; `wrongKey` when the key was changed elsewhere.
  /// - Complexity: Every page is opened.
  public func check() throws(StorageError) -> [String] {
    try session.requireOpen()
    var defects = try base.check()
    let transaction = try beginRead()
    defer { transaction.end() }
    var check = SealedCheck(transaction.reader)
    try check.run(transaction.state, name: name)
    defects += check.defects
    return defects
  }
}

extension SealedEngine {
  /// The trees that have entries in the newest state: what is to be copied where a store is made plain.
  ///
  /// - Throws: `closed`, `wrongKey` when another process has changed the key, `corrupt`, `io`.
  public func treesWithEntries() throws(StorageError) -> [TreeID] {
    let transaction = try beginRead()
    defer { transaction.end() }
    return transaction.state.record.trees.map(\.tree)
  }

  /// The slot that holds the key of the store of an open engine; nil for a plain one.
  ///
  /// - Parameter base: An open engine, which stays open.
  /// - Throws: `corrupt`, `schemaTooNew`, `io`.
  public static func envelopeSlot(of base: Base) throws(StorageError) -> EnvelopeSlot? {
    let transaction = try base.beginRead()
    defer { transaction.end() }
    return try StoredEnvelope.read(transaction, of: "the store")?.slot
  }
}
