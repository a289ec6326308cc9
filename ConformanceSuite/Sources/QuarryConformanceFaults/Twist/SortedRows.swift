import QuarryBackend

/// Sorts the rows of a query by an order of its own, for faults of the order.
struct SortedRows {
  /// Negative, zero or positive, as ascending; the flag says whether it is turned round.
  typealias Comparing = (Value, Value, _ isDescending: Bool) -> Int

  /// The rows of the query, in the order of the sort keys by that comparison; what ties stays as it is.
  static func rows(
    _ tx: any BackendReadTransaction, _ query: BoundQuery, _ keys: [BoundSortKey], _ compare: Comparing
  ) throws(StorageError) -> [Row] {
    var all = query
    all.limit = nil
    all.offset = 0
    all.projection = nil
    let coding = try RowCoding(tx.schema, query.model)
    var rows: [(row: Row, values: [Value])] = []
    for row in try tx.copies(all) {
      rows.append((row, try row.lend { (bytes) throws(StorageError) in try coding.values(bytes) }))
    }
    // Insertion: a comparison that is wrong may be no order, of which sort(by:) need not give all rows.
    var sorted: [(row: Row, values: [Value])] = []
    for next in rows {
      var (low, high) = (0, sorted.count)
      while low < high {
        let middle = (low + high) / 2
        if order(next.values, sorted[middle].values, keys, compare) < 0 {
          high = middle
        } else {
          low = middle + 1
        }
      }
      sorted.insert(next, at: low)
    }
    let rest = sorted.dropFirst(max(0, query.offset))
    return rest.prefix(max(0, query.limit ?? rest.count)).map(\.row)
  }

  private static func order(
    _ left: [Value], _ right: [Value], _ keys: [BoundSortKey], _ compare: Comparing
  ) -> Int {
    for key in keys {
      let order = compare(left[key.slot], right[key.slot], key.isDescending)
      if order != 0 { return key.isDescending ? -order : order }
    }
    return 0
  }
}

/// Sorts as the contract says, by the way of the faults: has to pass every case.
struct SortingTwist: Twist {
  func cursor(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    RowsCursor(tx, try SortedRows.rows(tx, query, query.order) { left, right, _ in ValueOrder.compare(left, right) })
  }
}
