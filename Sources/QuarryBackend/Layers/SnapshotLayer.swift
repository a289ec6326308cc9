/// A snapshot over another snapshot: it forwards every call, and a subclass overrides the calls that it changes.
open class SnapshotLayer: BackendSnapshot, @unchecked Sendable {
  // Unchecked because the class is open; its stored properties are constant and Sendable.
  /// The snapshot beneath.
  public let base: any BackendSnapshot
  private let hooks: @Sendable () -> (any TransactionHooks)?

  /// Makes a layer over a snapshot.
  ///
  /// - Parameters:
  ///   - base: The snapshot beneath.
  ///   - hooks: Makes the hooks of one read transaction; nil where the transaction is handed on as it is.
  public init(_ base: any BackendSnapshot, hooks: @escaping @Sendable () -> (any TransactionHooks)? = { nil }) {
    self.base = base
    self.hooks = hooks
  }

  open var version: CommitVersion { base.version }

  open func beginRead() throws(StorageError) -> any BackendReadTransaction {
    let transaction = try base.beginRead()
    guard let hooks = hooks() else { return transaction }
    return ReaderLayer(transaction, hooks)
  }

  open func close() { base.close() }
}
