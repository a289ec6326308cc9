import QuarryBackend

extension StoreHistory {
  /// Calls the body with the change sets before a position, the newest first, until it returns false.
  ///
  /// All of them are read in one snapshot, one at a time.
  ///
  /// - Parameter position: The position of a change set that was read; nil to begin with the newest one.
  /// - Throws: The error of the body. `notFound` where the store keeps no history; `invalidValue` for a position that the store
  ///   has not reached; `corrupt`.
  package func forEachNewestFirst(before position: HistoryPosition? = nil, _ body: (HistorySet) throws -> Bool) throws {
    try store.read { tx in
      guard let models = HistoryModels(tx.backend.schema) else { throw StorageError.noHistory }
      let state = try HistoryState(models, tx.backend)
      var last = state.next - 1
      if let position {
        guard position.number < state.next else {
          throw StorageError(.invalidValue, "the history of the store ends before position \(position)")
        }
        guard let row = try models.log.find(.int(position.number), in: tx.backend) else { return }
        last = try HistoryRow(row).first - 1
      }
      var schemas: HistorySchemas?
      while last >= state.oldest {
        guard let row = try models.log.find(.int(last), in: tx.backend) else { throw StorageError.damagedLog }
        let first = try HistoryRow(row).first
        // The beginning of this change set was removed.
        guard first >= state.oldest, first <= last else { return }
        let page = try HistoryPage(after: HistoryPosition(first - 1), limit: 1, &schemas, in: tx)
        guard let set = page.sets.first else { throw StorageError.damagedLog }
        guard try body(set) else { return }
        last = first - 1
      }
    }
  }

  /// The change set at a position.
  ///
  /// - Throws: `notFound` where there is none; `corrupt`.
  package func set(at position: HistoryPosition) throws -> HistorySet {
    try store.reading { tx throws(StorageError) in try tx.historySet(at: position) }
  }
}
