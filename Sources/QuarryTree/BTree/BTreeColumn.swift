import QuarryBackend
import Synchronization

/// The bytes of one field of all entries of a leaf, side by side, and the next such column of the leaf.
///
/// A column never changes after it was created, except for `next`, which is set before other threads can see it. It belongs to
/// its leaf and is released with it. So any thread that holds the leaf may read it.
struct BTreeColumn {
  private struct Header {
    var next: UnsafeMutableRawPointer?
    var slot: Int
    var nulls: UInt64
    var byteCount: Int
  }

  let base: UnsafeMutableRawPointer

  @inline(__always) init(_ base: UnsafeMutableRawPointer) {
    self.base = base
  }

  private var header: UnsafeMutablePointer<Header> { base.assumingMemoryBound(to: Header.self) }
  private var values: UnsafeMutableRawPointer { base + MemoryLayout<Header>.stride }

  var slot: Int { header.pointee.slot }
  var byteCount: Int { header.pointee.byteCount }
  var next: BTreeColumn? {
    get { header.pointee.next.map { BTreeColumn($0) } }
    nonmutating set { header.pointee.next = newValue?.base }
  }

  /// The column of a leaf; nil where its rows do not have the field all alike.
  static func make(_ leaf: BTreeNode, _ probe: FieldProbe) -> BTreeColumn? {
    let byteCount = MemoryLayout<Header>.stride + leaf.count * probe.width
    let column = BTreeColumn(.allocate(byteCount: byteCount, alignment: 16))
    let nulls = withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: leaf.count) { rows in
      for index in 0..<leaf.count { rows.initializeElement(at: index, to: leaf.value(index)) }
      return rows.baseAddress.flatMap { probe.collect($0, leaf.count, into: column.values) }
    }
    guard let nulls else {
      column.release()
      return nil
    }
    column.header.initialize(to: Header(next: nil, slot: probe.slot, nulls: nulls, byteCount: byteCount))
    return column
  }

  func release() { base.deallocate() }

  /// Which entries may pass the probe, as bits.
  func mask(_ probe: FieldProbe, count: Int) -> UInt64 {
    probe.mask(values, nulls: header.pointee.nulls, count: count)
  }
}

/// The columns of a leaf. They are made when a field is asked for the second time: a single filter costs nothing.
///
/// A thread that creates one puts it before the others by one exchange, so that readers on any thread find whole columns only.
/// They are dropped where a leaf is changed in place, which no other thread sees then.
extension BTreeNode {
  /// Of a leaf with fewer entries no columns are made.
  private static var leastEntries: Int { 16 }
  /// The most columns of a leaf.
  private static var mostColumns: Int { 8 }

  /// A field's bit, which fields with the same rest share: then a column is made too early, or not at all.
  private func bit(_ probe: FieldProbe) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: probe.slot & 63) }

  private var columns: BTreeColumn? {
    UnsafeMutableRawPointer(bitPattern: firstColumn.pointee.load(ordering: .acquiring)).map { BTreeColumn($0) }
  }

  /// The column of the probe's field; nil when there is none, or none yet.
  func column(_ probe: FieldProbe) -> BTreeColumn? {
    var number = 0
    var column = columns
    while let found = column {
      if found.slot == probe.slot { return found }
      number += 1
      column = found.next
    }
    let bit = bit(probe)
    guard askedFields.pointee.bitwiseOr(bit, ordering: .relaxed).oldValue & bit != 0,
      refusedFields.pointee.load(ordering: .relaxed) & bit == 0, number < Self.mostColumns,
      count >= Self.leastEntries
    else { return nil }
    return makeColumn(probe)
  }

  private func makeColumn(_ probe: FieldProbe) -> BTreeColumn? {
    guard let new = BTreeColumn.make(self, probe) else {
      refusedFields.pointee.bitwiseOr(bit(probe), ordering: .relaxed)
      return nil
    }
    var first = firstColumn.pointee.load(ordering: .acquiring)
    while true {
      new.next = UnsafeMutableRawPointer(bitPattern: first).map { BTreeColumn($0) }
      let (isStored, found) = firstColumn.pointee.compareExchange(
        expected: first, desired: UInt(bitPattern: new.base), ordering: .acquiringAndReleasing)
      // Another thread may have made the same column: then there are two, of which one is found.
      if isStored { return new }
      first = found
    }
  }

  /// Bytes of the columns.
  var columnBytes: Int {
    var bytes = 0
    var column = columns
    while let found = column {
      bytes += found.byteCount
      column = found.next
    }
    return bytes
  }

  /// Discards the columns, and which were requested. Only for a node without other references.
  @inline(__always)
  func dropColumns() {
    // A column is made of a field that was asked for: where none was, which is nearly always, there is nothing.
    if askedFields.pointee.load(ordering: .relaxed) != 0 { forgetColumns() }
  }

  private func forgetColumns() {
    askedFields.pointee.store(0, ordering: .relaxed)
    refusedFields.pointee.store(0, ordering: .relaxed)
    var column = UnsafeMutableRawPointer(bitPattern: firstColumn.pointee.exchange(0, ordering: .acquiring))
      .map { BTreeColumn($0) }
    while let found = column {
      column = found.next
      found.release()
    }
  }
}
