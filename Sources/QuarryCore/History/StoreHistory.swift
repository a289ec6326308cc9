public import QuarryBackend

/// The history of a store: the change sets of its writes, in their order.
///
/// A store keeps a history when it was opened with ``OpenOptions/history``.
///
/// ```swift
/// for set in try store.history(after: position) {
///   for change in try set.changes(of: Book.self) { print(set.date, change.old?.title ?? "", change.new?.title ?? "") }
/// }
/// ```
public struct StoreHistory: Sendable {
  let store: Store

  /// Whether the store keeps a history.
  public var isOn: Bool {
    get throws { try store.reading { tx throws(StorageError) in HistoryModels(tx.backend.schema) != nil } }
  }

  /// The position of the newest change set; ``HistoryPosition/start`` before the first one.
  ///
  /// - Throws: `notFound` where the store keeps no history.
  public var newest: HistoryPosition {
    get throws {
      try reading { tx, models throws(StorageError) in HistoryPosition(try HistoryState(models, tx).next - 1) }
    }
  }

  /// The bytes of the change sets that remain.
  ///
  /// - Throws: `notFound` where the store keeps no history.
  public var byteCount: Int {
    get throws { try reading { tx, models throws(StorageError) in Int(try HistoryState(models, tx).bytes) } }
  }

  /// The change sets after a position, in their order.
  ///
  /// - Parameters:
  ///   - position: The position of the last change set that was read; nil for all that remain.
  ///   - limit: The most change sets to return.
  /// - Throws: `notFound` where the store keeps no history, and where change sets after the position were removed, with
  ///   ``HistoryTrimmed`` as its cause. `invalidValue` for a position that the store has not reached; `corrupt`.
  /// - Complexity: O(n) in the bytes of the change sets, which are in memory at once. See ``forEach(after:_:)``.
  public func callAsFunction(after position: HistoryPosition? = nil, limit: Int? = nil) throws -> [HistorySet] {
    var sets: [HistorySet] = []
    try pages(after: position, limit: limit ?? .max) { sets += $0 }
    return sets
  }

  /// Calls the body with each change set after a position, in bounded memory.
  ///
  /// - Parameters:
  ///   - position: The position of the last change set that was read; nil for all that remain.
  ///   - body: Called with each change set.
  /// - Throws: The error of the body; as ``callAsFunction(after:limit:)``.
  public func forEach(after position: HistoryPosition? = nil, _ body: (HistorySet) throws -> Void) throws {
    try pages(after: position, limit: .max) { for set in $0 { try body(set) } }
  }

  private func pages(after position: HistoryPosition?, limit: Int, _ body: ([HistorySet]) throws -> Void) throws {
    var position = position
    var left = limit
    var schemas: HistorySchemas?
    while left > 0 {
      let page = try page(after: position, limit: left, &schemas)
      try body(page.sets)
      left -= page.sets.count
      if page.isLast { return }
      position = page.end
    }
  }

  func page(
    after position: HistoryPosition?, limit: Int, _ schemas: inout HistorySchemas?
  ) throws(StorageError) -> HistoryPage {
    try store.reading { tx throws(StorageError) in
      try HistoryPage(after: position, limit: limit, &schemas, in: tx)
    }
  }

  // MARK: Trimming

  /// Removes the change sets before a position, except those that a named reader has not read.
  ///
  /// They are removed in several writes, between which others write.
  ///
  /// - Parameter position: The position of the first change set to keep.
  /// - Returns: The position of the oldest change set that remains, or of the newest one where none does.
  /// - Throws: `notFound` where the store keeps no history; the errors of a write.
  @discardableResult
  public func trim(before position: HistoryPosition) throws -> HistoryPosition {
    while true {
      let (oldest, isDone) = try store.writing { tx throws(StorageError) -> (Int64, Bool) in
        guard let models = HistoryModels(tx.backend.schema) else { throw .noHistory }
        var state = try HistoryState(models, tx.backend)
        var end = min(position.number, try HistoryReaders(models).firstNeeded(in: tx.backend), state.next)
        // A change set goes as a whole.
        if let row = try models.log.find(.int(end), in: tx.backend) { end = try HistoryRow(row).first }
        let trimming = HistoryTrimming(models: models, transaction: tx.writer)
        let removed = try trimming.remove(&state, before: end, atMost: 1_000) { _, _ in true }
        if removed > 0 { try state.write(models, tx.writer) }
        return (state.oldest, removed == 0 || state.oldest >= end)
      }
      if isDone { return HistoryPosition(oldest) }
    }
  }

  // MARK: Named readers

  /// The named readers with the positions up to which they have read, in the order of their names.
  public var readers: [(name: String, position: HistoryPosition)] {
    get throws { try reading { tx, models throws(StorageError) in try HistoryReaders(models).all(in: tx) } }
  }

  /// Stores that a named reader has read all change sets up to a position. The reader is added where it is new.
  ///
  /// Change sets after the position then stay, unless the log becomes larger than its bound.
  ///
  /// - Parameters:
  ///   - position: The position of the last change set that the reader has done.
  ///   - reader: The name of the reader.
  /// - Throws: `notFound` where the store keeps no history; `invalidValue` for a position that the store has not reached; the
  ///   errors of a write.
  public func acknowledge(_ position: HistoryPosition, as reader: String) throws {
    try store.writing { tx throws(StorageError) in try tx.acknowledge(position, as: reader) }
  }

  /// Removes a named reader, so that no change set stays for it.
  ///
  /// - Parameter name: The name of the reader.
  /// - Returns: Whether there was one.
  /// - Throws: `notFound` where the store keeps no history; the errors of a write.
  @discardableResult
  public func removeReader(_ name: String) throws -> Bool {
    try store.writing { tx throws(StorageError) in
      guard let models = HistoryModels(tx.backend.schema) else { throw .noHistory }
      return try HistoryReaders(models).remove(name, in: tx.writer)
    }
  }

  // MARK: Parts

  private func reading<R>(
    _ body: (any BackendReadTransaction, HistoryModels) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    try store.reading { tx throws(StorageError) in
      guard let models = HistoryModels(tx.backend.schema) else { throw .noHistory }
      return try body(tx.backend, models)
    }
  }

  /// What is wrong with the log, a sentence for each defect.
  func defects() throws(StorageError) -> [String] {
    try store.repeating { () throws(StorageError) in
      let transaction = try store.backend.beginRead()
      defer { transaction.end() }
      guard let models = HistoryModels(transaction.schema) else { return [] }
      return try HistoryCheck(models: models, transaction: transaction).run()
    }
  }
}

extension Store {
  /// The history of the store: the change sets of its writes.
  public var history: StoreHistory { StoreHistory(store: self) }
}

extension WriteTransaction {
  /// Stores in this transaction that a named reader has read all change sets up to a position.
  ///
  /// A reader that stores its results in the same transaction sees each change set exactly once.
  ///
  /// - Parameters:
  ///   - position: The position of the last change set that the reader has done.
  ///   - reader: The name of the reader.
  /// - Throws: As ``StoreHistory/acknowledge(_:as:)``.
  public func acknowledge(_ position: HistoryPosition, as reader: String) throws(StorageError) {
    try check()
    guard let models = HistoryModels(backend.schema) else { throw .noHistory }
    try checkWrite(models.readers.id)
    guard position.number < (try HistoryState(models, backend).next) else {
      throw StorageError(.invalidValue, "the history of the store ends before position \(position)")
    }
    try HistoryReaders(models).set(reader, position, in: writer)
  }
}
