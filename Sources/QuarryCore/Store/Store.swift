public import QuarryBackend
import Synchronization

/// Objects of some models, kept by an engine.
///
/// ```swift
/// let store = try Store(for: Book.self, in: .sqlite(at: "library.db"))
/// try store.write { tx in try tx.insert(book) }
/// let recent = try store.read { tx in try tx.fetch(Book.where { $0.year >= 1970 }) }
/// ```
///
/// A store may be used by any number of threads and tasks. Reads see one committed state from begin to end. There is one write at
/// a time, unless the engine has many writers, and readers and writers never wait for each other.
public final class Store: Sendable {
  @usableFromInline let backend: any Backend
  /// The part of the store that its transactions use.
  @usableFromInline let context: StoreContext
  private let isClosed = Atomic(false)
  /// The versions of the stored schema under which the bindings were found to hold.
  private let checkedSchema: Atomic<UInt64>
  /// The way of every transaction that writes.
  let pipeline: CommitPipeline
  /// The hub that notifies observers of commits.
  var observation: ObservationHub { pipeline.observation }
  /// Results that are kept.
  let cache: QueryCache
  let isReadOnly: Bool
  private let refusesWrites: Bool
  /// Whether the store was opened to be filled, and may have the mark of an unfinished one.
  let isToFill: Bool
  /// The seconds that a write waits for others.
  let busyTimeout: Double
  static let readerThreads = TransactionThreads(name: "quarry.reader", limit: 64)

  /// Opens a store for the given models, and creates it if it does not exist.
  ///
  /// Differences from the models that lose nothing are applied: see ``Migration/automatic``. Indexes are created and dropped to
  /// match the models. ``openingReport`` lists what was done. The store may have other models.
  ///
  /// - Parameters:
  ///   - models: The models of the program; none opens the store for ``ReadScope/records`` alone.
  ///   - provider: The engine and the place of the store: `.sqlite(at: "library.db")`.
  ///   - options: How the store is opened: for reading only, how long writes wait, whether a history is kept.
  ///   - encryption: The key of the store, which a newly created store gets; nil to follow the options. See ``Encryption``.
  /// - Throws: `schemaMismatch` when the models differ in any other way, listing what would be lost and how to request it.
  ///   `uniqueViolation`, with two keys, when objects are in the way of a unique index. After either, the store is as it was.
  ///   `notFound`, `io`, `corrupt`, `schemaTooNew`, `inUse`, `busy`, `readOnly`. `keyRequired`, `wrongKey`, `notEncrypted` where
  ///   the store and the key do not match; `unsupported` for an option that the engine does not offer.
  /// - Complexity: Proportional to the changes that opening applies: a new index reads every object of its model.
  public convenience init(
    for models: any Model.Type..., in provider: some BackendProvider, options: OpenOptions = OpenOptions(),
    encryption: Encryption? = nil
  ) throws {
    try self.init(models: models, in: provider, options: options, encryption: encryption)
  }

  /// Opens a store for the models of an array.
  ///
  /// - Parameter models: The models of the program.
  /// - Throws: As ``init(for:in:options:encryption:)``.
  public convenience init(
    models: [any Model.Type], in provider: any BackendProvider, options: OpenOptions = OpenOptions(),
    encryption: Encryption? = nil
  ) throws {
    do {
      try self.init(
        models: models, in: provider, options: options, encryption: encryption, migration: .automatic)
    } catch {
      // No code of the caller runs, so that nothing else is thrown.
      throw error as? StorageError ?? StorageError(.io, "the store could not be opened", cause: error)
    }
  }

  init(_ opened: OpenedStore) {
    backend = opened.backend
    pipeline = opened.pipeline
    cache = QueryCache(opened.pipeline.observation)
    context = opened.context
    checkedSchema = Atomic(opened.schema.version)
    openingReport = opened.report
    schemaVersion = opened.schema.programVersion ?? 0
    isReadOnly = opened.options.isReadOnly || opened.options.refusesWrites
    refusesWrites = opened.options.refusesWrites
    isToFill = opened.isToFill
    busyTimeout = opened.options.busyTimeout
  }

  /// The report of the opening: the end of a file that could not be read, and changes of the schema.
  public let openingReport: OpeningReport

  /// The version of the models when the store was opened, after a migration to it; 0 for a store without a version.
  public let schemaVersion: Int

  /// The engine's capabilities, its limits and its durability.
  public var manifest: BackendManifest { backend.manifest }

  /// Closes the store. Open readers and cursors, and waiting writers, throw `closed` from then on. A second call does nothing.
  ///
  /// - Throws: `io` or `full` when the engine cannot write what a proper end writes. The store is closed then, too.
  public func close() throws {
    guard !isClosed.exchange(true, ordering: .sequentiallyConsistent) else { return }
    pipeline.writers.close()
    cache.clear()
    observation.close()
    try backend.close()
  }

  /// Closes the store and removes all its files.
  ///
  /// - Throws: `reentrant` inside a transaction of this store; `inUse` when it is open elsewhere; `readOnly`.
  public func destroy() throws {
    try checkOpen()
    if try currentTransaction() != nil {
      throw StorageError(.reentrant, "a store cannot be destroyed inside a transaction of the store")
    }
    try backend.manifest.require(.destroy)
    try refuseForEngine()
    isClosed.store(true, ordering: .sequentiallyConsistent)
    do throws(StorageError) {
      try backend.destroy()
    } catch {
      // Refused, because it is open elsewhere for example: the store stays open, and can be closed.
      isClosed.store(false, ordering: .sequentiallyConsistent)
      throw error
    }
    pipeline.writers.close()
    cache.clear()
    observation.close()
  }

  /// Adds checksums to a closed plain store that has none, so that damage is detected before it is read as data.
  ///
  /// Older versions created such stores on SQLite, and LMDB creates them by default. The store is rewritten: after a crash it is
  /// in its old or its new state.
  ///
  /// - Parameter place: The engine and the place of the closed store.
  /// - Throws: `inUse` when the store is open anywhere; `keyRequired` for an encrypted store, whose seals serve this purpose,
  ///   too. `notFound`, `corrupt`, `full`, `io`; `unsupported` where the engine has no stores without checksums, or none with
  ///   them. The store is then as it was.
  /// - Complexity: As for rewriting the store.
  public static func addChecksums(_ place: some BackendProvider) throws {
    try place.requireChecksumming().addChecksums()
  }

  /// Gives free space back. No answer changes, and what is open stays open. See also ``OpenOptions/compaction``.
  ///
  /// - Throws: `reentrant` inside a write of this store. `inUse` where another process has the store open and the engine cannot
  ///   compact it meanwhile (LMDB). `busy`, `readOnly`, `full`, `io`; `unsupported` for a store in memory.
  public func compact() throws {
    try checkOpen()
    if try currentTransaction() is WriteTransaction {
      throw StorageError(.reentrant, "a store cannot be compacted inside a write of the store")
    }
    try backend.manifest.require(.compact)
    try refuseForEngine()
    try backend.requireCompacting().compact()
  }

  /// Rows, sizes and figures of the engine's own.
  ///
  /// - Throws: `closed`; `unsupported` where the engine offers no statistics; `io`, `corrupt`.
  /// - Complexity: O(n) in the number of rows for engines that do not keep counts.
  public func statistics() throws -> BackendStatistics {
    try checkOpen()
    try backend.manifest.require(.statistics)
    var statistics = try backend.statistics()
    // Names that begin so are Quarry's own: contract SCH-3.
    statistics.models.removeAll { $0.name == InternalModel.sequences.name }
    return statistics
  }

  /// Checks that the place of the store still has the open store, where it has a place.
  ///
  /// - Throws: `closed`; `io` (`StorageError.removedOrReplaced`) where the store was removed or replaced.
  package func requireInPlace() throws(StorageError) {
    try checkOpen()
    try (backend as? any WatchedBackend)?.requireInPlace()
  }

  /// Refuses care of the files of a store that only reads where its engine is a writer and would not refuse it.
  func refuseForEngine() throws(StorageError) {
    if refusesWrites { throw StorageError.openedForReading }
  }

  @usableFromInline
  func checkOpen() throws(StorageError) {
    if isClosed.load(ordering: .relaxed) { throw .storeClosed }
  }

  /// The last schema version that was validated, for which the bindings hold.
  @usableFromInline
  var validatedSchemaVersion: UInt64 { checkedSchema.load(ordering: .relaxed) }

  /// Validates the bindings against the newest schema.
  ///
  /// - Returns: The version of the schema.
  /// - Throws: `schemaMismatch` when the bindings do not hold for it.
  @usableFromInline @inline(never)
  func revalidateSchema() throws(StorageError) -> UInt64 {
    try repeating { () throws(StorageError) in
      let transaction = try backend.beginRead()
      defer { transaction.end() }
      try checkBindings(transaction)
      return transaction.schema.version
    }
  }

  /// Runs a read of the engine, and again when it conflicts, where there are many writers.
  func repeating<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
    try pipeline.repeating(for: busyTimeout, body)
  }

  /// Checks that the bindings hold in a state of the store that may have been changed by another process or by a
  /// dynamic schema change.
  func checkBindings(_ transaction: any BackendReadTransaction) throws(StorageError) {
    guard transaction.schemaVersion != checkedSchema.load(ordering: .relaxed) else { return }
    // A copy may have begun at the place of a store that had no models when it was opened.
    if !isToFill { try UnfinishedMark.requireWhole(transaction) }
    let schema = transaction.schema
    for binding in context.bindings.compactMap({ $0 }) where !binding.holds(in: schema) {
      throw StorageError(.schemaMismatch, "the model was changed after the store was opened", model: binding.name)
    }
    try pipeline.recorder.look(transaction)
    pipeline.keeping.look(schema)
    checkedSchema.store(schema.version, ordering: .relaxed)
  }
}
