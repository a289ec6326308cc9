import QuarryBackend

/// Does each writing statement in a savepoint that is rolled back, and then does it again: both times the same must come
/// of it, and a rolled back statement that left something behind shows in the second.
final class ReplayingBackend: BackendLayer, @unchecked Sendable {
  // Unchecked as its superclass is: the field that is added is constant and Sendable.
  private let observer: VariantObserver

  init(_ base: any Backend, _ observer: VariantObserver) {
    self.observer = observer
    super.init(base)
  }

  override func writeHooks() -> (any TransactionHooks)? { ReplayingHooks(observer: observer) }
}

private struct ReplayingHooks: TransactionHooks {
  let observer: VariantObserver

  /// Does the statement twice and compares what comes of it, a result or the code of an error.
  private func twice<R: Equatable>(
    _ base: Writer, _ name: String, _ statement: () throws(StorageError) -> R
  ) throws(StorageError) -> R {
    try base.savepoint()
    let first = outcome(statement)
    try base.rollbackSavepoint()
    let second = outcome(statement)
    // Another writer may come between the two: the transaction is over, and is run again.
    if let conflict = base.failure { throw conflict }
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

  func insert(_ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    // A batch cannot be captured by a closure, so that the two times are written out.
    var first: StorageError?
    try base.savepoint()
    do throws(StorageError) {
      try base.insert(model, rows)
    } catch {
      first = error
    }
    try base.rollbackSavepoint()
    do throws(StorageError) {
      try base.insert(model, rows)
    } catch {
      if let conflict = base.failure { throw conflict }
      if first?.code != error.code { observer.note("an insert gave \(error) after it was rolled back") }
      throw error
    }
    if let first { observer.note("an insert gave \(first), and nothing after that was rolled back") }
  }

  func load(
    _ base: Writer, _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    try loadByInserting(base, model, next)
  }

  func upsert(
    _ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    var first: StorageError?
    var added: Int?
    try base.savepoint()
    do throws(StorageError) {
      added = try base.upsert(model, rows, policy)
    } catch {
      first = error
    }
    try base.rollbackSavepoint()
    let again: Int
    do throws(StorageError) {
      again = try base.upsert(model, rows, policy)
    } catch {
      if let conflict = base.failure { throw conflict }
      if first?.code != error.code { observer.note("an upsert gave \(error) after it was rolled back") }
      throw error
    }
    if added != again {
      observer.note("an upsert gave \(describe((added, first))), and \(again) after it was rolled back")
    }
    return again
  }

  func getOrInsert(
    _ base: Writer, _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    // Bytes that are lent differ in their place; only whether there are any is compared.
    var lent: UnsafeRawBufferPointer?
    _ = try twice(base, "getOrInsert") { () throws(StorageError) -> Bool in
      lent = try base.getOrInsert(model, row)
      return lent != nil
    }
    return lent
  }

  func update(_ base: Writer, _ update: RowUpdate) throws(StorageError) {
    _ = try twice(base, "an update") { () throws(StorageError) -> Bool in
      try update.run(base)
      return true
    }
  }

  func delete(_ base: Writer, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    try twice(base, "a delete") { () throws(StorageError) -> Int in try base.delete(model, keys) }
  }

  func delete(_ base: Writer, _ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try twice(base, "a delete of a key") { () throws(StorageError) -> Bool in try base.delete(model, key: key) }
  }

  func update(_ base: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    try twice(base, "an update of a query") { () throws(StorageError) -> Int in try base.update(query, assignments) }
  }

  func delete(_ base: Writer, _ query: BoundQuery) throws(StorageError) -> Int {
    try twice(base, "a delete of a query") { () throws(StorageError) -> Int in try base.delete(query) }
  }

  func apply(_ base: Writer, _ change: SchemaChange) throws(StorageError) {
    _ = try twice(base, "a change of the schema") { () throws(StorageError) -> Bool in
      try base.apply(change)
      return true
    }
  }
}
