import QuarryBackend

// A nested value that was stored before its type had a member lacks that member, and the program reads the member's default. The
// stored value and the value that is read are then equal, but not bit by bit.
extension ModelBinding {
  /// Whether there are such values in the model.
  var hasIncomplete: Bool { !incomplete.isEmpty }

  /// Whether there are such values in the slot.
  func isIncomplete(_ slot: RowLayout.Slot) -> Bool { incomplete.contains { $0.slot == Int(slot.index) } }

  /// The slots in which a row differs from the stored one as the program reads it.
  func differences(_ stored: RowView, _ row: RowView) throws(StorageError) -> [Int] {
    let changed = try stored.differences(from: row, layout)
    guard !incomplete.isEmpty, !changed.isEmpty else { return changed }
    var result: [Int] = []
    for slot in changed where try !isCompleted(slot, stored, row) { result.append(slot) }
    return result
  }

  /// The row to find in the store so that reading it gives the expected row.
  func asStored(_ expected: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer) throws(StorageError) -> Row {
    let (expectedRow, storedRow) = (try RowView(expected, layout), try RowView(stored, layout))
    let writer = RowWriter(layout)
    writer.begin()
    for slot in layout.slots {
      let isCompleted = try isCompleted(Int(slot.index), storedRow, expectedRow)
      try writer.copy(slot, from: isCompleted ? storedRow : expectedRow, layout)
    }
    return Row(copying: try writer.finish())
  }

  /// Whether a slot of the row is what the program reads of the stored one, with defaults of members.
  private func isCompleted(_ slot: Int, _ stored: RowView, _ row: RowView) throws(StorageError) -> Bool {
    guard let form = incomplete.first(where: { $0.slot == slot })?.form else { return false }
    let slot = layout.slots[slot]
    let completed = form.completing(try stored.value(slot, layout))
    return try NestedCoding.encode(completed) == NestedCoding.encode(try row.value(slot, layout))
  }
}
