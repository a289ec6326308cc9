/// A read transaction over another read transaction: each call is a call of its hooks.
///
/// - Complexity: Two more dynamic calls for each call.
public final class ReaderLayer: BackendReadTransaction, SubqueryTransaction {
  private let base: any BackendReadTransaction
  private let hooks: any TransactionHooks

  /// Makes a layer over a read transaction.
  ///
  /// - Parameters:
  ///   - base: The transaction beneath.
  ///   - hooks: The calls that the layer makes instead, which belong to this transaction alone.
  public init(_ base: any BackendReadTransaction, _ hooks: any TransactionHooks) {
    self.base = base
    self.hooks = hooks
  }

  public var schema: Schema { hooks.schema(base) }
  public var schemaVersion: UInt64 { hooks.schemaVersion(base) }
  public func version() throws(StorageError) -> CommitVersion { try hooks.version(base) }

  public func row(_ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    try hooks.row(base, model, key)
  }

  public func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try hooks.rows(base, model, keys, body)
  }

  public func missing(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int] {
    try hooks.missing(base, model, keys)
  }

  public func answers(_ questions: [ReadQuestion]) throws(StorageError) -> [ReadAnswer] {
    try hooks.answers(base, questions)
  }

  public var failure: StorageError? { hooks.failure(base) }
  public func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor { try hooks.cursor(base, query) }
  public func count(_ query: BoundQuery) throws(StorageError) -> Int { try hooks.count(base, query) }

  public func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    try hooks.aggregate(base, aggregate)
  }

  public func explain(_ query: BoundQuery) throws(StorageError) -> QueryPlan { try hooks.explain(base, query) }

  public func decidesSubqueries(_ predicate: BoundPredicate, of model: ModelID) throws(StorageError) -> Bool {
    try hooks.decidesSubqueries(base, predicate, of: model)
  }

  public func end() { hooks.end(base) }
}
