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
  /// - Throws: `corrupt`.
  @inlinable
  public init(_ bytes: UnsafeRawBufferPointer, _ layout: RowLayout) throws(StorageError) {
    guard let base = bytes.baseAddress, bytes.count >= RowLayout.headerBytes else {
      throw RowView.damaged("shorter than its header")
    }
    let header = UInt32(littleEndian: base.loadUnaligned(as: UInt32.self))
    if header == layout.currentHeader, bytes.count >= layout.currentVariable {
      self.init(
        base: base, byteCount: bytes.count, slotCount: layout.slots.count, nulls: layout.currentNulls,
        variable: layout.currentVariable)
    } else {
      try self.init(unusual: bytes, header: header, layout)
    }
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
  init(unusual bytes: UnsafeRawBufferPointer, header: UInt32, _ layout: RowLayout) throws(StorageError) {
    guard UInt8(truncatingIfNeeded: header) == RowLayout.formatVersion else {
      throw RowView.damaged("format version \(UInt8(truncatingIfNeeded: header)) is not known")
    }
    let flags = UInt8(truncatingIfNeeded: header >> 8)
    guard flags & ~RowLayout.checksumFlag == 0 else {
      throw RowView.damaged("flags \(flags) are not known")
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
    guard let base = bytes.baseAddress, count >= variable else { throw RowView.damaged("shorter than its slots") }
    self.base = base
    byteCount = count
    slotCount = slots
  }

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

  /// The fixed bytes of a slot as an integer or floating-point value of the slot's width.
  @inlinable
  public func load<T: BitwiseCopyable>(_ slot: RowLayout.Slot, as type: T.Type = T.self) -> T {
    base.loadUnaligned(fromByteOffset: Int(slot.offset), as: T.self)
  }

  /// The variable bytes of a slot.
  ///
  /// - Throws: `corrupt` when they are not inside the row.
  @inlinable
  public func bytes(_ slot: RowLayout.Slot) throws(StorageError) -> UnsafeRawBufferPointer {
    let end = Int(UInt32(littleEndian: base.loadUnaligned(fromByteOffset: Int(slot.offset), as: UInt32.self)))
    let start =
      slot.predecessor < 0
      ? 0 : Int(UInt32(littleEndian: base.loadUnaligned(fromByteOffset: Int(slot.predecessor), as: UInt32.self)))
    guard start <= end, variable &+ end <= byteCount else {
      throw RowView.damaged("slot \(slot.index) lies outside")
    }
    return UnsafeRawBufferPointer(start: base + (variable &+ start), count: end &- start)
  }

  /// The string of a slot.
  ///
  /// - Throws: `corrupt` when the bytes are not inside the row or are not UTF-8.
  @inlinable
  public func string(_ slot: RowLayout.Slot) throws(StorageError) -> String {
    let bytes = try bytes(slot)
    guard let string = String(validating: bytes, as: UTF8.self) else {
      throw RowView.damaged("slot \(slot.index) is not UTF-8")
    }
    return string
  }
}
