#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension RowView {
  /// The slots in which the rows differ, bit by bit; a slot that one row is too old to have counts as its default.
  ///
  /// Leftovers of dropped properties are ignored.
  package func differences(from other: RowView, _ layout: RowLayout) throws(StorageError) -> [Int] {
    // Mostly no variable byte has changed; then a variable slot is the same if it is in the same place.
    let isVariablePartSame =
      slotCount == other.slotCount && byteCount == other.byteCount
      && memcmp(base + variable, other.base + variable, byteCount - variable) == 0
    var result: [Int] = []
    for slot in layout.slots where slot.isLive {
      if isVariablePartSame, slot.variableIndex >= 0, hasSamePlace(slot, in: other) { continue }
      if try !isEqual(other, slot, layout) { result.append(Int(slot.index)) }
    }
    return result
  }

  /// Whether there is a slot in which the rows differ: ``differences(from:_:)``.
  package func differs(from other: RowView, _ layout: RowLayout) throws(StorageError) -> Bool {
    for slot in layout.slots where slot.isLive { if try !isEqual(other, slot, layout) { return true } }
    return false
  }

  /// Whether a variable slot is null in both rows, or has its bytes at the same place in the variable part of both.
  private func hasSamePlace(_ slot: RowLayout.Slot, in other: RowView) -> Bool {
    if isAbsent(slot) || isNull(slot) != other.isNull(slot) { return false }
    let isBeginSame =
      slot.predecessor < 0
      || base.loadUnaligned(fromByteOffset: Int(slot.predecessor), as: UInt32.self)
        == other.base.loadUnaligned(fromByteOffset: Int(slot.predecessor), as: UInt32.self)
    return isBeginSame && load(slot, as: UInt32.self) == other.load(slot, as: UInt32.self)
  }

  /// Whether a slot is the same in both rows, bit by bit.
  @inline(__always)
  package func isEqual(_ other: RowView, _ slot: RowLayout.Slot, _ layout: RowLayout) throws(StorageError) -> Bool {
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
