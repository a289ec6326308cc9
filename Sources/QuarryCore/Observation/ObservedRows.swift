import QuarryBackend

/// The rows of an observed query, in its order, kept up to date.
final class ObservedRows {
  /// A row of the result.
  struct Entry: Sendable {
    /// The sort key of the row, with the primary key: empty where the order uses more than the model's own properties.
    var order: Key
    var key: Key
    var row: Row
  }

  /// A row that is another than before.
  struct Update: Sendable {
    var oldPlace: Int
    var place: Int
    var old: Row
    var new: Row
    /// The slots that differ.
    var slots: [Int]
  }

  /// The change of the rows.
  struct Change: Sendable {
    var list = ListChange()
    /// In the order of their new places.
    var inserted: [Row] = []
    /// In the order of their new places.
    var updates: [Update] = []

    var isEmpty: Bool { list.isEmpty && updates.isEmpty }
  }

  let layout: RowLayout
  private let order: [BoundSortKey]
  private let predicate: CompiledPredicate?
  private let writer = KeyWriter()
  private(set) var entries: [Entry] = []

  /// - Parameter query: The query, where rows are kept up to date from captured ones; nil where they are read again.
  init(_ layout: RowLayout, _ query: BoundQuery?) throws(StorageError) {
    self.layout = layout
    order = query?.order ?? []
    if let query { predicate = try CompiledPredicate(query.predicate, layout) } else { predicate = nil }
  }

  func entry(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> Entry {
    let key = try Key(of: bytes, layout)
    return Entry(order: try orderKey(bytes, key), key: key, row: Row(copying: bytes))
  }

  private func orderKey(_ bytes: UnsafeRawBufferPointer, _ key: Key) throws(StorageError) -> Key {
    guard let first = order.first else { return Key([]) }
    if order.count == 1, !first.isDescending { return key }
    let view = try RowView(bytes, layout)
    writer.removeAll()
    for (place, part) in order.enumerated() {
      try writer.append(
        view, layout.slots[part.slot], layout, isDescending: part.isDescending, isLast: place == order.count - 1)
    }
    return writer.key
  }

  /// Gives the second entry of an object in a list, and each further one, a key of its own.
  static func tellApart(_ entries: inout [Entry]) {
    var counts: [Key: Int] = [:]
    for place in entries.indices {
      let key = entries[place].key
      let number = counts[key, default: 0]
      counts[key] = number + 1
      guard number > 0 else { continue }
      entries[place].key = Key(key.bytes + withUnsafeBytes(of: number.bigEndian) { Array($0) })
    }
  }

  // MARK: Read again

  /// Takes other rows in place of those that are here.
  func replace(with rows: [Entry]) throws(StorageError) -> Change {
    var oldPlaces: [Key: Int] = [:]
    oldPlaces.reserveCapacity(entries.count)
    for (place, entry) in entries.enumerated() { oldPlaces[entry.key] = place }
    var change = Change()
    var survivors: [ListChange.Survivor] = []
    var insertions: [Int] = []
    for (place, entry) in rows.enumerated() {
      guard let old = oldPlaces.removeValue(forKey: entry.key) else {
        insertions.append(place)
        change.inserted.append(entry.row)
        continue
      }
      survivors.append(ListChange.Survivor(old: old, new: place))
      if let update = try update(entries[old].row, old, entry.row, place) { change.updates.append(update) }
    }
    survivors.sort { $0.old < $1.old }
    change.list = ListChange(deletions: oldPlaces.values.sorted(), insertions: insertions, survivors: survivors)
    entries = rows
    return change
  }

  private func update(_ old: Row, _ oldPlace: Int, _ new: Row, _ place: Int) throws(StorageError) -> Update? {
    guard old.bytes != new.bytes else { return nil }
    let slots = try old.bytes.withBytes { old throws(StorageError) in
      try new.bytes.withBytes { new throws(StorageError) in
        try RowView(old, layout).differences(from: RowView(new, layout), layout)
      }
    }
    return slots.isEmpty ? nil : Update(oldPlace: oldPlace, place: place, old: old, new: new, slots: slots)
  }

  // MARK: Kept up to date

  /// Applies the changes of a commit.
  ///
  /// - Complexity: O(k log n) comparisons for k changes, and O(n) moves of places where rows come or go.
  func apply(_ changes: [ChangeSet.Change]) throws(StorageError) -> Change {
    var gone: [(place: Int, key: Key)] = []
    var come: [Entry] = []
    for change in changes {
      if let old = change.old, let place = try place(of: old, change.key) { gone.append((place, change.key)) }
      guard let new = change.new else { continue }
      let entry = try new.bytes.withBytes { bytes throws(StorageError) -> Entry? in
        guard try predicate?.matches(bytes) ?? true else { return nil }
        return Entry(order: try orderKey(bytes, change.key), key: change.key, row: new)
      }
      if let entry { come.append(entry) }
    }
    gone.sort { $0.place < $1.place }
    come.sort { $0.order < $1.order }
    let oldPlaces = gone.map(\.place)
    var oldByKey: [Key: Int] = [:]
    for (rank, old) in gone.enumerated() { oldByKey[old.key] = rank }
    var change = Change()
    var insertions: [(place: Int, entry: Entry)] = []
    var others: [(place: Int, entry: Entry)] = []
    var survivors: [ListChange.Survivor] = []
    // The number of remaining rows before each.
    var anchors: [Int] = []
    for (rank, entry) in come.enumerated() {
      let bound = lowerBound(entry.order)
      let anchor = bound - countBelow(bound, oldPlaces)
      let place = anchor + rank
      anchors.append(anchor)
      guard let oldRank = oldByKey.removeValue(forKey: entry.key) else {
        insertions.append((place, entry))
        continue
      }
      let old = oldPlaces[oldRank]
      others.append((place, entry))
      survivors.append(ListChange.Survivor(old: old, new: place))
      if let update = try update(entries[old].row, old, entry.row, place) { change.updates.append(update) }
    }
    survivors.sort { $0.old < $1.old }
    let kept = ListChange.Kept(
      count: entries.count - gone.count, before: (oldPlaces.enumerated().map { $1 - $0 }, anchors))
    let deletions = oldByKey.values.map { oldPlaces[$0] }.sorted()
    change.inserted = insertions.map(\.entry.row)
    change.list = ListChange(
      deletions: deletions, insertions: insertions.map(\.place), survivors: survivors, kept: kept)
    change.list.apply(to: &entries, inserted: insertions.map(\.entry))
    for (place, entry) in others { entries[place] = entry }
    return change
  }

  private func place(of row: Row, _ key: Key) throws(StorageError) -> Int? {
    let order = try row.bytes.withBytes { bytes throws(StorageError) in try orderKey(bytes, key) }
    let place = lowerBound(order)
    return place < entries.count && entries[place].key == key ? place : nil
  }

  /// The first place whose row does not come before the order.
  private func lowerBound(_ order: Key) -> Int {
    entries.indices.partitionPoint { entries[$0].order < order }
  }

  /// The number of the rising numbers below a given one.
  private func countBelow(_ bound: Int, _ numbers: [Int]) -> Int {
    numbers.indices.partitionPoint { numbers[$0] < bound }
  }
}
