public import QuarryBackend

/// Reads the properties of one row by their places in the model's definition. Valid only inside the call that hands it
/// over.
@frozen
public struct ModelReader {
  @usableFromInline let row: RowView
  // The binding's table next to the binding, so that no reference is counted for a field.
  @usableFromInline let slots: UnsafePointer<RowLayout.Slot>
  @usableFromInline let slotCount: Int
  @usableFromInline let unmanagedBinding: Unmanaged<ModelBinding>
  /// Whether each slot of the row that may not be nil is known to be there.
  @usableFromInline let isWhole: Bool

  @inlinable @inline(__always)
  init(
    _ row: RowView, _ slots: UnsafePointer<RowLayout.Slot>, _ slotCount: Int, _ binding: Unmanaged<ModelBinding>,
    isWhole: Bool = false
  ) {
    self.row = row
    self.slots = slots
    self.slotCount = slotCount
    unmanagedBinding = binding
    self.isWhole = isWhole
  }

  @inlinable @inline(__always)
  init(_ row: RowView, _ binding: ModelBinding) {
    self.init(row, binding.slots, binding.slotCount, .passUnretained(binding))
  }

  @inlinable @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer, _ binding: ModelBinding) throws(StorageError) {
    let row: RowView
    do throws(StorageError) { row = try RowView(bytes, binding.layout) } catch { throw error.with(model: binding.name) }
    self.init(row, binding)
  }

  /// The value of the property.
  ///
  /// - Parameters:
  ///   - index: The place of the property in the definition's `properties`, 0 for the first.
  ///   - type: The type of the property, as the definition has it.
  /// - Throws: `corrupt` when the row's bytes are none, `invalidValue` when they are none of the type's values,
  ///   `schemaMismatch` when the property has another type.
  @inlinable @inline(__always)
  public func get<T: Storable>(_ index: Int, as type: T.Type = T.self) throws(StorageError) -> T {
    guard index >= 0, index < slotCount, slots[index].type == T.storedType.type else { throw misuse(index, T.self) }
    do throws(StorageError) {
      let field = FieldReader(row: row, slot: slots + index, binding: unmanagedBinding)
      return isWhole && !slots[index].isOptional ? try T.read(present: field) : try T.read(field)
    } catch {
      throw about(index, error)
    }
  }
}

extension ModelReader {
  /// The row's object.
  ///
  /// - Throws: The errors of its `init(reading:)`, with the model and the key.
  @inlinable @inline(__always)
  func object<M: Model>(_ type: M.Type) throws(StorageError) -> M {
    do throws(StorageError) { return try M(reading: self) } catch { throw unreadable(error) }
  }

  // Errors are created out of line, so that the path without them is short enough for the compiler to inline reads of fields.

  /// The error with the row's model and key, which are looked up only for an error.
  @usableFromInline @inline(never)
  func unreadable(_ error: StorageError) -> StorageError {
    error.with(model: binding.name, key: KeyText.text(of: row, binding.layout))
  }

  var binding: ModelBinding { unmanagedBinding.takeUnretainedValue() }

  @usableFromInline @inline(never)
  func misuse(_ index: Int, _ type: Any.Type) -> StorageError { binding.misuse(index, type) }

  /// The error with the property's name and the row's key.
  @usableFromInline @inline(never)
  func about(_ index: Int, _ error: StorageError) -> StorageError { unreadable(binding.about(index, error)) }
}
