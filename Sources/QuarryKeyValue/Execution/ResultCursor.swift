import QuarryBackend

/// The rows of a query: rows of an access path that pass the residual predicate, from the offset to the limit.
final class ResultCursor: RowCursor {
  /// Rows are read and filtered in batches of this many.
  static let batch = 64
  /// How many rows are copied before their size is known.
  private static let firstCopies = 8
  /// About how many bytes of rows are copied at once.
  private static let copiedBytes = 1 << 20

  private let model: ModelID
  private let state: TransactionState
  private let moment: Int
  private var source: (any RowSource)?
  private let predicate: CompiledPredicate?
  private var toSkip: Int
  private var remaining: Int
  /// The rows of the last batch, where the engine lends them for a shorter time than this cursor does.
  private let kept: ByteArena?
  /// How many rows to ask for at most. With copies few at first, so that large rows take a bounded amount of memory.
  private var most: Int

  /// - Parameter copies: Whether the cursor lends copies of rows.
  init(
    _ model: ModelID, _ state: TransactionState, _ source: any RowSource, _ predicate: CompiledPredicate?,
    offset: Int = 0, limit: Int? = nil, copies: Bool = false
  ) {
    kept = copies ? ByteArena() : nil
    most = copies ? Self.firstCopies : Self.batch
    self.model = model
    self.state = state
    moment = state.makeCursor()
    self.source = source
    self.predicate = predicate
    toSkip = offset
    remaining = limit ?? .max
  }

  func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    try state.check(model, moment)
    guard rows.count > 0 else { return 0 }
    // After the last rows the source stays until the next call: it may be what keeps them.
    if remaining == 0 { source = nil }
    if toSkip > 0, predicate == nil, let source {
      let skipped = try source.skip(toSkip)
      if skipped < toSkip { self.source = nil }
      toSkip = 0
    }
    while let source {
      let found = try source.fill(UnsafeMutableBufferPointer(rebasing: rows[..<wanted(rows.count, source)]))
      guard found > 0 else {
        self.source = nil
        return 0
      }
      var count = try predicate?.filter(rows, count: found) ?? found
      if toSkip > 0 {
        let skipped = min(toSkip, count)
        toSkip -= skipped
        count -= skipped
        for place in 0..<count { rows[place] = rows[place + skipped] }
      }
      count = min(count, remaining)
      remaining -= count
      if count > 0 {
        if let kept { keep(UnsafeMutableBufferPointer(rebasing: rows[..<count]), in: kept) }
        return count
      }
    }
    return 0
  }

  /// The number of rows to request: a batch, but not more than can be needed where each one costs a lookup.
  private func wanted(_ capacity: Int, _ source: any RowSource) -> Int {
    let most = min(capacity, most)
    guard remaining < most, source.isLookup || predicate == nil, toSkip < most else { return most }
    let needed = remaining + toSkip
    // A filter may let few through: asking for some more saves calls.
    return min(most, predicate == nil ? needed : max(needed, 8))
  }

  /// Puts copies in the place of rows, and decides from their size how many are asked for next.
  private func keep(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>, in kept: ByteArena) {
    kept.removeAll()
    for row in rows { kept.append(row) }
    for place in rows.indices { rows[place] = kept[place] }
    most = max(1, min(Self.batch, Self.copiedBytes / max(1, kept.byteCount / rows.count)))
  }

  func close() {
    source = nil
  }
}

/// Sorted rows, which end with their transaction like others.
final class SortedCursor: RowCursor {
  private let model: ModelID
  private let state: TransactionState
  private let moment: Int
  private var sorter: RowSorter?

  init(_ model: ModelID, _ state: TransactionState, _ sorter: RowSorter) {
    self.model = model
    self.state = state
    moment = state.makeCursor()
    self.sorter = sorter
  }

  func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    try state.check(model, moment)
    return try sorter?.fill(rows) ?? 0
  }

  func close() {
    sorter?.close()
    sorter = nil
  }
}
