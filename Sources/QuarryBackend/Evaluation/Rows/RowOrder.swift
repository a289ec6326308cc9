/// The order of rows by sort keys, nil first ascending and by ``ValueOrder``.
public struct RowOrder {
  /// The sort keys.
  public let keys: [BoundSortKey]
  let layout: RowLayout

  /// An order of the rows of a layout.
  ///
  /// - Parameters:
  ///   - keys: The sort keys, the first decides first.
  ///   - layout: The layout of the rows.
  public init(_ keys: [BoundSortKey], _ layout: RowLayout) {
    self.keys = keys
    self.layout = layout
  }

  /// Negative, zero or positive as `a` comes before, ties with, or comes after `b`.
  ///
  /// - Parameters:
  ///   - a: A row of the layout, in the row format.
  ///   - b: Another row of the layout.
  /// - Throws: `corrupt`; `invalidQuery` for a slot that the layout does not have.
  public func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) throws(StorageError) -> Int {
    let left = try RowView(a, layout)
    let right = try RowView(b, layout)
    for key in keys {
      guard layout.slots.indices.contains(key.slot) else {
        throw .noSlot(key.slot)
      }
      let order = try Self.compare(left, right, layout.slots[key.slot], layout)
      if order != 0 { return key.isDescending ? 0 &- order.signum() : order.signum() }
    }
    return 0
  }

  /// The order of one slot's values in two rows.
  @inline(__always)
  static func compare(
    _ a: RowView, _ b: RowView, _ slot: RowLayout.Slot, _ layout: RowLayout
  ) throws(StorageError) -> Int {
    if a.isAbsent(slot) || b.isAbsent(slot) {
      return ValueOrder.compare(try a.value(slot, layout), try b.value(slot, layout))
    }
    let isNull = a.isNull(slot)
    if isNull || b.isNull(slot) { return (isNull ? 0 : 1) - (b.isNull(slot) ? 0 : 1) }
    switch slot.type {
    case .string, .url, .data: return try a.bytes(slot).compare(try b.bytes(slot))
    case .uuid: return a.fixedBytes(slot).compare(b.fixedBytes(slot))
    case .decimal: return try a.decimal(slot).compare(try b.decimal(slot))
    case .nested, .array:
      return ValueOrder.compare(try a.value(slot, layout), try b.value(slot, layout))
    default: return ValueOrder.order(a.orderBits(slot), b.orderBits(slot))
    }
  }
}

extension RowView {
  /// Bits whose order is the order of values of a type of at most eight bytes, of a slot that is not null.
  @inline(__always)
  func orderBits(_ slot: RowLayout.Slot) -> UInt64 {
    let sign: UInt64 = 1 << 63
    return switch slot.type {
    case .int64: UInt64(littleEndian: load(slot)) ^ sign
    case .double, .date: FloatOrder.bits(double(slot))
    case .int32: UInt64(bitPattern: Int64(Int32(littleEndian: load(slot)))) ^ sign
    case .bool: load(slot, as: UInt8.self) != 0 ? 1 : 0
    case .int8: UInt64(bitPattern: Int64(load(slot, as: Int8.self))) ^ sign
    case .int16: UInt64(bitPattern: Int64(Int16(littleEndian: load(slot)))) ^ sign
    case .uint8: UInt64(load(slot, as: UInt8.self))
    case .uint16: UInt64(UInt16(littleEndian: load(slot)))
    case .uint32: UInt64(UInt32(littleEndian: load(slot)))
    case .uint64: UInt64(littleEndian: load(slot))
    case .float: UInt64(FloatOrder.bits(Float.load(base + Int(slot.offset))))
    case .string, .data, .uuid, .decimal, .url, .nested, .array: 0
    }
  }
}
