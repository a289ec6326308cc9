/// A copy of a row in which slots of fixed width are changed in place.
///
/// The memory is this object's own, grows as needed and is freed in deinit. A row is taken only when it has the
/// layout's current header and all its fixed bytes, so every slot lies inside.
final class RowPatch {
  private let layout: RowLayout
  private var memory: UnsafeMutableRawPointer
  private var capacity = 256
  private var count = 0

  init(_ layout: RowLayout) {
    self.layout = layout
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    memory.deallocate()
  }

  /// Whether the row is plain, written with all slots of the layout and without a checksum.
  @inline(__always)
  static func isPlain(_ row: UnsafeRawBufferPointer, _ layout: RowLayout) -> Bool {
    guard row.count >= layout.current.variable, let base = row.baseAddress else { return false }
    return UInt32(littleEndian: base.loadUnaligned(as: UInt32.self)) == layout.current.header
  }

  /// Copies a plain row.
  func begin(_ row: UnsafeRawBufferPointer) {
    if row.count > capacity {
      memory.deallocate()
      capacity = max(row.count, capacity * 2)
      memory = .allocate(byteCount: capacity, alignment: 16)
    }
    if let base = row.baseAddress { memory.copyMemory(from: base, byteCount: row.count) }
    count = row.count
  }

  /// The row, valid until the next call.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  private func setNull(_ slot: RowLayout.Slot, _ isNull: Bool) {
    let offset = layout.current.nulls + Int(slot.index) >> 3
    let bit: UInt8 = 1 << UInt8(slot.index & 7)
    let byte = memory.load(fromByteOffset: offset, as: UInt8.self)
    memory.storeBytes(of: isNull ? byte | bit : byte & ~bit, toByteOffset: offset, as: UInt8.self)
  }

  /// Copies a slot of fixed width from another plain row.
  func copy(_ slot: RowLayout.Slot, from row: RowView) {
    let source = row.fixedBytes(slot)
    if let base = source.baseAddress {
      (memory + Int(slot.offset)).copyMemory(from: base, byteCount: source.count)
    }
    setNull(slot, row.isNull(slot))
  }

  /// Sets a slot of fixed width.
  ///
  /// - Throws: As ``RowWriter/set(_:value:)``.
  func set(_ slot: RowLayout.Slot, _ value: Value) throws(StorageError) {
    let target = memory + Int(slot.offset)
    if value.isNull {
      guard slot.isOptional else { throw .missingValue }
      // A null slot has zeros, so that equal rows have equal bytes.
      UnsafeMutableRawBufferPointer(start: target, count: slot.type.fixedWidth).initializeMemory(
        as: UInt8.self, repeating: 0)
    } else if slot.type == .decimal, case .decimal(let decimal) = value {
      try DecimalParts(decimal).withRowBytes { bytes in
        if let base = bytes.baseAddress { target.copyMemory(from: base, byteCount: bytes.count) }
      }
    } else if !FieldConstants.store(value, slot.type, at: target) {
      throw StorageError(.invalidValue, "\(value.kind) is not a value of the type \(slot.type.name), or does not fit")
    }
    setNull(slot, value.isNull)
  }
}
