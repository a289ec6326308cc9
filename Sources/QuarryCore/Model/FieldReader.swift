public import QuarryBackend

/// One field of a row that was lent: valid only inside the call that hands it over.
@frozen
public struct FieldReader {
  @usableFromInline let row: RowView
  // In the binding's table, so that a field costs no copy of it.
  @usableFromInline let slotPlace: UnsafePointer<RowLayout.Slot>
  // Keeps nothing alive, so that no reference is counted for a field: the binding outlives the call.
  @usableFromInline let unmanagedBinding: Unmanaged<ModelBinding>

  @inlinable @inline(__always)
  init(row: RowView, slot: UnsafePointer<RowLayout.Slot>, binding: Unmanaged<ModelBinding>) {
    self.row = row
    slotPlace = slot
    unmanagedBinding = binding
  }

  @inlinable var slot: RowLayout.Slot {
    @inline(__always) get { slotPlace.pointee }
  }

  /// Whether the row has the field at all and it is not nil, so that its bytes may be read.
  @inlinable var isPresent: Bool { !row.isAbsent(slot) && !row.isNull(slot) }

  /// The value in its stored form; a property's default where the row is older than the property.
  ///
  /// - Throws: `corrupt` when the bytes are no value of the property's type.
  public func value() throws(StorageError) -> Value {
    try row.value(slot, unmanagedBinding.takeUnretainedValue().layout)
  }

  /// The error for a required field that is nil.
  @usableFromInline @inline(never)
  func missing() -> StorageError {
    RowView.missing(slot)
  }
}

extension RowView {
  static func missing(_ slot: RowLayout.Slot) -> StorageError {
    StorageError(.corrupt, "damaged row: slot \(slot.index) is nil but not optional")
  }
}

/// The place for one field of a row that is being written: valid only inside the call that hands it over.
@frozen
public struct FieldWriter {
  @usableFromInline let unmanagedWriter: Unmanaged<RowWriter>
  @usableFromInline let slot: RowLayout.Slot

  @inlinable
  init(writer: Unmanaged<RowWriter>, slot: RowLayout.Slot) {
    unmanagedWriter = writer
    self.slot = slot
  }

  // The three below count no reference to the writer, which the call that hands this over keeps alive.

  /// Sets the field to a value of exactly its width.
  @inlinable @inline(__always)
  func set<T: BitwiseCopyable>(fixed value: T) {
    unmanagedWriter._withUnsafeGuaranteedRef { $0.set(slot, value) }
  }

  @inlinable @inline(__always)
  func set(string: String) {
    unmanagedWriter._withUnsafeGuaranteedRef { $0.set(slot, string: string) }
  }

  @inlinable @inline(__always)
  func set(bytes: UnsafeRawBufferPointer) {
    unmanagedWriter._withUnsafeGuaranteedRef { $0.set(slot, bytes: bytes) }
  }

  /// Sets the field to a value in its stored form.
  ///
  /// - Parameter value: A value of the property's type; ``Value/null`` only where it is optional.
  /// - Throws: `missingValue` for nil in a property that is not optional. `invalidValue` for a value of another type, one that
  ///   does not fit, and a Decimal that is not a number; `limitExceeded` for a nested value that is too deep.
  public func set(_ value: Value) throws(StorageError) {
    try unmanagedWriter.takeUnretainedValue().set(slot, value: value)
  }
}
