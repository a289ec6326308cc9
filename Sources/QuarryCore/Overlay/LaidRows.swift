import QuarryBackend

/// Rows that are laid over those of a query: which of them the query has, in its order.
struct LaidRows {
  private struct Entry {
    var order: Key
    var row: Row
  }

  private let order: [BoundSortKey]
  private let layout: RowLayout
  private let writer = KeyWriter()
  /// The rows that the query has, the last one first.
  private var entries: [Entry] = []
  /// The keys of all rows that are laid over, also of those that are gone.
  private let keys: Set<Key>

  init(_ edits: [Key: Row?], _ query: BoundQuery, _ layout: RowLayout) throws(StorageError) {
    order = query.order
    self.layout = layout
    keys = Set(edits.keys)
    let predicate = try CompiledPredicate(query.predicate, layout)
    for case let row? in edits.values {
      let order = try row.bytes.withBytes { (bytes) throws(StorageError) in
        try predicate.matches(bytes) ? try orderKey(bytes) : nil
      }
      if let order { entries.append(Entry(order: order, row: row)) }
    }
    entries.sort { $1.order < $0.order }
  }

  /// Whether a stored row is not the one that counts.
  func covers(_ row: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    if keys.isEmpty { return false }
    return keys.contains(try Key(of: row, layout))
  }

  /// Takes the next laid row that comes before a stored one; every laid row comes before the end, nil.
  mutating func next(before row: UnsafeRawBufferPointer?) throws(StorageError) -> Row? {
    guard let last = entries.last else { return nil }
    if let row { guard try last.order < orderKey(row) else { return nil } }
    entries.removeLast()
    return last.row
  }

  private func orderKey(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> Key {
    let view = try RowView(bytes, layout)
    writer.removeAll()
    for (place, part) in order.enumerated() {
      try writer.append(
        view, layout.slots[part.slot], layout, isDescending: part.isDescending, isLast: place == order.count - 1)
    }
    return writer.key
  }
}
