/// A row with the default of every slot, in which slots are read that an older row does not have.
///
/// The memory is this object's own, is not changed after init and is freed in deinit; the view is used only while the
/// object is held.
final class DefaultRow {
  let view: RowView
  private let memory: UnsafeMutableRawPointer

  /// - Throws: `invalidValue` for a default of another type than its slot.
  init(_ layout: RowLayout) throws(StorageError) {
    let writer = RowWriter(layout)
    writer.begin()
    for slot in layout.slots {
      let value = layout.defaults[Int(slot.index)]
      if !value.isNull { try writer.set(slot, value: value) }
    }
    let bytes = try writer.finish()
    memory = .allocate(byteCount: max(1, bytes.count), alignment: 8)
    if let base = bytes.baseAddress { memory.copyMemory(from: base, byteCount: bytes.count) }
    do throws(StorageError) {
      view = try RowView(UnsafeRawBufferPointer(start: memory, count: bytes.count), layout)
    } catch {
      memory.deallocate()
      throw error
    }
  }

  deinit {
    memory.deallocate()
  }

  /// The row to read the slot in.
  @inline(__always)
  func row(for slot: RowLayout.Slot, in row: RowView) -> RowView {
    row.isAbsent(slot) ? view : row
  }
}
