public import QuarryBackend

/// An object as it was stored at one moment: immutable, and free to cross threads and outlive its transaction and store.
///
/// Fields are read from the stored bytes when they are asked for. The bytes were checked when the object was frozen, so
/// that fields of built-in types, and of optionals and arrays of them, need no `try`; fields of enums and nested values
/// do, because their types may refuse what was stored.
@dynamicMemberLookup
public struct Frozen<M: Model>: Sendable {
  @usableFromInline let slab: FrozenSlab
  @usableFromInline let offset: Int
  @usableFromInline let count: Int

  @inlinable
  init(slab: FrozenSlab, offset: Int, count: Int) {
    self.slab = slab
    self.offset = offset
    self.count = count
  }

  @inlinable var reader: ModelReader { slab.reader(offset, count) }

  /// The value of a column.
  @inlinable
  public subscript<V: DirectlyStorable>(dynamicMember column: KeyPath<M.Columns, Column<V>>) -> V {
    let reader = reader
    let index = M.Columns()[keyPath: column].index
    guard index >= 0, index < reader.slotCount, reader.slots[index].type == V.storedType.type else {
      return V.placeholder
    }
    return V.readChecked(FieldReader(row: reader.row, slot: reader.slots[index], binding: reader.unmanagedBinding))
  }

  /// The value of a column.
  ///
  /// - Throws: `invalidValue` when its type refuses what is stored.
  @_disfavoredOverload
  @inlinable
  public subscript<V: Storable>(dynamicMember column: KeyPath<M.Columns, Column<V>>) -> V {
    get throws(StorageError) { try reader.get(M.Columns()[keyPath: column].index) }
  }

  /// The whole object.
  ///
  /// - Throws: `invalidValue` when one of its types refuses what is stored.
  @inlinable
  public func thawed() throws(StorageError) -> M {
    try M(reading: reader)
  }
}

/// The rows of some frozen objects, in one piece of memory.
@usableFromInline
final class FrozenSlab: @unchecked Sendable {
  // Unchecked for `memory` alone: it is filled before the slab is shared and read only afterwards.
  @usableFromInline let memory: UnsafeMutableRawPointer
  @usableFromInline let binding: ModelBinding
  let capacity: Int
  var used = 0

  init(capacity: Int, binding: ModelBinding) {
    memory = .allocate(byteCount: max(1, capacity), alignment: 8)
    self.capacity = capacity
    self.binding = binding
  }

  deinit {
    memory.deallocate()
  }

  /// Copies a row that was checked.
  ///
  /// - Returns: Where it is; nil when there is no room.
  func append(_ row: UnsafeRawBufferPointer) -> Int? {
    guard let source = row.baseAddress, capacity - used >= row.count else { return nil }
    defer { used += row.count }
    (memory + used).copyMemory(from: source, byteCount: row.count)
    return used
  }

  @inlinable
  func reader(_ offset: Int, _ count: Int) -> ModelReader {
    ModelReader(RowView(checked: UnsafeRawBufferPointer(start: memory + offset, count: count), binding.layout), binding)
  }
}

extension ReadTransaction {
  /// The objects of the query, in its order, frozen.
  ///
  /// - Throws: `corrupt` when a stored row is damaged.
  public func frozen<M: Model>(_ query: Query<M>) throws(StorageError) -> [Frozen<M>] {
    try check()
    let binding = try store.binding(M.self)
    var result: [Frozen<M>] = []
    var slab = FrozenSlab(capacity: 0, binding: binding)
    // Slabs grow with the result, so that one object does not hold much and many share a few.
    var size = 512
    try rows(query, binding).forEach { row throws(StorageError) in
      try RowView(row, binding.layout).validate(binding.layout)
      if let offset = slab.append(row) {
        result.append(Frozen(slab: slab, offset: offset, count: row.count))
        return true
      }
      size = Swift.min(size * 4, 64 << 10)
      slab = FrozenSlab(capacity: Swift.max(size, row.count), binding: binding)
      if let offset = slab.append(row) { result.append(Frozen(slab: slab, offset: offset, count: row.count)) }
      return true
    }
    return result
  }

  /// The object with the primary key, frozen, or nil when there is none.
  public func frozen<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws(StorageError) -> Frozen<M>? {
    try check()
    let binding = try store.binding(M.self)
    return try key.withKeyBytes { bytes throws(StorageError) -> Frozen<M>? in
      guard let row = try backend.row(binding.model, bytes) else { return nil }
      try RowView(row, binding.layout).validate(binding.layout)
      let slab = FrozenSlab(capacity: row.count, binding: binding)
      return slab.append(row).map { Frozen(slab: slab, offset: $0, count: row.count) }
    }
  }
}
