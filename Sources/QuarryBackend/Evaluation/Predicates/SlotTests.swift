/// Compares two slots by their exact values.
final class SlotsTest: RowTest {
  private let left: RowLayout.Slot
  private let right: RowLayout.Slot
  private let comparison: Comparison
  private let layout: RowLayout
  private let defaults: DefaultRow

  init(
    _ left: RowLayout.Slot, _ comparison: Comparison, _ right: RowLayout.Slot, _ layout: RowLayout,
    _ defaults: DefaultRow
  ) {
    self.left = left
    self.right = right
    self.comparison = comparison
    self.layout = layout
    self.defaults = defaults
  }

  override var cost: Int { 8 }

  override func matches(_ row: RowView) throws(StorageError) -> Bool {
    let first = row.isAbsent(left) ? defaults.view : row
    let second = row.isAbsent(right) ? defaults.view : row
    let isNull = first.isNull(left)
    if isNull || second.isNull(right) {
      // Nil equals nil, and has no order.
      let isEqual = isNull && second.isNull(right)
      return isEqual ? comparison == .equal : comparison == .notEqual
    }
    if left.type == right.type {
      switch left.type {
      case .string, .url, .data: return comparison.holds(try first.bytes(left).compare(try second.bytes(right)))
      default: break
      }
    }
    if let a = try first.number(left), let b = try second.number(right) {
      guard let order = ExactNumber.compare(a, b) else { return comparison == .notEqual }
      return comparison.holds(order)
    }
    return PredicateEquality.holds(try first.value(left, layout), comparison, try second.value(right, layout))
  }
}

extension RowView {
  /// The integer of a slot that is not null; nil for other types.
  @inline(__always)
  func integer(_ slot: RowLayout.Slot) -> Int128? {
    switch slot.type {
    case .int8: Int128(load(slot, as: Int8.self))
    case .int16: Int128(Int16(littleEndian: load(slot)))
    case .int32: Int128(Int32(littleEndian: load(slot)))
    case .int64: Int128(Int64(littleEndian: load(slot)))
    case .uint8: Int128(load(slot, as: UInt8.self))
    case .uint16: Int128(UInt16(littleEndian: load(slot)))
    case .uint32: Int128(UInt32(littleEndian: load(slot)))
    case .uint64: Int128(UInt64(littleEndian: load(slot)))
    default: nil
    }
  }

  /// The number of a slot that is not null; nil for other types.
  func number(_ slot: RowLayout.Slot) throws(StorageError) -> ExactNumber? {
    switch slot.type {
    case .float: .double(Double(Float.load(base + Int(slot.offset))))
    case .double: .double(double(slot))
    case .decimal: .decimal(try decimal(slot))
    default: integer(slot).map { .integer($0) }
    }
  }
}

/// Whether a row comes after a position in an order.
final class PositionTest: RowTest {
  private struct Key {
    var slot: RowLayout.Slot
    var isDescending: Bool
    var value: Value
  }

  private let keys: [Key]
  private let layout: RowLayout

  init(_ keys: [(slot: RowLayout.Slot, isDescending: Bool, value: Value)], _ layout: RowLayout) {
    self.keys = keys.map { Key(slot: $0.slot, isDescending: $0.isDescending, value: $0.value) }
    self.layout = layout
  }

  override var cost: Int { 20 }

  override func matches(_ row: RowView) throws(StorageError) -> Bool {
    for key in keys {
      let order = try compare(row, key)
      if order != 0 { return (order > 0) != key.isDescending }
    }
    return false
  }

  /// The order of the row's value and the position's, without a copy for the types that have many rows alike.
  private func compare(_ row: RowView, _ key: Key) throws(StorageError) -> Int {
    if !row.isAbsent(key.slot), !row.isNull(key.slot) {
      switch (key.slot.type, key.value) {
      case (.int64, .int(let value)): return ValueOrder.order(Int64(littleEndian: row.load(key.slot)), value)
      case (.string, .string(var value)):
        let text = try row.bytes(key.slot)
        return value.withUTF8 { text.compare(UnsafeRawBufferPointer($0)) }
      default: break
      }
    }
    return ValueOrder.compare(try row.value(key.slot, layout), key.value)
  }
}
