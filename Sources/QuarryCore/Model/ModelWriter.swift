public import QuarryBackend

/// Writes the properties of one row by their places in the model's definition. Valid only inside the call that hands it
/// over.
@frozen
public struct ModelWriter {
  @usableFromInline let writer: Unmanaged<RowWriter>
  @usableFromInline let slots: UnsafePointer<RowLayout.Slot>
  @usableFromInline let slotCount: Int
  @usableFromInline let unmanagedBinding: Unmanaged<ModelBinding>

  @inlinable @inline(__always)
  init(_ writer: RowWriter, _ binding: ModelBinding) {
    self.writer = .passUnretained(writer)
    slots = binding.slots
    slotCount = binding.slotCount
    unmanagedBinding = .passUnretained(binding)
  }

  /// Sets the property.
  ///
  /// - Parameters:
  ///   - index: The place of the property in the definition's `properties`, 0 for the first.
  ///   - value: A value of the property's type.
  /// - Throws: `invalidValue` for a value that cannot be stored, `schemaMismatch` when the property has another type.
  @inlinable
  public func set<T: Storable>(_ index: Int, _ value: T) throws(StorageError) {
    guard index >= 0, index < slotCount, slots[index].type == T.storedType.type else {
      throw unmanagedBinding.takeUnretainedValue().misuse(index, T.self)
    }
    do throws(StorageError) {
      try value.write(FieldWriter(writer: writer, slot: slots[index]))
    } catch {
      throw unmanagedBinding.takeUnretainedValue().about(index, error)
    }
  }
}
