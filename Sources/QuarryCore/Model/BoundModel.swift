public import QuarryBackend

/// The part of a model's binding that a read of one object needs, without a reference that would be counted twice for each
/// object. Readers on several threads would wait for each other's counts. Valid as long as the store, which keeps the bindings.
@usableFromInline
struct BoundModel: @unchecked Sendable {
  // Unchecked for `slots`, the table of the binding that never changes.

  @usableFromInline let model: ModelID
  @usableFromInline let slots: UnsafePointer<RowLayout.Slot>
  @usableFromInline let slotCount: Int
  /// The shape of rows of the current schema.
  @usableFromInline let shape: RowLayout.Shape
  @usableFromInline let binding: Unmanaged<ModelBinding>

  init(_ binding: ModelBinding) {
    model = binding.model
    slots = binding.slots
    slotCount = binding.slotCount
    shape = binding.layout.current
    self.binding = .passUnretained(binding)
  }

  /// The view of a row that is not of today's shape.
  @usableFromInline
  func unusual(_ row: UnsafeRawBufferPointer) throws(StorageError) -> RowView {
    let binding = binding.takeUnretainedValue()
    do throws(StorageError) { return try RowView(row, binding.layout) } catch { throw error.with(model: binding.name) }
  }
}

extension ModelReader {
  @inlinable @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer, _ bound: BoundModel) throws(StorageError) {
    let row = if let row = RowView(bytes, bound.shape) { row } else { try bound.unusual(bytes) }
    self.init(row, bound.slots, bound.slotCount, bound.binding, isWhole: row.isWhole(bound.shape))
  }
}
