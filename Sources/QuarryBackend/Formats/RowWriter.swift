import Foundation

/// Writes rows in the row format into a buffer that is reused from row to row.
///
/// Call ``begin(after:)``, set each slot at most once in any order, then ``finish(checksum:)``. Slots that were not set
/// are null. Setting variable slots in the order of their numbers copies nothing twice.
public final class RowWriter {
  /// Where the null bits and the variable part of a row begin.
  @usableFromInline let nulls: Int
  @usableFromInline let variable: Int
  @usableFromInline let variableCount: Int
  private let variableSlots: [RowLayout.Slot]
  @exclusivity(unchecked) @usableFromInline var buffer: UnsafeMutableRawPointer
  @exclusivity(unchecked) @usableFromInline var capacity: Int
  /// Where the row begins in the buffer: after the rows that are kept.
  @exclusivity(unchecked) @usableFromInline var row: UnsafeMutableRawPointer
  /// Bytes of the row so far.
  @exclusivity(unchecked) @usableFromInline var count: Int
  /// The fixed part and the null bits of a row in which every slot is null.
  @usableFromInline let blank: UnsafeRawPointer
  /// The variable slot that was set last, and how many were set.
  @exclusivity(unchecked) @usableFromInline var lastVariable: Int32 = -1
  @exclusivity(unchecked) @usableFromInline var variablesSet = 0
  /// The positions of each variable slot's bytes, from the beginning of the variable part.
  ///
  /// Used only once a slot was set before its turn; before that the places in the row have them.
  @usableFromInline let places: UnsafeMutablePointer<(start: UInt32, end: UInt32)>
  @exclusivity(unchecked) @usableFromInline var isOutOfOrder = false

  /// A writer for rows of a layout; it is used by one thread.
  public init(_ layout: RowLayout) {
    nulls = layout.current.nulls
    variable = layout.current.variable
    variableCount = layout.variableCount
    variableSlots = layout.slots.filter { $0.variableIndex >= 0 }
    count = variable
    capacity = max(256, variable * 2)
    buffer = .allocate(byteCount: capacity, alignment: 16)
    row = buffer
    places = .allocate(capacity: max(1, variableCount))
    let blank = UnsafeMutableRawPointer.allocate(byteCount: variable, alignment: 16)
    memset(blank, 0, nulls)
    memset(blank + nulls, 0xFF, variable - nulls)
    blank.storeBytes(of: layout.current.header.littleEndian, as: UInt32.self)
    self.blank = UnsafeRawPointer(blank)
  }

  deinit {
    buffer.deallocate()
    places.deallocate()
    blank.deallocate()
  }

  /// Begins a row in which every slot is null.
  ///
  /// - Parameter kept: The number of bytes of earlier rows that stay in the buffer: all rows finished since the last `begin()`.
  ///   Such rows follow each other without a gap; see ``rows``.
  @inlinable
  public func begin(after kept: Int = 0) {
    count = variable
    if kept &+ count > capacity { grow(kept &+ count, keeping: kept) }
    row = buffer + kept
    row.copyMemory(from: blank, byteCount: count)
    lastVariable = -1
    variablesSet = 0
    isOutOfOrder = false
  }

  /// Where the kept rows begin, valid until the next call on the writer.
  @inlinable public var rows: UnsafeRawPointer { UnsafeRawPointer(buffer) }

  @inlinable
  func clearNull(_ slot: RowLayout.Slot) {
    let offset = nulls &+ Int(slot.index) &>> 3
    let bit = 1 as UInt8 &<< UInt8(truncatingIfNeeded: slot.index & 7)
    let byte = row.load(fromByteOffset: offset, as: UInt8.self)
    row.storeBytes(of: byte & ~bit, toByteOffset: offset, as: UInt8.self)
  }

  /// Sets a slot of fixed width to a value of exactly that width.
  ///
  /// - Parameters:
  ///   - slot: A slot of fixed width.
  ///   - value: A value of the slot's width, in little-endian order.
  @inlinable
  public func set<T: BitwiseCopyable>(_ slot: RowLayout.Slot, _ value: T) {
    clearNull(slot)
    row.storeBytes(of: value, toByteOffset: Int(slot.offset), as: T.self)
  }

  /// Sets a variable slot to these bytes.
  ///
  /// - Parameters:
  ///   - slot: A slot of a variable type.
  ///   - bytes: The bytes, which are copied: for a text, UTF-8.
  @inlinable
  public func set(_ slot: RowLayout.Slot, bytes: UnsafeRawBufferPointer) {
    let length = bytes.count
    reserve(length)
    if length > 0, let base = bytes.baseAddress {
      (row + count).copyMemory(from: base, byteCount: length)
    }
    place(slot, length: length)
  }

  /// Sets a variable slot to bytes that the body writes into the row.
  package func set(_ slot: RowLayout.Slot, count length: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    reserve(length)
    body(UnsafeMutableRawBufferPointer(start: row + count, count: length))
    place(slot, length: length)
  }

  /// Sets a variable slot to the UTF-8 bytes of a string.
  ///
  /// - Parameters:
  ///   - slot: A slot of the type string or url.
  ///   - string: The text.
  @inlinable
  public func set(_ slot: RowLayout.Slot, string: String) {
    // Of most strings without a copy, which would count references.
    if string.utf8.withContiguousStorageIfAvailable({ set(slot, bytes: UnsafeRawBufferPointer($0)) }) != nil { return }
    var string = string
    string.withUTF8 { set(slot, bytes: UnsafeRawBufferPointer($0)) }
  }

  @inlinable
  func reserve(_ length: Int) {
    let kept = row - buffer
    let needed = kept &+ count &+ length &+ 4
    if needed > capacity { grow(needed, keeping: kept &+ count) }
  }

  /// Bytes that there is room for.
  package var room: Int { capacity }

  /// Makes room for the given number of bytes of rows, before the first.
  package func makeRoom(_ bytes: Int) {
    if bytes > capacity { grow(bytes, keeping: 0) }
  }

  @usableFromInline
  func grow(_ needed: Int, keeping kept: Int) {
    let larger = max(needed, capacity * 2)
    let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    new.copyMemory(from: buffer, byteCount: kept)
    row = new + (row - buffer)
    buffer.deallocate()
    buffer = new
    capacity = larger
  }

  @inlinable
  func place(_ slot: RowLayout.Slot, length: Int) {
    let start = UInt32(truncatingIfNeeded: count &- variable)
    let end = start &+ UInt32(truncatingIfNeeded: length)
    if slot.variableIndex <= lastVariable || isOutOfOrder {
      placeOutOfOrder(slot, start, end)
    } else {
      row.storeBytes(of: end.littleEndian, toByteOffset: Int(slot.offset), as: UInt32.self)
      lastVariable = slot.variableIndex
      variablesSet &+= 1
    }
    clearNull(slot)
    count &+= length
  }

  /// Notes where the bytes of a slot are that was set before its turn, or again.
  @usableFromInline
  func placeOutOfOrder(_ slot: RowLayout.Slot, _ start: UInt32, _ end: UInt32) {
    if !isOutOfOrder {
      isOutOfOrder = true
      var start: UInt32 = 0
      for slot in variableSlots {
        let end = isNull(slot) ? start : self.end(slot)
        places[Int(slot.variableIndex)] = (start, end)
        start = end
      }
    }
    places[Int(slot.variableIndex)] = (start, end)
  }

  /// Whether the slot of the row was not set, or set to null.
  package func isNull(_ slot: RowLayout.Slot) -> Bool {
    let byte = row.load(fromByteOffset: nulls + Int(slot.index) >> 3, as: UInt8.self)
    return byte >> UInt8(slot.index & 7) & 1 == 1
  }

  /// The end of a variable slot's bytes.
  private func end(_ slot: RowLayout.Slot) -> UInt32 {
    UInt32(littleEndian: row.loadUnaligned(fromByteOffset: Int(slot.offset), as: UInt32.self))
  }

  /// Ends the row.
  ///
  /// - Parameter checksum: Whether the row ends with a CRC-32C.
  /// - Returns: The row's bytes, valid until the next call on the writer.
  /// - Throws: `limitExceeded` when the variable part is larger than 4 GiB.
  @inlinable
  public func finish(checksum: Bool = false) throws(StorageError) -> UnsafeRawBufferPointer {
    guard count &- variable <= UInt32.max else {
      throw .limitExceeded("bytes of a row", limit: Int(UInt32.max), actual: count)
    }
    if isOutOfOrder {
      reorder()
    } else if variablesSet < variableCount {
      endNulls()
    }
    if checksum { appendChecksum() }
    return UnsafeRawBufferPointer(start: row, count: count)
  }

  /// Lets variable slots that are null end where those before them end.
  @usableFromInline
  func endNulls() {
    var last: UInt32 = 0
    for slot in variableSlots {
      if isNull(slot) {
        row.storeBytes(of: last.littleEndian, toByteOffset: Int(slot.offset), as: UInt32.self)
      } else {
        last = end(slot)
      }
    }
  }

  /// Puts the variable parts into the order of their slots.
  @usableFromInline
  func reorder() {
    let begin = variable
    let copy = Array(UnsafeRawBufferPointer(start: row + begin, count: count - begin))
    var end: UInt32 = 0
    copy.withUnsafeBytes { copy in
      for slot in variableSlots {
        let place = places[Int(slot.variableIndex)]
        let length = Int(place.end - place.start)
        if length > 0, let base = copy.baseAddress {
          (row + begin + Int(end)).copyMemory(from: base + Int(place.start), byteCount: length)
        }
        end += UInt32(length)
        row.storeBytes(of: end.littleEndian, toByteOffset: Int(slot.offset), as: UInt32.self)
      }
    }
    // A slot that was set twice leaves its first bytes behind.
    count = begin + Int(end)
    isOutOfOrder = false
  }

  @usableFromInline
  func appendChecksum() {
    reserve(4)
    row.storeBytes(of: RowLayout.checksumFlag, toByteOffset: 1, as: UInt8.self)
    let crc = CRC32C.checksum(UnsafeRawBufferPointer(start: row, count: count))
    row.storeBytes(of: crc.littleEndian, toByteOffset: count, as: UInt32.self)
    count += 4
  }
}
