import QuarryBackend
import QuarryConformance

/// A sound backend behind a twist.
final class TwistedBackend: BackendLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; the twist is constant and Sendable.
  private let twist: any Twist
  private let letGo: @Sendable () -> Void
  private let hold: @Sendable () -> Void

  /// - Parameters:
  ///   - letGo: Lets go of what else holds the data, before they are destroyed or put aside.
  ///   - hold: Holds them again, where that was refused.
  init(
    _ backend: any Backend, _ twist: any Twist, letGo: @escaping @Sendable () -> Void,
    hold: @escaping @Sendable () -> Void
  ) {
    self.twist = twist
    self.letGo = letGo
    self.hold = hold
    super.init(backend)
  }

  override var manifest: BackendManifest { twist.manifest(base) }

  override var readsRowsInTransactions: Bool { true }

  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    twisted(try twist.beginRead(base), twist)
  }

  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    WriterLayer(WriterLayer(try twist.beginWrite(base, options), twist), TwistedHooks(twist))
  }

  override func snapshot() throws(StorageError) -> any BackendSnapshot {
    TwistedSnapshot(try twist.snapshot(base), twist)
  }

  override func compact() throws(StorageError) { try twist.compact(base) }
  override func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    try twist.backup(base, to: path, progress)
  }

  override func check() throws(StorageError) -> [String] { try twist.check(base) }
  override func statistics() throws(StorageError) -> BackendStatistics { try twist.statistics(base) }

  override func quarantine() throws(StorageError) -> String {
    letGo()
    do throws(StorageError) {
      return try super.quarantine()
    } catch {
      hold()
      throw error
    }
  }

  override func destroy() throws(StorageError) {
    if twist.destroysData { letGo() }
    try twist.destroy(base)
  }

  override func close() throws(StorageError) { try twist.close(base) }
}

private final class TwistedSnapshot: SnapshotLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; the twist is constant and Sendable.
  private let twist: any Twist

  init(_ snapshot: any BackendSnapshot, _ twist: any Twist) {
    self.twist = twist
    super.init(snapshot)
  }

  override func beginRead() throws(StorageError) -> any BackendReadTransaction { twisted(try super.beginRead(), twist) }
}

private func twisted(_ reader: any BackendReadTransaction, _ twist: any Twist) -> any BackendReadTransaction {
  ReaderLayer(ReaderLayer(reader, twist), TwistedHooks(twist))
}

/// What holds for every twist: it changes queries before it answers them, and a transaction ends once.
private final class TwistedHooks: TransactionHooks {
  private let twist: any Twist
  private var hasEnded = false

  init(_ twist: any Twist) {
    self.twist = twist
  }

  private func twisted(_ query: BoundQuery, _ base: Reader) -> BoundQuery { twist.query(query, base.schema) }

  func cursor(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    try base.cursor(twisted(query, base))
  }

  func count(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> Int { try base.count(twisted(query, base)) }

  func aggregate(_ base: Reader, _ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    var aggregate = aggregate
    aggregate.rows = twisted(aggregate.rows, base)
    return try base.aggregate(aggregate)
  }

  func update(
    _ base: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]
  ) throws(StorageError) -> Int {
    try base.update(twisted(query, base), assignments)
  }

  func delete(_ base: Writer, _ query: BoundQuery) throws(StorageError) -> Int {
    try base.delete(twisted(query, base))
  }

  func commit(_ base: Writer) throws(StorageError) -> CommitResult {
    hasEnded = true
    return try base.commit()
  }

  func rollback(_ base: Writer) {
    guard !hasEnded else { return }
    hasEnded = true
    base.rollback()
  }

  func end(_ base: Reader) {
    guard let writer = base as? any BackendWriteTransaction else { return base.end() }
    rollback(writer)
  }
}
