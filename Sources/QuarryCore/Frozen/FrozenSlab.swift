public import QuarryBackend

/// The rows of some frozen objects, in one piece of memory: the memory of this object itself, after its header.
///
/// It is filled before it is shared, by the one thread that has it, and read only afterwards.
@usableFromInline
final class FrozenSlab: ManagedBuffer<FrozenSlab.Header, UInt64> {
  @usableFromInline
  struct Header {
    let binding: ModelBinding
    // The part of the binding that reading a field needs, so that no reference is counted for it.
    @usableFromInline let slots: UnsafePointer<RowLayout.Slot>
    @usableFromInline let slotCount: Int
    @usableFromInline let shape: RowLayout.Shape
    @usableFromInline let layout: Unmanaged<RowLayout>
    @usableFromInline let unmanagedBinding: Unmanaged<ModelBinding>
    /// The capacity in bytes, and the bytes in use.
    let capacity: Int
    var used = 0

    init(_ binding: ModelBinding, capacity: Int) {
      self.binding = binding
      slots = binding.slots
      slotCount = binding.slotCount
      shape = binding.layout.current
      layout = .passUnretained(binding.layout)
      unmanagedBinding = .passUnretained(binding)
      self.capacity = capacity
    }
  }

  static func make(capacity: Int, _ binding: ModelBinding) -> FrozenSlab {
    let buffer = create(minimumCapacity: (capacity + 7) / 8) { _ in Header(binding, capacity: capacity) }
    return unsafeDowncast(buffer, to: FrozenSlab.self)
  }

  /// A slab that holds the one row.
  ///
  /// - Throws: `corrupt`.
  @usableFromInline
  static func holding(_ row: UnsafeRawBufferPointer, _ binding: ModelBinding) throws(StorageError) -> FrozenSlab {
    try binding.validate(row)
    let slab = make(capacity: row.count, binding)
    _ = slab.append(row)
    return slab
  }

  /// Copies a row that was checked.
  ///
  /// - Returns: Its place; nil when there is no room.
  @inline(__always)
  func append(_ row: UnsafeRawBufferPointer) -> Int? {
    withUnsafeMutablePointers { header, elements in
      guard let source = row.baseAddress, header.pointee.capacity - header.pointee.used >= row.count else { return nil }
      let offset = header.pointee.used
      (UnsafeMutableRawPointer(elements) + offset).copyMemory(from: source, byteCount: row.count)
      header.pointee.used += row.count
      return offset
    }
  }

  @inlinable @inline(__always)
  func reader(_ offset: Int, _ count: Int) -> ModelReader {
    withUnsafeMutablePointers { header, elements in
      let row = UnsafeRawBufferPointer(start: UnsafeRawPointer(elements) + offset, count: count)
      return ModelReader(
        RowView(checked: row, header.pointee.shape, header.pointee.layout), header.pointee.slots,
        header.pointee.slotCount, header.pointee.unmanagedBinding)
    }
  }
}

extension ModelBinding {
  /// Checks a row, so that reading it afterwards cannot fail.
  ///
  /// - Throws: `corrupt`, with the key where it can be read.
  @inline(__always)
  fileprivate func validate(_ row: UnsafeRawBufferPointer) throws(StorageError) {
    if let view = RowView(row, layout.current), view.isSound(layout) { return }
    try validateSlots(row)
  }

  /// Checks slot by slot, for a row of another age or one that is not all ASCII.
  @inline(never)
  private func validateSlots(_ row: UnsafeRawBufferPointer) throws(StorageError) {
    let reader = try ModelReader(row, self)
    do throws(StorageError) { try reader.row.validate(layout) } catch { throw reader.unreadable(error) }
  }
}

/// Slabs that are filled one after the other.
@usableFromInline
final class FrozenSlabs {
  private let binding: ModelBinding
  /// The slab of the row that was appended last.
  @exclusivity(unchecked) @usableFromInline private(set) var slab: FrozenSlab
  // Slabs grow with the result, so that one object does not hold much and many share a few.
  private var size = 512

  @usableFromInline
  init(_ binding: ModelBinding) {
    self.binding = binding
    slab = .make(capacity: 0, binding)
  }

  /// Checks a row and copies it into ``slab``.
  ///
  /// - Returns: The place of the copy.
  /// - Throws: `corrupt`.
  @usableFromInline
  func append(_ row: UnsafeRawBufferPointer) throws(StorageError) -> Int {
    try binding.validate(row)
    if let offset = slab.append(row) { return offset }
    size = min(size * 4, 64 << 10)
    slab = .make(capacity: max(size, row.count), binding)
    return slab.append(row) ?? 0
  }

  /// Checks a row and copies it: the object frozen.
  ///
  /// - Throws: `corrupt`.
  @inlinable
  func freeze<M: Model>(_ row: UnsafeRawBufferPointer) throws(StorageError) -> Frozen<M> {
    let offset = try append(row)
    return Frozen(slab: slab, offset: offset, count: row.count)
  }
}
