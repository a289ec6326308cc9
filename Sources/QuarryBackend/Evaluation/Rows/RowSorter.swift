/// Sorts rows. With a bound it keeps only that many first ones, in memory for about twice as many.
///
/// Add the rows, ``finish(skipping:)``, then read them as from a cursor. Each row is copied once, together with its
/// sort key in the key format, into blocks shared by many rows.
public final class RowSorter: RowCursor {
  /// A row that is kept: its sort key's bytes, then its own, at one address inside `slabs`.
  private struct Entry {
    /// The first eight bytes of the sort key, so that most comparisons need nothing else.
    var prefix: UInt64
    var address: UnsafeMutableRawPointer
    var keyCount: Int
    var rowCount: Int
    /// Bytes at the address, of which a replaced row may leave some unused.
    var capacity: Int

    @inline(__always)
    var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: address, count: keyCount) }
    var row: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: address + keyCount, count: rowCount) }

    @inline(__always)
    func precedes(_ other: Entry) -> Bool {
      if prefix != other.prefix { return prefix < other.prefix }
      return key.compare(other.key) < 0
    }
  }

  private let order: RowOrder
  private let bound: Int?
  /// The slot of the first sort key; nil for an order without one.
  private let firstSlot: RowLayout.Slot?
  private let isFirstDescending: Bool
  private let writer = KeyWriter()
  // One thread has the sorter; exclusive access need not be checked for each row.
  @exclusivity(unchecked) private var slabs = RowSlabs()
  /// With a bound that was reached, a heap whose first entry is the last in order.
  @exclusivity(unchecked) private var entries: ContiguousArray<Entry> = []
  /// The row of the heap's first entry.
  @exclusivity(unchecked) private var lastRow: RowView?
  @exclusivity(unchecked) private var liveBytes = 0
  @exclusivity(unchecked) private var position = 0
  /// Bytes of the blocks that rows are kept in.
  var memoryBytes: Int { slabs.byteCount }

  /// Creates a sorter without rows.
  ///
  /// - Parameters:
  ///   - order: The order, whose keys give every row a distinct position.
  ///   - bound: How many rows will be asked for at most, those skipped included; nil for all.
  public init(_ order: RowOrder, bound: Int?) {
    self.order = order
    self.bound = bound.map { max(0, $0) }
    isFirstDescending = order.keys.first?.isDescending ?? false
    let slots = order.layout.slots
    firstSlot = order.keys.first.flatMap { slots.indices.contains($0.slot) ? slots[$0.slot] : nil }
  }

  /// Adds a row, of which it keeps a copy if it is among the first.
  ///
  /// - Parameter row: A row of the order's layout, in the row format.
  /// - Throws: `corrupt`; `invalidQuery` for a slot that the layout does not have; `unsupported` for a type without an
  ///   order.
  /// - Complexity: O(log b) for a bound of b rows; amortized O(1) without one.
  public func add(_ row: UnsafeRawBufferPointer) throws(StorageError) {
    if bound == 0 { return }
    let view = try RowView(row, order.layout)
    // The first value alone refuses most rows once the heap is full, and no key is made for them.
    if let lastRow, let firstSlot {
      let comparison = try RowOrder.compare(view, lastRow, firstSlot, order.layout)
      if isFirstDescending ? comparison < 0 : comparison > 0 { return }
    }
    try add(row, view)
  }

  @inline(never)
  private func add(_ row: UnsafeRawBufferPointer, _ view: RowView) throws(StorageError) {
    let layout = order.layout
    writer.removeAll()
    let last = order.keys.count - 1
    for (index, key) in order.keys.enumerated() {
      guard layout.slots.indices.contains(key.slot) else {
        throw .noSlot(key.slot)
      }
      try writer.append(
        view, layout.slots[key.slot], layout, isDescending: key.isDescending, isLast: index == last)
    }
    let prefix = Self.prefix(writer.bytes)
    if entries.count == bound {
      replaceLast(row, prefix)
    } else {
      entries.append(store(row, prefix, in: nil))
      if entries.count == bound { makeHeap() }
    }
    if entries.count == bound { lastRow = try RowView(entries[0].row, layout) }
  }

  @inline(__always)
  private static func prefix(_ key: UnsafeRawBufferPointer) -> UInt64 {
    if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
    var prefix: UInt64 = 0
    for byte in key { prefix = prefix << 8 | UInt64(byte) }
    return key.isEmpty ? 0 : prefix << UInt64(64 - key.count * 8)
  }

  /// Copies the key in the writer and the row, into the memory of an entry that is no longer needed if it has room.
  private func store(_ row: UnsafeRawBufferPointer, _ prefix: UInt64, in old: Entry?) -> Entry {
    let key = writer.bytes
    let needed = key.count + row.count
    var entry: Entry
    if let old, old.capacity >= needed {
      entry = old
    } else {
      // A bounded sort replaces rows again and again: with some room more, most find a place that they fit into.
      let capacity = bound == nil ? needed : needed + needed / 4
      entry = Entry(prefix: 0, address: slabs.allocate(capacity), keyCount: 0, rowCount: 0, capacity: capacity)
      liveBytes += capacity - (old?.capacity ?? 0)
    }
    entry.prefix = prefix
    entry.keyCount = key.count
    entry.rowCount = row.count
    if let source = key.baseAddress { entry.address.copyMemory(from: source, byteCount: key.count) }
    if let source = row.baseAddress { (entry.address + key.count).copyMemory(from: source, byteCount: row.count) }
    return entry
  }

  // MARK: The heap

  private func makeHeap() {
    for index in (0..<entries.count / 2).reversed() { siftDown(index) }
  }

  private func siftDown(_ start: Int) {
    var index = start
    let entry = entries[index]
    while true {
      var child = 2 * index + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, entries[child].precedes(entries[child + 1]) { child += 1 }
      guard entry.precedes(entries[child]) else { break }
      entries[index] = entries[child]
      index = child
    }
    entries[index] = entry
  }

  private func replaceLast(_ row: UnsafeRawBufferPointer, _ prefix: UInt64) {
    let old = entries[0]
    if prefix > old.prefix || prefix == old.prefix && writer.bytes.compare(old.key) >= 0 { return }
    entries[0] = store(row, prefix, in: old)
    siftDown(0)
    if slabs.byteCount > 2 * liveBytes + (1 << 20) { compact() }
  }

  /// Moves the rows that are kept into new blocks, when most of the old ones is of rows that were replaced.
  private func compact() {
    var fresh = RowSlabs()
    liveBytes = 0
    for index in entries.indices {
      let entry = entries[index]
      let used = entry.keyCount + entry.rowCount
      let address = fresh.allocate(used)
      address.copyMemory(from: entry.address, byteCount: used)
      entries[index].address = address
      entries[index].capacity = used
      liveBytes += used
    }
    slabs = fresh
  }

  // MARK: Reading

  /// Ends adding and sorts.
  ///
  /// - Parameter offset: How many of the first rows are left out.
  /// - Throws: Nothing: rows are sorted in memory.
  /// - Complexity: O(n log n) for the n rows that were kept.
  public func finish(skipping offset: Int) throws(StorageError) {
    entries.sort { $0.precedes($1) }
    position = min(max(0, offset), entries.count)
  }

  public func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    let count = min(rows.count, entries.count - position)
    guard count > 0 else { return 0 }
    for index in 0..<count { rows.initializeElement(at: index, to: entries[position + index].row) }
    position += count
    return count
  }

  public func close() {
    entries = []
    lastRow = nil
    position = 0
    slabs.removeAll()
  }
}
