#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension RowView {
  /// The slots in which the rows differ, bit by bit; a slot that one row is too old to have counts as its default.
  public func differences(from other: RowView, _ layout: RowLayout) throws(StorageError) -> [Int] {
    var result: [Int] = []
    for index in layout.slots.indices where try !isEqual(other, layout.slots[index], layout) { result.append(index) }
    return result
  }

  /// Whether a slot is the same in both rows, bit by bit.
  public func isEqual(_ other: RowView, _ slot: RowLayout.Slot, _ layout: RowLayout) throws(StorageError) -> Bool {
    guard !isAbsent(slot), !other.isAbsent(slot) else {
      return try value(slot, layout) == other.value(slot, layout)
    }
    let null = isNull(slot)
    guard null == other.isNull(slot) else { return false }
    if null { return true }
    if slot.variableIndex >= 0 { return try bytes(slot).compare(other.bytes(slot)) == 0 }
    let width = slot.type.fixedWidth
    return memcmp(base + Int(slot.offset), other.base + Int(slot.offset), width) == 0
  }
}
