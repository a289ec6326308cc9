public import QuarryBackend

/// The objects of a query, one after the other, in bounded memory.
///
/// It belongs to its transaction. In a write transaction, writing to the model while a cursor over it is open throws
/// `iterationActive`; ``close()`` closes it, and so does the end. A savepoint that is undone ends the cursors that were
/// opened in it: they throw `transactionEnded`.
///
/// ```swift
/// let books = try tx.cursor(Book.all)
/// while let book = try books.next() { … }
/// ```
public final class ModelCursor<M: Model> {
  private let transaction: ReadTransaction
  /// The transaction if it writes, with its number for the cursor.
  private let writer: WriteTransaction?
  private let number: Int
  /// The value of ``WriteTransaction/cursorsEnded`` when the cursor was last known to be open.
  private var cursorsEnded = 0
  private let binding: ModelBinding
  private let rows: any RowCursor
  private let pointers = RowPointers()
  private var filled = 0
  private var taken = 0
  private var isOpen = true
  private var isReading = false

  init(_ transaction: ReadTransaction, _ binding: ModelBinding, _ rows: any RowCursor) {
    self.transaction = transaction
    self.binding = binding
    self.rows = rows
    writer = transaction as? WriteTransaction
    number = writer?.beginCursor(binding.model) ?? 0
    cursorsEnded = writer?.cursorsEnded ?? 0
  }

  deinit {
    close()
  }

  /// The next object, or nil at the end and after ``close()``.
  ///
  /// After an object that cannot be read, the cursor continues with the object behind it.
  ///
  /// - Throws: `invalidValue` or `missingValue` when a type of the object refuses a stored value. `transactionEnded` after the
  ///   end of the transaction, and when the savepoint in which the cursor was opened was undone; `wrongThread`, `corrupt`, `io`.
  public func next() throws -> M? {
    guard let row = try nextRow() else { return nil }
    return try reading { () throws(StorageError) in try ModelReader(row, binding).object(M.self) }
  }

  /// The next object that can be read, or nil at the end.
  ///
  /// - Parameter onUnreadable: See ``ReadScope/fetch(_:onUnreadable:)``.
  /// - Throws: The error of the closure; otherwise as ``next()``.
  public func next(onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void) throws -> M? {
    while let row = try nextRow() {
      switch try reading({ () throws(StorageError) in try ModelReader(row, binding).attempt(M.self) }) {
      case .success(let object): return object
      case .failure(let failure): try onUnreadable(failure.key, failure.error)
      }
    }
    return nil
  }

  /// Runs code of the model that reads a lent row. If the code closes the cursor, the cursor is closed afterwards.
  private func reading<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
    isReading = true
    transaction.beginCoding()
    defer {
      transaction.endCoding()
      isReading = false
      if !isOpen { rows.close() }
    }
    return try body()
  }

  /// The next row, lent until the next call.
  private func nextRow() throws(StorageError) -> UnsafeRawBufferPointer? {
    try transaction.check()
    guard isOpen else { return nil }
    if let writer, writer.cursorsEnded != cursorsEnded { try checkGoesOn(writer) }
    if taken == filled {
      filled = try rows.fill(pointers.buffer)
      taken = 0
      guard filled > 0 else {
        close()
        return nil
      }
    }
    taken += 1
    return pointers.buffer[taken - 1]
  }

  /// Throws when the savepoint that the cursor was opened in has been undone.
  private func checkGoesOn(_ writer: WriteTransaction) throws(StorageError) {
    guard writer.isOpen(number) else {
      throw StorageError(.transactionEnded, "the cursor's savepoint was rolled back")
    }
    cursorsEnded = writer.cursorsEnded
  }

  /// Calls the body with each object that is left.
  ///
  /// - Parameter body: May read in the transaction, and write to other models.
  /// - Throws: The error of the body; as ``next()``. The cursor is closed in any case.
  public func forEach(_ body: (M) throws -> Void) throws {
    defer { close() }
    while let object = try next() { try body(object) }
  }

  /// Releases the cursor's resources. A second call does nothing.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    // The row that an object is just being read from is lent by the cursor.
    if !isReading { rows.close() }
    writer?.endCursor(number)
  }
}

extension ReadTransaction {
  /// A cursor over the objects of the selection, in its order.
  ///
  /// - Parameter selection: A query, or the ``Many`` of an object.
  /// - Throws: `invalidQuery` for ``Links``: their ``Links/query`` has a cursor. `invalidQuery`, `unsupported` or `limitExceeded`
  ///   for a query that cannot be executed; `transactionEnded`, `wrongThread`; `schemaMismatch` when the store was not opened for
  ///   the model.
  /// - Complexity: The engine reads objects as the cursor needs them, after a sort where no index has the order.
  public func cursor<M: Model>(_ selection: some Selection<M>) throws -> ModelCursor<M> {
    try check()
    let binding = try context.binding(M.self)
    return ModelCursor(self, binding, try rows(selection.inOrderOfQuery("cursors"), binding))
  }
}
