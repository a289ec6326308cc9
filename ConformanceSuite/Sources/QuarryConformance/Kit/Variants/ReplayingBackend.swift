import QuarryBackend

/// Does each writing statement in a savepoint that is rolled back, and then does it again: both times the same must come
/// of it, and a rolled back statement that left something behind shows in the second.
final class ReplayingBackend: ForwardingBackend, @unchecked Sendable {
  // Unchecked as its superclass is: the field that is added is constant and Sendable.
  private let observer: VariantObserver

  init(_ inner: any Backend, _ observer: VariantObserver) {
    self.observer = observer
    super.init(inner)
  }

  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    ReplayingTransaction(try inner.beginWrite(options), observer)
  }
}

private final class ReplayingTransaction: ForwardingWriteTransaction {
  private let observer: VariantObserver

  init(_ writer: any BackendWriteTransaction, _ observer: VariantObserver) {
    self.observer = observer
    super.init(writer: writer)
  }

  /// Does the statement twice and compares what comes of it, a result or the code of an error.
  private func twice<R: Equatable>(
    _ name: String, _ statement: () throws(StorageError) -> R
  ) throws(StorageError) -> R {
    try writer.savepoint()
    let first = outcome(statement)
    try writer.rollbackSavepoint()
    let second = outcome(statement)
    if first.value != second.value || first.error?.code != second.error?.code {
      observer.note("\(name) gave \(describe(first)), and after a rollback \(describe(second))")
    }
    if let error = second.error { throw error }
    guard let value = second.value else { throw StorageError(.invalidQuery, "a statement without a result") }
    return value
  }

  private func outcome<R>(_ statement: () throws(StorageError) -> R) -> (value: R?, error: StorageError?) {
    do throws(StorageError) {
      return (try statement(), nil)
    } catch {
      return (nil, error)
    }
  }

  private func describe<R>(_ outcome: (value: R?, error: StorageError?)) -> String {
    outcome.error.map { "the error \($0)" } ?? outcome.value.map { "\($0)" } ?? "nothing"
  }

  override func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    // A batch cannot be captured by a closure, so that the two times are written out.
    var first: StorageError?
    try writer.savepoint()
    do throws(StorageError) {
      try writer.insert(model, rows)
    } catch {
      first = error
    }
    try writer.rollbackSavepoint()
    do throws(StorageError) {
      try writer.insert(model, rows)
    } catch {
      if first?.code != error.code { observer.note("an insert gave \(error) after it was rolled back") }
      throw error
    }
    if let first { observer.note("an insert gave \(first), and nothing after that was rolled back") }
  }

  override func upsert(
    _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    var first: StorageError?
    var added: Int?
    try writer.savepoint()
    do throws(StorageError) {
      added = try writer.upsert(model, rows, policy)
    } catch {
      first = error
    }
    try writer.rollbackSavepoint()
    let again: Int
    do throws(StorageError) {
      again = try writer.upsert(model, rows, policy)
    } catch {
      if first?.code != error.code { observer.note("an upsert gave \(error) after it was rolled back") }
      throw error
    }
    if added != again {
      observer.note("an upsert gave \(describe((added, first))), and \(again) after it was rolled back")
    }
    return again
  }

  override func getOrInsert(
    _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    // Bytes that are lent differ in their place; only whether there are any is compared.
    var lent: UnsafeRawBufferPointer?
    _ = try twice("getOrInsert") { () throws(StorageError) -> Bool in
      lent = try writer.getOrInsert(model, row)
      return lent != nil
    }
    return lent
  }

  override func update(
    _ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]?, expected: UnsafeRawBufferPointer?,
    expectedSlots: [Int]?
  ) throws(StorageError) {
    _ = try twice("an update") { () throws(StorageError) -> Bool in
      try writer.update(model, row, slots: slots, expected: expected, expectedSlots: expectedSlots)
      return true
    }
  }

  override func delete(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    try twice("a delete") { () throws(StorageError) -> Int in try writer.delete(model, keys) }
  }

  override func update(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    try twice("an update of a query") { () throws(StorageError) -> Int in try writer.update(query, assignments) }
  }

  override func delete(_ query: BoundQuery) throws(StorageError) -> Int {
    try twice("a delete of a query") { () throws(StorageError) -> Int in try writer.delete(query) }
  }

  override func apply(_ change: SchemaChange) throws(StorageError) {
    _ = try twice("a change of the schema") { () throws(StorageError) -> Bool in
      try writer.apply(change)
      return true
    }
  }
}
