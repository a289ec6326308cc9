#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension RowView {
  /// The slots in which the rows differ, bit by bit; a slot that one row is too old to have counts as its default.
  public func differences(from other: RowView, _ layout: RowLayout) throws(StorageError) -> [Int] {
    var result: [Int] = []
    for slot in layout.slots where try !isEqual(other, slot, layout) { result.append(Int(slot.index)) }
    return result
  }

  /// Whether a slot is the same in both rows, bit by bit.
  @inline(__always)
  public func isEqual(_ other: RowView, _ slot: RowLayout.Slot, _ layout: RowLayout) throws(StorageError) -> Bool {
    guard !isAbsent(slot), !other.isAbsent(slot) else {
      return try value(slot, layout) == other.value(slot, layout)
    }
    let null = isNull(slot)
    guard null == other.isNull(slot) else { return false }
    if null { return true }
    if slot.variableIndex >= 0 { return try bytes(slot).compare(other.bytes(slot)) == 0 }
    switch slot.type.fixedWidth {
    case 8: return load(slot, as: UInt64.self) == other.load(slot, as: UInt64.self)
    case 4: return load(slot, as: UInt32.self) == other.load(slot, as: UInt32.self)
    case 1: return load(slot, as: UInt8.self) == other.load(slot, as: UInt8.self)
    case let width: return memcmp(base + Int(slot.offset), other.base + Int(slot.offset), width) == 0
    }
  }
}
