public import QuarryBackend

/// An object as it was stored at one moment: immutable, and free to cross threads and outlive its transaction and store.
///
/// Fields are read from the stored bytes on access. The bytes were checked when the object was frozen. Fields of built-in types,
/// and of optionals and arrays of them, therefore need no `try`. Fields of enums and nested values do, because their types may
/// refuse the stored value.
@dynamicMemberLookup
public struct Frozen<M: Model>: Sendable {
  // Unsafe for the type's sake alone: a slab is read only once there is a frozen object in it.
  @usableFromInline nonisolated(unsafe) let slab: FrozenSlab
  @usableFromInline let offset: Int
  @usableFromInline let count: Int

  @inlinable
  init(slab: FrozenSlab, offset: Int, count: Int) {
    self.slab = slab
    self.offset = offset
    self.count = count
  }

  @inlinable @inline(__always) var reader: ModelReader { slab.reader(offset, count) }

  /// The value of a column.
  // Always inlined, because only where the key path is a literal does the compiler make a plain load of it.
  @inlinable @inline(__always)
  public subscript<V: DirectlyStorable>(dynamicMember column: KeyPath<M.Columns, Column<V>>) -> V {
    let reader = reader
    let index = M.Columns()[keyPath: column].index
    guard index >= 0, index < reader.slotCount, reader.slots[index].type == V.storedType.type else {
      return V.placeholder
    }
    return V.readChecked(FieldReader(row: reader.row, slot: reader.slots + index, binding: reader.unmanagedBinding))
  }

  /// The value of a column.
  ///
  /// - Throws: `invalidValue` when its type refuses the stored value.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public subscript<V: Storable>(dynamicMember column: KeyPath<M.Columns, Column<V>>) -> V {
    get throws(StorageError) { try reader.get(M.Columns()[keyPath: column].index) }
  }

  /// The whole object.
  ///
  /// - Throws: `invalidValue` when one of its types refuses a stored value.
  @inlinable
  public func thawed() throws(StorageError) -> M {
    try reader.object(M.self)
  }
}
