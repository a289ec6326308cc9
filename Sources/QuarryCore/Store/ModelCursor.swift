public import QuarryBackend

/// The objects of a query, one after the other, in bounded memory.
///
/// It belongs to its transaction. In a write transaction, writing to the model while a cursor over it is open throws
/// `iterationActive`; ``close()`` closes it, and so does the end.
///
/// ```swift
/// let books = try tx.cursor(Book.all)
/// while let book = try books.next() { … }
/// ```
public final class ModelCursor<M: Model> {
  private let transaction: ReadTransaction
  private let binding: ModelBinding
  private let rows: any RowCursor
  private let pointers = RowPointers()
  private var filled = 0
  private var taken = 0
  private var isOpen = true

  init(_ transaction: ReadTransaction, _ binding: ModelBinding, _ rows: any RowCursor) {
    self.transaction = transaction
    self.binding = binding
    self.rows = rows
    (transaction as? WriteTransaction)?.beginStream(binding.model)
  }

  deinit {
    close()
  }

  /// The next object, or nil at the end.
  public func next() throws(StorageError) -> M? {
    try transaction.check()
    guard isOpen else { return nil }
    if taken == filled {
      filled = try rows.fill(pointers.buffer)
      taken = 0
      guard filled > 0 else {
        close()
        return nil
      }
    }
    let object = try M(reading: ModelReader(pointers.buffer[taken], binding))
    taken += 1
    return object
  }

  /// Calls the body with each object that is left.
  public func forEach(_ body: (M) throws -> Void) throws {
    defer { close() }
    while let object = try next() { try body(object) }
  }

  /// Gives the cursor's resources back. A second call does nothing.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    rows.close()
    (transaction as? WriteTransaction)?.endStream(binding.model)
  }
}

extension ReadTransaction {
  /// A cursor over the objects of the query, in its order.
  public func cursor<M: Model>(_ query: Query<M>) throws(StorageError) -> ModelCursor<M> {
    try check()
    let binding = try store.binding(M.self)
    return ModelCursor(self, binding, try rows(query, binding))
  }

  /// Calls the body with each object of the query, in its order and in bounded memory.
  public func forEach<M: Model>(_ query: Query<M>, _ body: (M) throws -> Void) throws {
    try cursor(query).forEach(body)
  }
}
