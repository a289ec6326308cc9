import QuarryBackend

/// Removes the oldest change sets of a log, some in each write, so that no write takes long.
struct HistoryTrimming {
  let models: HistoryModels
  let transaction: any BackendWriteTransaction

  /// The most rows that a write removes, unless it adds more than half of that.
  static let batch = 64

  /// Removes rows that are past the bounds of the log.
  ///
  /// Named readers keep what is too old, and do not keep what is too large.
  ///
  /// - Parameters:
  ///   - kept: The first row of the write, of which none goes.
  ///   - added: The number of rows that the write adds now.
  func trim(_ state: inout HistoryState, before kept: Int64, adding added: Int) throws(StorageError) {
    let first = state.firstTime(now: HistoryTime.now)
    let isTooOld = first.map { state.oldest < kept && state.oldestTime < $0 } ?? false
    guard state.isTooLarge || isTooOld else { return }
    let needed = isTooOld ? try HistoryReaders(models).firstNeeded(in: transaction) : .max
    try remove(&state, before: kept, atMost: max(Self.batch, 2 * added)) { row, state in
      state.isTooLarge || row.position < needed && first.map { row.time < $0 } ?? false
    }
  }

  /// A row without its change set.
  struct Row {
    var position: Int64
    var first: Int64
    var size: Int64
    var time: Int64
  }

  /// Removes rows from the oldest on, a batch at most.
  ///
  /// - Parameters:
  ///   - end: The first position that stays in any case.
  ///   - most: The most rows to remove.
  ///   - isDue: Whether a row goes.
  /// - Returns: The number of rows that were removed.
  @discardableResult
  func remove(
    _ state: inout HistoryState, before end: Int64, atMost most: Int = batch, while isDue: (Row, HistoryState) -> Bool
  ) throws(StorageError) -> Int {
    var removed: [Key] = []
    var next: Row?
    try models.log.forEach(
      after: .int(state.oldest - 1), limit: most + 1, slots: [0, 1, 3, 5], in: transaction
    ) { values throws(StorageError) in
      let row = Row(
        position: try values.integer(0), first: try values.integer(1), size: try values.integer(2),
        time: try values.integer(3))
      guard removed.count < most, row.position < end, isDue(row, state) else {
        next = row
        return false
      }
      removed.append(try Key.primary(.int(row.position), models.log.schema))
      state.bytes -= row.size
      state.oldest = row.position + 1
      return true
    }
    guard !removed.isEmpty else { return 0 }
    // Where the whole log goes, the rows of this write are the oldest.
    state.oldestTime = next?.time ?? state.time
    return try transaction.delete(models.log.id, removed)
  }
}
