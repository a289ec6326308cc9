/// Row bytes that were lent, with their header checked: valid until the next call on the transaction that lent them.
///
/// The accessors are unsafe in one way only: the bytes must still be lent. Inside the row everything is checked: the
/// fixed part once when the view is made, variable parts when they are read.
@frozen
public struct RowView {
  @usableFromInline let base: UnsafeRawPointer
  /// Bytes of the row without a checksum.
  @usableFromInline let byteCount: Int
  /// The number of slots that the row was written with.
  public let slotCount: Int
  @usableFromInline let nulls: Int
  @usableFromInline let variable: Int

  /// Checks the header of the bytes against the layout.
  ///
  /// - Parameters:
  ///   - bytes: A row in the row format (`docs/formats/row.md`). The view reads it in place: it must outlive the view.
  ///   - layout: The layout of the row's model.
  /// - Throws: `corrupt` for an unknown version or flag, a wrong checksum, more slots than the layout has, and too few bytes.
  /// - Complexity: O(1); O(n) for n bytes of a row with a checksum.
  @inlinable @inline(__always)
  public init(_ bytes: UnsafeRawBufferPointer, _ layout: RowLayout) throws(StorageError) {
    guard let view = RowView(bytes, layout.current) else {
      self = try RowView(unusual: bytes, layout)
      return
    }
    self = view
  }

  /// The view of a row of the shape; nil for other bytes.
  @inlinable @inline(__always)
  package init?(_ bytes: UnsafeRawBufferPointer, _ shape: RowLayout.Shape) {
    guard let base = bytes.baseAddress, bytes.count >= shape.variable,
      UInt32(littleEndian: base.loadUnaligned(as: UInt32.self)) == shape.header
    else { return nil }
    self.init(
      base: base, byteCount: bytes.count, slotCount: shape.slotCount, nulls: shape.nulls, variable: shape.variable)
  }

  @inlinable
  init(base: UnsafeRawPointer, byteCount: Int, slotCount: Int, nulls: Int, variable: Int) {
    self.base = base
    self.byteCount = byteCount
    self.slotCount = slotCount
    self.nulls = nulls
    self.variable = variable
  }

  /// A row of another age, with a checksum, or damaged.
  @usableFromInline
  init(unusual bytes: UnsafeRawBufferPointer, _ layout: RowLayout) throws(StorageError) {
    guard let base = bytes.baseAddress, bytes.count >= RowLayout.headerBytes else {
      throw RowView.damaged("shorter than its header")
    }
    let header = UInt32(littleEndian: base.loadUnaligned(as: UInt32.self))
    guard UInt8(truncatingIfNeeded: header) == RowLayout.formatVersion else {
      throw RowView.damaged("unknown format version \(UInt8(truncatingIfNeeded: header))")
    }
    let flags = UInt8(truncatingIfNeeded: header >> 8)
    guard flags & ~RowLayout.checksumFlag == 0 else {
      throw RowView.damaged("unknown flags \(flags)")
    }
    var count = bytes.count
    if flags & RowLayout.checksumFlag != 0 {
      count -= 4
      guard count >= RowLayout.headerBytes else { throw RowView.damaged("shorter than its checksum") }
      let stored = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: count, as: UInt32.self))
      guard CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<count])) == stored else {
        throw RowView.damaged("the checksum does not match")
      }
    }
    let slots = Int(header >> 16)
    guard slots <= layout.slots.count else {
      throw RowView.damaged("\(slots) slots, the schema has \(layout.slots.count)")
    }
    nulls = layout.fixedEnds[slots]
    variable = nulls + (slots + 7) / 8
    guard count >= variable else { throw RowView.damaged("shorter than its slots") }
    self.base = base
    byteCount = count
    slotCount = slots
  }

  // Out of line, so that the way of sound rows keeps its registers.
  @inline(never) @usableFromInline
  static func outside(_ slot: Int32) -> StorageError { damaged("slot \(slot) lies outside the row") }

  @usableFromInline
  static func damaged(_ what: String) -> StorageError {
    StorageError(.corrupt, "damaged row: \(what)")
  }

  /// Whether the row was written before the slot was added. Its value is then the layout's default.
  @inlinable
  public func isAbsent(_ slot: RowLayout.Slot) -> Bool {
    Int(slot.index) >= slotCount
  }

  /// Whether the slot is null. Not to be asked of an absent slot.
  @inlinable
  public func isNull(_ slot: RowLayout.Slot) -> Bool {
    let byte = base.load(fromByteOffset: nulls &+ Int(slot.index) &>> 3, as: UInt8.self)
    return byte & (1 &<< UInt8(truncatingIfNeeded: slot.index & 7)) != 0
  }

  /// Whether the row has the shape and no required slot is null, by one check of all null bits; false also where the check cannot
  /// tell.
  @inlinable @inline(__always)
  package func isWhole(_ shape: RowLayout.Shape) -> Bool {
    guard slotCount == shape.slotCount, shape.nullWord >= 0 else { return false }
    let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: shape.nullWord, as: UInt64.self))
    return word & shape.requiredNulls == 0
  }

  /// The fixed bytes of a slot as an integer or floating-point value of the slot's width.
  ///
  /// - Parameters:
  ///   - slot: A slot of fixed width that is neither absent nor null.
  ///   - type: A type of the slot's width, in little-endian order.
  @inlinable
  public func load<T: BitwiseCopyable>(_ slot: RowLayout.Slot, as type: T.Type = T.self) -> T {
    base.loadUnaligned(fromByteOffset: Int(slot.offset), as: T.self)
  }

  /// The variable bytes of a slot.
  ///
  /// - Parameter slot: A slot of a variable type that is neither absent nor null.
  /// - Returns: Bytes inside the row, valid as long as the row is.
  /// - Throws: `corrupt` when they are not inside the row.
  @inlinable @inline(__always)
  public func bytes(_ slot: RowLayout.Slot) throws(StorageError) -> UnsafeRawBufferPointer {
    let end = Int(UInt32(littleEndian: base.loadUnaligned(fromByteOffset: Int(slot.offset), as: UInt32.self)))
    let start =
      slot.predecessor < 0
      ? 0 : Int(UInt32(littleEndian: base.loadUnaligned(fromByteOffset: Int(slot.predecessor), as: UInt32.self)))
    guard start <= end, variable &+ end <= byteCount else {
      throw RowView.outside(slot.index)
    }
    return UnsafeRawBufferPointer(start: base + (variable &+ start), count: end &- start)
  }

  /// The string of a slot.
  ///
  /// - Parameter slot: A slot of the type string or url that is neither absent nor null.
  /// - Throws: `corrupt` when the bytes are not inside the row or are not UTF-8.
  @inlinable @inline(__always)
  public func string(_ slot: RowLayout.Slot) throws(StorageError) -> String {
    let bytes = try bytes(slot)
    let text = String(
      decoding: UnsafeBufferPointer(start: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count),
      as: UTF8.self)
    if !bytes.isASCII { try RowView.checkUnrepaired(text, bytes, slot.index) }
    return text
  }

  /// Throws when decoding had to put other bytes in the place of some that are not UTF-8.
  @inline(never) @usableFromInline
  static func checkUnrepaired(
    _ text: consuming String, _ bytes: UnsafeRawBufferPointer, _ slot: Int32
  ) throws(StorageError) {
    guard text.withUTF8({ UnsafeRawBufferPointer($0).compare(bytes) == 0 }) else {
      throw RowView.damaged("slot \(slot) is not UTF-8")
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether no byte has its highest bit set.
  ///
  /// Words overlap, so that texts of up to 32 bytes, which most are, need no loop.
  @inlinable @inline(__always)
  var isASCII: Bool {
    guard count >= 8 else { return isShortASCII }
    var bits = word(0) | word(count &- 8)
    if count > 16 {
      bits |= word(8) | word(count &- 16)
      if count > 32 { bits |= wordsBetween }
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  @inlinable @inline(__always)
  func word(_ offset: Int) -> UInt64 { loadUnaligned(fromByteOffset: offset, as: UInt64.self) }

  /// All words but for the first two and the last two.
  @usableFromInline @inline(never)
  var wordsBetween: UInt64 {
    var bits: UInt64 = 0
    var offset = 16
    while offset < count &- 16 {
      bits |= word(offset)
      offset &+= 8
    }
    return bits
  }

  /// The same of fewer than eight bytes.
  @inlinable @inline(__always)
  var isShortASCII: Bool {
    if count >= 4 {
      let bits = loadUnaligned(as: UInt32.self) | loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
      return bits & 0x8080_8080 == 0
    }
    return count == 0 || (self[0] | self[count &>> 1] | self[count &- 1]) & 0x80 == 0
  }
}
