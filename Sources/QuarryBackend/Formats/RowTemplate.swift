/// A precomputed row prefix for a fixed sequence of slots, each set once.
///
/// It has the header, zeros in the place of the fixed part, and null bits that already record which slots are set. See
/// ``RowWriter/begin(_:after:)``.
///
/// Sendable unchecked for the bytes, which are written in the init, read only after it and freed with the object.
@usableFromInline
package final class RowTemplate: @unchecked Sendable {
  @usableFromInline let bytes: UnsafeRawPointer
  @usableFromInline let nulls: Int
  /// Where the variable part begins.
  @usableFromInline let variable: Int
  /// Whether there are variable slots that are never set.
  @usableFromInline let leavesVariable: Bool

  /// - Parameter slots: The slots that are set or said to be null, in their order. The others are null.
  package init(_ layout: RowLayout, setting slots: [RowLayout.Slot]) {
    nulls = layout.current.nulls
    variable = layout.current.variable
    leavesVariable = slots.count { $0.variableIndex >= 0 } < layout.variableCount
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: variable, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: nulls)
    (bytes + nulls).initializeMemory(as: UInt8.self, repeating: 0xFF, count: variable - nulls)
    bytes.storeBytes(of: layout.current.header.littleEndian, as: UInt32.self)
    for slot in slots {
      let place = nulls + Int(slot.index) >> 3
      let byte = bytes.load(fromByteOffset: place, as: UInt8.self) & ~(1 << UInt8(slot.index & 7))
      bytes.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
    }
    self.bytes = UnsafeRawPointer(bytes)
  }

  deinit {
    bytes.deallocate()
  }
}

/// A row of a writer that was begun from a template: it is written without looking anything up in the writer.
///
/// Unsafe in one way: the memory is the writer's, so that it is there until the writer's next call.
@frozen @usableFromInline
package struct OrderedRow {
  @usableFromInline var start: UnsafeMutableRawPointer
  /// Bytes of the row so far.
  @usableFromInline var count: Int
  /// Bytes that there is room for.
  @usableFromInline var capacity: Int
  @usableFromInline let nulls: Int
  @usableFromInline let variable: Int

  @inlinable @inline(__always)
  init(start: UnsafeMutableRawPointer, count: Int, capacity: Int, nulls: Int, variable: Int) {
    self.start = start
    self.count = count
    self.capacity = capacity
    self.nulls = nulls
    self.variable = variable
  }

  /// Sets a slot of fixed width to a value of exactly that width.
  @inlinable @inline(__always)
  package mutating func set<T: BitwiseCopyable>(_ slot: RowLayout.Slot, _ value: T) {
    start.storeBytes(of: value, toByteOffset: Int(slot.offset), as: T.self)
  }

  /// Sets a slot to null.
  @inlinable @inline(__always)
  package mutating func setNull(_ slot: RowLayout.Slot) {
    let place = nulls &+ Int(slot.index) &>> 3
    let bit = 1 as UInt8 &<< UInt8(truncatingIfNeeded: slot.index & 7)
    start.storeBytes(of: start.load(fromByteOffset: place, as: UInt8.self) | bit, toByteOffset: place, as: UInt8.self)
    if slot.variableIndex >= 0 { endVariable(slot) }
  }

  /// Sets a variable slot to these bytes.
  ///
  /// - Parameter writer: The row's.
  @inlinable @inline(__always)
  package mutating func set(_ slot: RowLayout.Slot, bytes: UnsafeRawBufferPointer, _ writer: RowWriter) {
    let length = bytes.count
    if count &+ length > capacity { writer.grow(&self, by: length) }
    if length > 0, let base = bytes.baseAddress { (start + count).copyMemory(from: base, byteCount: length) }
    count &+= length
    endVariable(slot)
  }

  @inlinable @inline(__always)
  mutating func endVariable(_ slot: RowLayout.Slot) {
    let end = UInt32(truncatingIfNeeded: count &- variable)
    start.storeBytes(of: end.littleEndian, toByteOffset: Int(slot.offset), as: UInt32.self)
  }
}

extension RowWriter {
  /// Begins a row from a template of the writer's layout. Each of the template's slots is to be set, or to be set to null,
  /// once and in their order, here or, between ``resume(_:)`` and ``ordered(_:)``, by the writer's own calls.
  ///
  /// - Parameter kept: As in ``begin(after:)``.
  @inlinable @inline(__always)
  package func begin(_ template: RowTemplate, after kept: Int) -> OrderedRow {
    if kept &+ template.variable > capacity { grow(kept &+ template.variable, keeping: kept) }
    row = buffer + kept
    row.copyMemory(from: template.bytes, byteCount: template.variable)
    lastVariable = -1
    isOutOfOrder = false
    count = template.variable
    return ordered(template)
  }

  /// The row as the writer has it.
  @inlinable @inline(__always)
  package func ordered(_ template: RowTemplate) -> OrderedRow {
    OrderedRow(
      start: row, count: count, capacity: capacity &- (row - buffer), nulls: template.nulls,
      variable: template.variable)
  }

  /// Goes on with a row by the writer's own calls.
  @inlinable @inline(__always)
  package func resume(_ ordered: OrderedRow) { count = ordered.count }

  /// Makes room for more bytes of a row.
  @usableFromInline
  func grow(_ ordered: inout OrderedRow, by length: Int) {
    count = ordered.count
    reserve(length)
    ordered.start = row
    ordered.capacity = capacity - (row - buffer)
  }

  /// Ends a row that was begun from a template. See ``finish(checksum:)``.
  @inlinable @inline(__always)
  package func finish(
    _ ordered: OrderedRow, _ template: RowTemplate
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    count = ordered.count
    guard count &- template.variable <= UInt32.max else {
      throw .limitExceeded("bytes of a row", limit: Int(UInt32.max), actual: count)
    }
    if template.leavesVariable { endNulls() }
    return UnsafeRawBufferPointer(start: ordered.start, count: ordered.count)
  }
}
