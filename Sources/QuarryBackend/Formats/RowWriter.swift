public import Foundation

/// Writes rows in the row format into a buffer that is reused from row to row.
///
/// Call ``begin()``, set each slot at most once in any order, then ``finish()``. Slots that were not set are null.
/// Setting variable slots in the order of their numbers copies nothing twice.
public final class RowWriter {
  @usableFromInline let layout: RowLayout
  @exclusivity(unchecked) @usableFromInline var buffer: UnsafeMutableRawPointer
  @exclusivity(unchecked) @usableFromInline var capacity: Int
  /// Bytes of the row so far.
  @exclusivity(unchecked) @usableFromInline var count: Int
  /// Where each variable slot's bytes are, from the beginning of the variable part; an end of 0 for none.
  @usableFromInline let places: UnsafeMutablePointer<(start: UInt32, end: UInt32)>
  /// The variable slot that was set last, and whether one was set before its turn.
  @exclusivity(unchecked) @usableFromInline var lastVariable: Int32 = -1
  @exclusivity(unchecked) @usableFromInline var isOutOfOrder = false

  public init(_ layout: RowLayout) {
    self.layout = layout
    capacity = max(256, layout.current.variable * 2)
    buffer = .allocate(byteCount: capacity, alignment: 16)
    places = .allocate(capacity: max(1, layout.variableCount))
    count = layout.current.variable
  }

  deinit {
    buffer.deallocate()
    places.deallocate()
  }

  /// Begins a row in which every slot is null.
  @inlinable
  public func begin() {
    let fixed = layout.current.nulls
    memset(buffer, 0, fixed)
    memset(buffer + fixed, 0xFF, layout.current.variable - fixed)
    buffer.storeBytes(of: layout.current.header.littleEndian, as: UInt32.self)
    if layout.variableCount > 0 {
      memset(places, 0, layout.variableCount &* MemoryLayout<(start: UInt32, end: UInt32)>.stride)
    }
    count = layout.current.variable
    lastVariable = -1
    isOutOfOrder = false
  }

  @inlinable
  func clearNull(_ slot: RowLayout.Slot) {
    let offset = layout.current.nulls &+ Int(slot.index) &>> 3
    let bit = 1 as UInt8 &<< UInt8(truncatingIfNeeded: slot.index & 7)
    let byte = buffer.load(fromByteOffset: offset, as: UInt8.self)
    buffer.storeBytes(of: byte & ~bit, toByteOffset: offset, as: UInt8.self)
  }

  /// Sets a slot of fixed width to a value of exactly that width.
  @inlinable
  public func set<T: BitwiseCopyable>(_ slot: RowLayout.Slot, _ value: T) {
    clearNull(slot)
    buffer.storeBytes(of: value, toByteOffset: Int(slot.offset), as: T.self)
  }

  /// Sets a variable slot to these bytes.
  @inlinable
  public func set(_ slot: RowLayout.Slot, bytes: UnsafeRawBufferPointer) {
    let length = bytes.count
    reserve(length)
    if length > 0, let base = bytes.baseAddress {
      (buffer + count).copyMemory(from: base, byteCount: length)
    }
    place(slot, length: length)
  }

  /// Sets a variable slot to the UTF-8 bytes of a string.
  @inlinable
  public func set(_ slot: RowLayout.Slot, string: String) {
    var string = string
    string.withUTF8 { set(slot, bytes: UnsafeRawBufferPointer($0)) }
  }

  @inlinable
  func reserve(_ length: Int) {
    if count &+ length &+ 4 > capacity { grow(count + length + 4) }
  }

  @usableFromInline
  func grow(_ needed: Int) {
    let larger = max(needed, capacity * 2)
    let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    new.copyMemory(from: buffer, byteCount: count)
    buffer.deallocate()
    buffer = new
    capacity = larger
  }

  @inlinable
  func place(_ slot: RowLayout.Slot, length: Int) {
    clearNull(slot)
    let start = UInt32(truncatingIfNeeded: count &- layout.current.variable)
    places[Int(slot.variableIndex)] = (start, start &+ UInt32(truncatingIfNeeded: length))
    if slot.variableIndex < lastVariable { isOutOfOrder = true }
    lastVariable = slot.variableIndex
    count &+= length
  }

  /// Ends the row.
  ///
  /// - Parameter checksum: Whether the row ends with a CRC-32C.
  /// - Returns: The row's bytes, valid until the next call on the writer.
  /// - Throws: `limitExceeded` when the variable part is larger than 4 GiB.
  @inlinable
  public func finish(checksum: Bool = false) throws(StorageError) -> UnsafeRawBufferPointer {
    guard count &- layout.current.variable <= UInt32.max else {
      throw .limitExceeded("bytes of a row", limit: Int(UInt32.max), actual: count)
    }
    if layout.variableCount > 0 {
      if isOutOfOrder { reorder() }
      var end: UInt32 = 0
      var variable = 0
      layout.slots.withUnsafeBufferPointer { slots in
        for index in 0..<slots.count where slots[index].variableIndex >= 0 {
          let place = places[variable]
          if place.end > 0 { end = place.end }
          buffer.storeBytes(of: end.littleEndian, toByteOffset: Int(slots[index].offset), as: UInt32.self)
          variable &+= 1
        }
      }
    }
    if checksum { appendChecksum() }
    return UnsafeRawBufferPointer(start: buffer, count: count)
  }

  /// Puts the variable parts into the order of their slots.
  @usableFromInline
  func reorder() {
    let begin = layout.current.variable
    let copy = Array(UnsafeRawBufferPointer(start: buffer + begin, count: count - begin))
    var end: UInt32 = 0
    copy.withUnsafeBytes { copy in
      for variable in 0..<layout.variableCount {
        let place = places[variable]
        let length = Int(place.end - place.start)
        if length > 0, let base = copy.baseAddress {
          (buffer + begin + Int(end)).copyMemory(from: base + Int(place.start), byteCount: length)
        }
        places[variable] = (end, end + UInt32(length))
        end += UInt32(length)
      }
    }
  }

  @usableFromInline
  func appendChecksum() {
    reserve(4)
    buffer.storeBytes(of: RowLayout.checksumFlag, toByteOffset: 1, as: UInt8.self)
    let crc = CRC32C.checksum(UnsafeRawBufferPointer(start: buffer, count: count))
    buffer.storeBytes(of: crc.littleEndian, toByteOffset: count, as: UInt32.self)
    count += 4
  }
}
