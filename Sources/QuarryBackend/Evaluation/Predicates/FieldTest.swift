/// Constants of one fixed-width type in the form of rows, one after the other.
///
/// The memory is this object's own, is never changed after init and is freed in deinit.
final class FieldConstants {
  let memory: UnsafeMutableRawPointer
  let count: Int

  /// - Throws: `invalidQuery` for a value of another type.
  init(_ values: [Value], type: PropertyType) throws(StorageError) {
    let width = type.fixedWidth
    memory = .allocate(byteCount: max(16, width * values.count), alignment: 16)
    count = values.count
    for (index, value) in values.enumerated() {
      guard Self.store(value, type, at: memory + index * width) else {
        throw .cannotCompare(value, type)
      }
    }
  }

  deinit {
    memory.deallocate()
  }

  /// Writes a value in the form of rows; false when it is not of the type, a decimal or of variable size.
  static func store(_ value: Value, _ type: PropertyType, at address: UnsafeMutableRawPointer) -> Bool {
    func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) -> Bool {
      guard let integer = value.integer, let exact = T(exactly: integer) else { return false }
      address.storeBytes(of: exact.littleEndian, as: T.self)
      return true
    }
    switch (type, value) {
    case (.int8, _): return integer(Int8.self)
    case (.int16, _): return integer(Int16.self)
    case (.int32, _): return integer(Int32.self)
    case (.int64, _): return integer(Int64.self)
    case (.uint8, _): return integer(UInt8.self)
    case (.uint16, _): return integer(UInt16.self)
    case (.uint32, _): return integer(UInt32.self)
    case (.uint64, _): return integer(UInt64.self)
    case (.bool, .bool(let value)): address.storeBytes(of: value ? 1 : 0, as: UInt8.self)
    case (.float, .float(let value)): address.storeBytes(of: value.bitPattern.littleEndian, as: UInt32.self)
    case (.double, .double(let value)): address.storeBytes(of: value.bitPattern.littleEndian, as: UInt64.self)
    case (.date, .date(let value)):
      address.storeBytes(of: value.timeIntervalSinceReferenceDate.bitPattern.littleEndian, as: UInt64.self)
    case (.uuid, .uuid(let value)):
      withUnsafeBytes(of: value.uuid) { bytes in
        if let source = bytes.baseAddress { address.copyMemory(from: source, byteCount: 16) }
      }
    default: return false
    }
    return true
  }
}

/// Compares a slot of fixed width with a constant.
final class FieldTest: SlotTest {
  fileprivate let comparison: Comparison
  private let constants: FieldConstants
  /// The constant in `constants`.
  fileprivate let constant: UnsafeRawPointer

  init(_ slot: RowLayout.Slot, _ comparison: Comparison, _ value: Value, _ defaults: DefaultRow) throws(StorageError) {
    self.comparison = comparison
    constants = try FieldConstants([value], type: slot.type)
    constant = UnsafeRawPointer(constants.memory)
    super.init(slot, defaults)
  }

  override func matches(_ row: RowView) -> Bool {
    let row = present(row)
    if row.isNull(slot) { return comparison == .notEqual }
    switch slot.type {
    case .int64: return matches(row, Int64.self)
    case .double, .date: return matches(row, Double.self)
    case .int32: return matches(row, Int32.self)
    case .bool: return matches(row, BoolField.self)
    case .int8: return matches(row, Int8.self)
    case .int16: return matches(row, Int16.self)
    case .uint8: return matches(row, UInt8.self)
    case .uint16: return matches(row, UInt16.self)
    case .uint32: return matches(row, UInt32.self)
    case .uint64: return matches(row, UInt64.self)
    case .float: return matches(row, Float.self)
    case .uuid: return matches(row, UUIDField.self)
    case .string, .data, .decimal, .url, .nested, .array: return false
    }
  }

  @inline(__always)
  private func matches<T: FieldType>(_ row: RowView, _ type: T.Type) -> Bool {
    let value = T.load(row.base + Int(slot.offset))
    let constant = T.load(self.constant)
    switch comparison {
    case .equal: return value == constant
    case .notEqual: return value != constant
    case .less: return value < constant
    case .lessOrEqual: return value <= constant
    case .greater: return value > constant
    case .greaterOrEqual: return value >= constant
    }
  }

  override func mask(_ span: RowSpan, _ active: UInt64) -> UInt64 {
    if Int(slot.index) >= span.slotCount { return matches(span.view(0)) ? active : 0 }
    switch slot.type {
    case .int64: return mask(span, active, Int64.self)
    case .double, .date: return mask(span, active, Double.self)
    case .int32: return mask(span, active, Int32.self)
    case .bool: return mask(span, active, BoolField.self)
    case .int8: return mask(span, active, Int8.self)
    case .int16: return mask(span, active, Int16.self)
    case .uint8: return mask(span, active, UInt8.self)
    case .uint16: return mask(span, active, UInt16.self)
    case .uint32: return mask(span, active, UInt32.self)
    case .uint64: return mask(span, active, UInt64.self)
    case .float: return mask(span, active, Float.self)
    case .uuid: return mask(span, active, UUIDField.self)
    case .string, .data, .decimal, .url, .nested, .array: return 0
    }
  }

  @inline(__always)
  private func mask<T: FieldType>(_ span: RowSpan, _ active: UInt64, _ type: T.Type) -> UInt64 {
    let constant = T.load(self.constant)
    return switch comparison {
    case .equal: FieldLoop.mask(span, active, slot, constant, EqualField.self)
    case .notEqual: FieldLoop.mask(span, active, slot, constant, NotEqualField.self)
    case .less: FieldLoop.mask(span, active, slot, constant, LessField.self)
    case .lessOrEqual: FieldLoop.mask(span, active, slot, constant, LessOrEqualField.self)
    case .greater: FieldLoop.mask(span, active, slot, constant, GreaterField.self)
    case .greaterOrEqual: FieldLoop.mask(span, active, slot, constant, GreaterOrEqualField.self)
    }
  }
}

extension FieldTest {
  /// Which values fulfil the comparison, as bits.
  ///
  /// - Parameters:
  ///   - values: Values of the slot's type, one after the other, at most 64.
  ///   - nulls: Which of them stand for nil.
  func mask(_ values: UnsafeRawPointer, nulls: UInt64, count: Int) -> UInt64 {
    switch slot.type {
    case .int64: mask(values, nulls, count, Int64.self)
    case .double, .date: mask(values, nulls, count, Double.self)
    case .int32: mask(values, nulls, count, Int32.self)
    case .bool: mask(values, nulls, count, BoolField.self)
    case .int8: mask(values, nulls, count, Int8.self)
    case .int16: mask(values, nulls, count, Int16.self)
    case .uint8: mask(values, nulls, count, UInt8.self)
    case .uint16: mask(values, nulls, count, UInt16.self)
    case .uint32: mask(values, nulls, count, UInt32.self)
    case .uint64: mask(values, nulls, count, UInt64.self)
    case .float: mask(values, nulls, count, Float.self)
    case .uuid: mask(values, nulls, count, UUIDField.self)
    case .string, .data, .decimal, .url, .nested, .array: 0
    }
  }

  @inline(__always)
  private func mask<T: FieldType>(
    _ values: UnsafeRawPointer, _ nulls: UInt64, _ count: Int, _ type: T.Type
  ) -> UInt64 {
    let constant = T.load(self.constant)
    return switch comparison {
    case .equal: FieldLoop.mask(values, nulls, count, constant, EqualField.self)
    case .notEqual: FieldLoop.mask(values, nulls, count, constant, NotEqualField.self)
    case .less: FieldLoop.mask(values, nulls, count, constant, LessField.self)
    case .lessOrEqual: FieldLoop.mask(values, nulls, count, constant, LessOrEqualField.self)
    case .greater: FieldLoop.mask(values, nulls, count, constant, GreaterField.self)
    case .greaterOrEqual: FieldLoop.mask(values, nulls, count, constant, GreaterOrEqualField.self)
    }
  }
}

/// The loops over a batch, compiled once for each type and comparison.
enum FieldLoop {
  /// Over values that stand side by side.
  @inline(never)
  static func mask<T: FieldType, C: FieldComparison>(
    _ values: UnsafeRawPointer, _ nulls: UInt64, _ count: Int, _ constant: T, _ comparison: C.Type
  ) -> UInt64 {
    var mask: UInt64 = 0
    for index in 0..<count {
      let holds: UInt64 = C.holds(T.load(values + index &* MemoryLayout<T>.size), constant) ? 1 : 0
      mask |= holds &<< UInt64(truncatingIfNeeded: index)
    }
    return C.holdsOfNull ? mask | nulls : mask & ~nulls
  }

  /// Which rows have null in the slot.
  static func nulls(_ span: RowSpan, _ slot: RowLayout.Slot) -> UInt64 {
    let nullByte = span.nulls &+ Int(slot.index) &>> 3
    let nullBit = UInt64(truncatingIfNeeded: slot.index & 7)
    var mask: UInt64 = 0
    for index in 0..<span.count {
      let byte = UInt64(span.bases[index].load(fromByteOffset: nullByte, as: UInt8.self))
      mask |= (byte &>> nullBit & 1) &<< UInt64(truncatingIfNeeded: index)
    }
    return mask
  }

  @inline(never)
  static func mask<T: FieldType, C: FieldComparison>(
    _ span: RowSpan, _ active: UInt64, _ slot: RowLayout.Slot, _ constant: T, _ comparison: C.Type
  ) -> UInt64 {
    let offset = Int(slot.offset)
    let nullByte = span.nulls &+ Int(slot.index) &>> 3
    let nullBit = UInt64(truncatingIfNeeded: slot.index & 7)
    // Few rows are left: looking at the others would fetch memory for nothing.
    if active.nonzeroBitCount &* 2 < span.count {
      var rest = active
      var mask: UInt64 = 0
      while rest != 0 {
        let index = rest.trailingZeroBitCount
        rest &= rest &- 1
        let base = span.bases[index]
        let isNull = UInt64(base.load(fromByteOffset: nullByte, as: UInt8.self)) &>> nullBit & 1
        let holds: UInt64 = C.holds(T.load(base + offset), constant) ? 1 : 0
        mask |= (C.holdsOfNull ? holds | isNull : holds & ~isNull) &<< UInt64(truncatingIfNeeded: index)
      }
      return mask
    }
    var mask: UInt64 = 0
    for index in 0..<span.count {
      let base = span.bases[index]
      let isNull = UInt64(base.load(fromByteOffset: nullByte, as: UInt8.self)) &>> nullBit & 1
      let holds: UInt64 = C.holds(T.load(base + offset), constant) ? 1 : 0
      mask |= (C.holdsOfNull ? holds | isNull : holds & ~isNull) &<< UInt64(truncatingIfNeeded: index)
    }
    return mask & active
  }
}

/// Whether a slot is null.
final class NullTest: SlotTest {
  override func matches(_ row: RowView) -> Bool {
    present(row).isNull(slot)
  }

  override func mask(_ span: RowSpan, _ active: UInt64) -> UInt64 {
    if Int(slot.index) >= span.slotCount { return matches(span.view(0)) ? active : 0 }
    return FieldLoop.nulls(span, slot) & active
  }
}

/// Whether a slot of fixed width is one of many constants.
final class FieldSetTest: SlotTest {
  private let constants: FieldConstants
  /// The constants in `constants`.
  private let memory: UnsafeRawPointer
  private let count: Int

  /// - Parameter values: In their order. NaN equals nothing, so it is left out.
  init(_ slot: RowLayout.Slot, _ values: [Value], _ defaults: DefaultRow) throws(StorageError) {
    let comparable = values.filter { PredicateEquality.equal($0, $0) }
    constants = try FieldConstants(comparable, type: slot.type)
    memory = UnsafeRawPointer(constants.memory)
    count = constants.count
    super.init(slot, defaults)
  }

  override var cost: Int { 2 }

  override func matches(_ row: RowView) -> Bool {
    let row = present(row)
    if row.isNull(slot) { return false }
    switch slot.type {
    case .int64: return contains(row, Int64.self)
    case .double, .date: return contains(row, Double.self)
    case .int32: return contains(row, Int32.self)
    case .bool: return contains(row, BoolField.self)
    case .int8: return contains(row, Int8.self)
    case .int16: return contains(row, Int16.self)
    case .uint8: return contains(row, UInt8.self)
    case .uint16: return contains(row, UInt16.self)
    case .uint32: return contains(row, UInt32.self)
    case .uint64: return contains(row, UInt64.self)
    case .float: return contains(row, Float.self)
    case .uuid: return contains(row, UUIDField.self)
    case .string, .data, .decimal, .url, .nested, .array: return false
    }
  }

  override func mask(_ span: RowSpan, _ active: UInt64) throws(StorageError) -> UInt64 {
    switch slot.type {
    case .int64: try mask(span, active, Int64.self)
    case .int32: try mask(span, active, Int32.self)
    case .uuid: try mask(span, active, UUIDField.self)
    default: try span.mask(active) { row in matches(row) }
    }
  }

  @inline(__always)
  private func mask<T: FieldType>(_ span: RowSpan, _ active: UInt64, _ type: T.Type) throws(StorageError) -> UInt64 {
    try span.mask(active) { row in
      let row = present(row)
      return !row.isNull(slot) && contains(row, type)
    }
  }

  @inline(__always)
  private func contains<T: FieldType>(_ row: RowView, _ type: T.Type) -> Bool {
    let value = T.load(row.base + Int(slot.offset))
    let width = MemoryLayout<T>.size
    var low = 0
    var count = count
    // The last constant that is not greater, without a branch on the data.
    while count > 1 {
      let half = count &>> 1
      low = T.load(memory + (low &+ half) &* width) <= value ? low &+ half : low
      count &-= half
    }
    return count == 1 && T.load(memory + low &* width) == value
  }
}
