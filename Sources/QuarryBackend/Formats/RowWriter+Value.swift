import Foundation

extension RowWriter {
  /// Sets a slot to a value of its type; null leaves it null.
  ///
  /// - Parameters:
  ///   - slot: A slot of the writer's layout.
  ///   - value: A value of exactly the slot's type, or null.
  /// - Throws: `missingValue` for null in a slot that is not optional. `invalidValue` for a value of another type, a value that
  ///   does not fit, or a Decimal that is not a number.
  public func set(_ slot: RowLayout.Slot, value: Value) throws(StorageError) {
    func wrong() -> StorageError {
      StorageError(.invalidValue, "\(value.kind) is not a value of the type \(slot.type.name)")
    }
    func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) throws(StorageError) {
      guard let integer = value.integer else { throw wrong() }
      guard let exact = T(exactly: integer) else {
        throw StorageError(.invalidValue, "the value does not fit into \(slot.type.name)")
      }
      set(slot, exact.littleEndian)
    }
    switch (slot.type, value) {
    case (_, .null):
      guard slot.isOptional else { throw .missingValue }
    case (.bool, .bool(let value)): set(slot, (value ? 1 : 0) as UInt8)
    case (.int8, _): try integer(Int8.self)
    case (.int16, _): try integer(Int16.self)
    case (.int32, _): try integer(Int32.self)
    case (.int64, _): try integer(Int64.self)
    case (.uint8, _): try integer(UInt8.self)
    case (.uint16, _): try integer(UInt16.self)
    case (.uint32, _): try integer(UInt32.self)
    case (.uint64, _): try integer(UInt64.self)
    case (.float, .float(let value)): set(slot, value.bitPattern.littleEndian)
    case (.double, .double(let value)): set(slot, value.bitPattern.littleEndian)
    case (.date, .date(let value)): set(slot, value.timeIntervalSinceReferenceDate.bitPattern.littleEndian)
    case (.uuid, .uuid(let value)): set(slot, value.uuid)
    case (.decimal, .decimal(let value)): try set(slot, decimal: DecimalParts(value))
    case (.string, .string(let value)): set(slot, string: value)
    case (.url, .url(let value)): set(slot, string: value.absoluteString)
    case (.data, .data(let value)): value.withUnsafeBytes { set(slot, bytes: $0) }
    case (.nested, _), (.array, .array):
      try NestedCoding.encode(value).withUnsafeBytes { set(slot, bytes: $0) }
    default: throw wrong()
    }
  }

  /// Sets a slot to a decimal.
  ///
  /// - Parameters:
  ///   - slot: A slot of the type decimal.
  ///   - decimal: The decimal.
  /// - Throws: `invalidValue` when its exponent does not fit into a byte.
  public func set(_ slot: RowLayout.Slot, decimal: DecimalParts) throws(StorageError) {
    clearNull(slot)
    let target = row + Int(slot.offset)
    try decimal.withRowBytes { bytes in
      if let source = bytes.baseAddress { target.copyMemory(from: source, byteCount: bytes.count) }
    }
  }

  /// Copies a slot from another row of the same layout, of whatever age.
  ///
  /// - Parameters:
  ///   - slot: A slot of the layout, also one that the row lacks: then its default is set.
  ///   - row: The row to copy from.
  ///   - layout: The layout of the writer and of the row.
  /// - Throws: `corrupt` when the slot's bytes lie outside the row; `missingValue` for a slot that the row lacks and that has no
  ///   default and is not optional.
  public func copy(_ slot: RowLayout.Slot, from row: RowView, _ layout: RowLayout) throws(StorageError) {
    if row.isAbsent(slot) {
      try set(slot, value: layout.defaults[Int(slot.index)])
    } else {
      try copyStored(slot, from: row, at: slot)
    }
  }

  /// Copies a slot from a row of another layout, in which a slot of the same type has the value.
  ///
  /// A nil value stays nil, whether the slot is optional or not.
  package func copy(
    _ slot: RowLayout.Slot, from row: RowView, at source: RowLayout.Slot, _ layout: RowLayout
  ) throws(StorageError) {
    if row.isAbsent(source) {
      let value = layout.defaults[Int(source.index)]
      if !value.isNull { try set(slot, value: value) }
    } else {
      try copyStored(slot, from: row, at: source)
    }
  }

  private func copyStored(
    _ slot: RowLayout.Slot, from row: RowView, at source: RowLayout.Slot
  ) throws(StorageError) {
    if row.isNull(source) {
      return
    } else if slot.variableIndex >= 0 {
      set(slot, bytes: try row.bytes(source))
    } else {
      clearNull(slot)
      let bytes = row.fixedBytes(source)
      if let source = bytes.baseAddress {
        (self.row + Int(slot.offset)).copyMemory(from: source, byteCount: bytes.count)
      }
    }
  }
}
