public import QuarryBackend

/// A read transaction that hands every call on to another. What wraps an engine overrides the calls that it changes.
open class ForwardingReadTransaction: BackendReadTransaction {
  public let inner: any BackendReadTransaction
  private let onEnd: () -> Void
  private var hasEnded = false

  /// - Parameter onEnd: Is called once, when the transaction has ended in any way.
  public init(_ reader: any BackendReadTransaction, onEnd: @escaping () -> Void = {}) {
    inner = reader
    self.onEnd = onEnd
  }

  deinit {
    if !hasEnded { onEnd() }
  }

  final func ended() {
    guard !hasEnded else { return }
    hasEnded = true
    onEnd()
  }

  open var schema: Schema { inner.schema }
  open func version() throws(StorageError) -> CommitVersion { try inner.version() }

  open func row(_ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    try inner.row(model, key)
  }

  open func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try inner.rows(model, keys, body)
  }

  open func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor { try inner.cursor(query) }
  open func count(_ query: BoundQuery) throws(StorageError) -> Int { try inner.count(query) }

  open func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    try inner.aggregate(aggregate)
  }

  open func explain(_ query: BoundQuery) throws(StorageError) -> QueryPlan { try inner.explain(query) }

  open func end() {
    inner.end()
    ended()
  }
}
