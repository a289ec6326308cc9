import QuarryBackend
import QuarryConformance

/// Limits, offsets, pages and cursors that give rows too few, too many or twice.
enum PageFault: String, FaultGroup, Twist {
  static let group = "page"

  case limitOneMore, limitOneLess, limitZeroIsAll, limitIgnored, offsetIgnored, offsetOneMore, limitBeforeOffset
  case pageRepeatsRow, pageSkipsTies, pageSkipsNil, batchRepeated, lastRowDropped, endsAfterBatch, pointersReused
  case projectionLosesPredicate, keysExchanged, missingKeyLeftOut, rowOfAnotherKey

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .limitOneMore: ("A limit takes one row more.", ["PAGE-1"])
    case .limitOneLess: ("A limit of more than one takes one row less.", ["PAGE-1"])
    case .limitZeroIsAll: ("A limit of 0 takes everything.", ["PAGE-1"])
    case .limitIgnored: ("A limit is not looked at.", ["PAGE-1"])
    case .offsetIgnored: ("An offset is not looked at.", ["PAGE-1"])
    case .offsetOneMore: ("An offset skips one row more.", ["PAGE-1"])
    case .limitBeforeOffset: ("The rows to skip are counted by the limit, too.", ["PAGE-1"])
    case .pageRepeatsRow: ("A page begins with the last row of the page before.", ["PAGE-2"])
    case .pageSkipsTies: ("A page begins after the rows that tie with the last one.", ["PAGE-2"])
    case .pageSkipsNil: ("A page after the first has no rows with nil in the sort key.", ["PAGE-2"])
    case .batchRepeated: ("A cursor gives its first batch twice.", ["CRUD-1", "SORT-2", "PAGE-2"])
    case .lastRowDropped:
      ("A cursor does not give its last row when it gives more than one batch.", ["CRUD-1", "PAGE-2"])
    case .endsAfterBatch: ("A cursor ends after its first batch.", ["CRUD-1", "SORT-2"])
    case .pointersReused: ("Of a batch all rows but the last are overwritten.", ["CRUD-1", "CRUD-11"])
    case .projectionLosesPredicate: ("A query for some columns forgets its predicate.", ["PRED-12"])
    case .keysExchanged: ("Several keys are answered in the order of the keys.", ["CRUD-4"])
    case .missingKeyLeftOut: ("Of several keys one that is missing is answered with the row before.", ["CRUD-4"])
    case .rowOfAnotherKey: ("A key that is missing is answered with the next row.", ["CRUD-3"])
    }
  }

  func query(_ query: BoundQuery, _ schema: Schema) -> BoundQuery {
    var query = query
    switch self {
    case .limitOneMore: query.limit = query.limit.map { $0 == .max ? $0 : $0 + 1 }
    case .limitOneLess: query.limit = query.limit.map { $0 > 1 ? $0 - 1 : $0 }
    case .limitZeroIsAll: query.limit = query.limit == 0 ? nil : query.limit
    case .limitIgnored: query.limit = nil
    case .offsetIgnored: query.offset = 0
    case .offsetOneMore: query.offset += (1..<Int.max).contains(query.offset) ? 1 : 0
    case .limitBeforeOffset: query.limit = query.limit.map { max(0, $0 - query.offset) }
    case .pageRepeatsRow, .pageSkipsTies, .pageSkipsNil: query.predicate = query.predicate.rewritten(page)
    case .projectionLosesPredicate where query.projection != nil: query.predicate = .constant(true)
    default: break
    }
    return query
  }

  private func page(_ part: BoundPredicate) -> BoundPredicate {
    guard case .after(let keys, let values) = part, let key = keys.first else { return part }
    switch self {
    case .pageRepeatsRow:
      return .not(.after(keys.map { BoundSortKey(slot: $0.slot, isDescending: !$0.isDescending) }, values))
    case .pageSkipsTies: return .after([key], [values[0]])
    default: return .and([part, .not(.isNull(slot: key.slot))])
    }
  }

  func cursor(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    let cursor = try tx.cursor(query)
    switch self {
    case .batchRepeated, .lastRowDropped, .endsAfterBatch, .pointersReused: return BatchFaultCursor(cursor, self)
    default: return cursor
    }
  }

  func row(
    _ tx: Reader, _ model: ModelID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    if self == .rowOfAnotherKey, try tx.row(model, key) == nil, let model = tx.schema.model(id: model) {
      let next = try Key.value(of: key, type: model.keyProperty.type)
      let query = BoundQuery(
        model: model.id, predicate: .compare(slot: model.primaryKey, .greater, next),
        order: [BoundSortKey(slot: model.primaryKey)], limit: 1)
      guard let row = try tx.copies(query).first else { return nil }
      let coding = try RowCoding(tx.schema, model.id)
      let other = try row.lend { (row) throws(StorageError) in try coding.key(coding.values(row)) }
      return try Row(other.bytes).lend { (bytes) throws(StorageError) in try tx.row(model.id, bytes) }
    }
    return try tx.row(model, key)
  }

  func rows(
    _ tx: Reader, _ model: ModelID, _ keys: [Key],
    _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    switch self {
    case .keysExchanged: try tx.rows(model, keys.sorted(), body)
    case .missingKeyLeftOut:
      var last: Row?
      try tx.rows(model, keys) { place, row throws(StorageError) in
        if let row {
          last = Row(copying: row)
          try body(place, row)
        } else if let last {
          try last.lend { (row) throws(StorageError) in try body(place, row) }
        } else {
          try body(place, nil)
        }
      }
    default: try tx.rows(model, keys, body)
    }
  }
}

private final class BatchFaultCursor: CursorLayer {
  private let fault: PageFault
  private var first: [Row]?
  private var batches = 0
  private var kept: [UnsafeMutableRawBufferPointer] = []

  init(_ cursor: any RowCursor, _ fault: PageFault) {
    self.fault = fault
    super.init(cursor)
  }

  deinit {
    for row in kept { row.deallocate() }
  }

  override func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    batches += 1
    switch fault {
    case .batchRepeated:
      if batches == 2, let first, !first.isEmpty {
        for (place, row) in first.enumerated() { rows[place] = keep(row) }
        return first.count
      }
      let count = try super.fill(rows)
      if batches == 1 { first = (0..<count).map { Row(copying: rows[$0]) } }
      return count
    case .lastRowDropped:
      let count = try super.fill(rows)
      return batches > 1 && count > 0 && count < rows.count ? count - 1 : count
    case .endsAfterBatch: return batches > 1 ? 0 : try super.fill(rows)
    default:
      let count = try super.fill(rows)
      if count > 1 {
        for place in 0..<count - 1 where rows[place].count == rows[count - 1].count { rows[place] = rows[count - 1] }
      }
      return count
    }
  }

  private func keep(_ row: Row) -> UnsafeRawBufferPointer {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: row.bytes.count, alignment: 16)
    copy.copyBytes(from: row.bytes)
    kept.append(copy)
    return UnsafeRawBufferPointer(copy)
  }
}
