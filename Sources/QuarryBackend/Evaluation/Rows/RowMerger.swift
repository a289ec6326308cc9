/// Puts rows together from the slots of two, and tells rows apart field by field.
public final class RowMerger {
  private let layout: RowLayout
  private let writer: RowWriter
  private let patch: RowPatch
  private var isChosen: [Bool]

  /// A merger for rows of a layout; it is used by one thread.
  public init(_ layout: RowLayout) {
    self.layout = layout
    writer = RowWriter(layout)
    patch = RowPatch(layout)
    isChosen = Array(repeating: false, count: layout.slots.count)
  }

  /// A row with these slots of the new row and all others of the old.
  ///
  /// - Parameters:
  ///   - old: A row of the layout, of whatever age.
  ///   - new: A row of the layout with the values to take.
  ///   - slots: The slots to take from the new row.
  /// - Returns: Bytes that are valid until the next call.
  /// - Throws: `corrupt`; `invalidQuery` for a slot that the layout does not have.
  public func merge(
    old: UnsafeRawBufferPointer, new: UnsafeRawBufferPointer, slots: [Int]
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    let oldView = try RowView(old, layout)
    let newView = try RowView(new, layout)
    var isFixed = true
    for slot in slots {
      try check(slot)
      if layout.slots[slot].variableIndex >= 0 { isFixed = false }
    }
    if isFixed, RowPatch.isPlain(old, layout), RowPatch.isPlain(new, layout) {
      patch.begin(old)
      for slot in slots { patch.copy(layout.slots[slot], from: newView) }
      return patch.bytes
    }
    for slot in slots { isChosen[slot] = true }
    defer { for slot in slots { isChosen[slot] = false } }
    writer.begin()
    for slot in layout.slots {
      let source = isChosen[Int(slot.index)] ? newView : oldView
      // A slot that neither the row nor the schema has a value for stays null.
      if source.isAbsent(slot), layout.defaults[Int(slot.index)].isNull { continue }
      try writer.copy(slot, from: source, layout)
    }
    return try writer.finish()
  }

  /// Whether the rows differ in one of the given slots; nil compares all slots.
  ///
  /// Fields are compared by their bits, so -0.0 is not 0.0 and a NaN equals itself. A slot that an older row lacks holds its
  /// default. Bytes that a dropped property left in a row are compared only if its slot is named.
  ///
  /// - Parameters:
  ///   - a: A row of the layout.
  ///   - b: Another row of the layout.
  ///   - slots: The slots to compare; nil for all that were not dropped.
  /// - Throws: `corrupt`; `invalidQuery` for a slot that the layout does not have.
  public func differ(
    _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, slots: [Int]?
  ) throws(StorageError) -> Bool {
    let left = try RowView(a, layout)
    let right = try RowView(b, layout)
    guard let slots else {
      for slot in layout.slots where slot.isLive { if try differ(left, right, slot) { return true } }
      return false
    }
    for slot in slots {
      try check(slot)
      if try differ(left, right, layout.slots[slot]) { return true }
    }
    return false
  }

  private func check(_ slot: Int) throws(StorageError) {
    guard layout.slots.indices.contains(slot) else { throw .noSlot(slot) }
  }

  private func differ(_ a: RowView, _ b: RowView, _ slot: RowLayout.Slot) throws(StorageError) -> Bool {
    if a.isAbsent(slot) || b.isAbsent(slot) {
      if a.isAbsent(slot), b.isAbsent(slot) { return false }
      return try a.valueOrNull(slot, layout) != b.valueOrNull(slot, layout)
    }
    let isNull = a.isNull(slot)
    if isNull || b.isNull(slot) { return isNull != b.isNull(slot) }
    let left = slot.variableIndex >= 0 ? try a.bytes(slot) : a.fixedBytes(slot)
    let right = slot.variableIndex >= 0 ? try b.bytes(slot) : b.fixedBytes(slot)
    return left.count != right.count || left.compare(right) != 0
  }
}

extension RowView {
  /// The value of a slot, nil also where the slot is not optional, as tombstones are.
  fileprivate func valueOrNull(_ slot: RowLayout.Slot, _ layout: RowLayout) throws(StorageError) -> Value {
    !isAbsent(slot) && isNull(slot) ? .null : try value(slot, layout)
  }
}
