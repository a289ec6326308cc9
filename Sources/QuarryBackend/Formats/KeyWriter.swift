import Foundation

/// Builds keys in the key format (`docs/formats/key.md`) in a buffer that is reused.
public final class KeyWriter {
  @exclusivity(unchecked) @usableFromInline var buffer: UnsafeMutableRawPointer
  @exclusivity(unchecked) @usableFromInline var capacity: Int
  @exclusivity(unchecked) @usableFromInline var count = 0
  /// Whether the buffer belongs to the caller.
  @exclusivity(unchecked) private var isLent = false

  /// Creates a writer of an empty key.
  public init() {
    capacity = 64
    buffer = .allocate(byteCount: capacity, alignment: 8)
  }

  /// Creates a writer of an empty key in lent memory, which a longer key leaves: ``giveBack()`` ends the loan.
  @usableFromInline
  package init(lent room: UnsafeMutableRawBufferPointer) {
    capacity = room.count
    // Never used where there is no room.
    buffer = room.baseAddress ?? UnsafeMutableRawPointer(bitPattern: 8)!
    isLent = true
  }

  /// Ends the loan of the memory; the key is empty then.
  @usableFromInline
  package func giveBack() {
    guard isLent else { return }
    (capacity, count) = (0, 0)
  }

  deinit {
    if !isLent { buffer.deallocate() }
  }

  /// Begins a new key.
  @inlinable
  public func removeAll() {
    count = 0
  }

  /// The bytes of the key so far, valid until the next call.
  @inlinable public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: buffer, count: count) }
  /// Bytes of the memory, whether used or not.
  package var memoryBytes: Int { capacity }
  /// A copy of the bytes.
  public var key: Key { Key(copying: bytes) }

  @inlinable
  func reserve(_ length: Int) {
    if count &+ length > capacity { grow(count + length) }
  }

  @usableFromInline
  func grow(_ needed: Int) {
    capacity = max(needed, capacity * 2)
    let new = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    new.copyMemory(from: buffer, byteCount: count)
    if !isLent { buffer.deallocate() }
    isLent = false
    buffer = new
  }

  /// Appends bytes as they are: a primary key at the end of an index entry's key.
  @inlinable
  public func append(raw bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    if let source = bytes.baseAddress { (buffer + count).copyMemory(from: source, byteCount: bytes.count) }
    count &+= bytes.count
  }

  @inlinable
  func append(byte: UInt8) {
    reserve(1)
    buffer.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count &+= 1
  }

  /// Appends an unsigned integer, its first byte first.
  @inlinable
  func append<T: FixedWidthInteger & BitwiseCopyable>(bigEndian value: T) {
    reserve(MemoryLayout<T>.size)
    buffer.storeBytes(of: value.bigEndian, toByteOffset: count, as: T.self)
    count &+= MemoryLayout<T>.size
  }

  /// Appends bytes so that their end can be told: 0x00 becomes 0x00 0xFF, and 0x00 0x01 ends.
  @usableFromInline
  package func append(terminated bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count + 2)
    var rest = bytes
    while let base = rest.baseAddress, rest.count > 0 {
      guard let zero = memchr(base, 0, rest.count) else {
        append(raw: rest)
        break
      }
      let length = UnsafeRawPointer(zero) - base + 1
      append(raw: UnsafeRawBufferPointer(rebasing: rest[..<length]))
      append(byte: 0xFF)
      rest = UnsafeRawBufferPointer(rebasing: rest[length...])
    }
    append(byte: 0)
    append(byte: 1)
  }

  @usableFromInline
  func append(text bytes: UnsafeRawBufferPointer, isRaw: Bool) {
    if isRaw { append(raw: bytes) } else { append(terminated: bytes) }
  }

  /// Appends a decimal: sign, power of ten of the first digit, pairs of digits, an end.
  func append(decimal parts: DecimalParts) {
    guard parts.mantissa != 0 else { return append(byte: 2) }
    let start = count
    append(byte: 3)
    let digits = parts.digits
    append(bigEndian: UInt16(clamping: parts.exponent + digits.count + 1024))
    for index in stride(from: 0, to: digits.count, by: 2) {
      append(byte: digits[index] * 10 + (index + 1 < digits.count ? digits[index + 1] : 0) + 1)
    }
    append(byte: 0)
    if parts.isNegative {
      invert(from: start)
      buffer.storeBytes(of: 1, toByteOffset: start, as: UInt8.self)
    }
  }

  @inlinable
  func invert(from start: Int) {
    for offset in start..<count {
      buffer.storeBytes(of: ~buffer.load(fromByteOffset: offset, as: UInt8.self), toByteOffset: offset, as: UInt8.self)
    }
  }

  /// Appends a slot of a row as a component.
  ///
  /// - Parameter isLast: Whether nothing follows, so that text needs no end.
  /// - Throws: `corrupt`; `unsupported` for a type without an order.
  @inlinable
  public func append(
    _ row: RowView, _ slot: RowLayout.Slot, _ layout: RowLayout, isDescending: Bool, isLast: Bool
  ) throws(StorageError) {
    guard !row.isAbsent(slot) else {
      return try append(
        layout.defaults[Int(slot.index)], type: slot.type, isOptional: slot.isOptional, isDescending: isDescending,
        isLast: isLast)
    }
    let start = count
    let isNull = row.isNull(slot)
    if slot.isOptional { append(byte: isNull ? 0 : 1) }
    if !isNull {
      switch slot.type {
      case .int64: append(bigEndian: UInt64(bitPattern: Int64(littleEndian: row.load(slot))) ^ 1 &<< 63)
      case .string: append(text: try row.bytes(slot), isRaw: isLast && !isDescending)
      default: try append(other: row, slot, isRaw: isLast && !isDescending)
      }
    }
    if isDescending { invert(from: start) }
  }

  @usableFromInline
  func append(other row: RowView, _ slot: RowLayout.Slot, isRaw: Bool) throws(StorageError) {
    switch slot.type {
    case .bool, .uint8: append(byte: row.load(slot))
    case .int8: append(byte: row.load(slot, as: UInt8.self) ^ 0x80)
    case .int16: append(bigEndian: UInt16(littleEndian: row.load(slot)) ^ 1 << 15)
    case .int32: append(bigEndian: UInt32(littleEndian: row.load(slot)) ^ 1 << 31)
    case .int64: append(bigEndian: UInt64(littleEndian: row.load(slot)) ^ 1 << 63)
    case .uint16: append(bigEndian: UInt16(littleEndian: row.load(slot)))
    case .uint32: append(bigEndian: UInt32(littleEndian: row.load(slot)))
    case .uint64: append(bigEndian: UInt64(littleEndian: row.load(slot)))
    case .float: append(bigEndian: FloatOrder.bits(Float(bitPattern: UInt32(littleEndian: row.load(slot)))))
    case .double, .date: append(bigEndian: FloatOrder.bits(row.double(slot)))
    case .uuid: append(raw: row.fixedBytes(slot))
    case .decimal: append(decimal: try row.decimal(slot))
    case .string, .url, .data: append(text: try row.bytes(slot), isRaw: isRaw)
    case .nested, .array: throw Self.unordered(slot.type)
    }
  }

  @usableFromInline
  static func unordered(_ type: PropertyType) -> StorageError {
    .unsupported(.indexPlain, "values of the type \(type.name) have no order and cannot be keys")
  }

  /// Appends a value as a component.
  ///
  /// - Parameters:
  ///   - value: A value of exactly the type.
  ///   - type: The type of the component.
  ///   - isOptional: Whether the component may be nil, which a byte before it tells.
  ///   - isDescending: Whether all bytes of the component are inverted, so that it sorts in descending order.
  ///   - isLast: Whether the component is the last of the key, so that a text needs no end mark.
  /// - Throws: `invalidValue` for a value of another type; `missingValue` for null where it is not allowed;
  ///   `unsupported` for a type without an order.
  public func append(
    _ value: Value, type: PropertyType, isOptional: Bool, isDescending: Bool, isLast: Bool
  ) throws(StorageError) {
    let start = count
    if value.isNull {
      guard isOptional else { throw .missingValue }
      append(byte: 0)
    } else {
      if isOptional { append(byte: 1) }
      try append(present: value, type, isRaw: isLast && !isDescending)
    }
    if isDescending { invert(from: start) }
  }

  private func append(present value: Value, _ type: PropertyType, isRaw: Bool) throws(StorageError) {
    func integer<T: FixedWidthInteger>(_ type: T.Type) throws(StorageError) -> T {
      guard let integer = value.integer, let exact = T(exactly: integer) else { throw wrong() }
      return exact
    }
    func wrong() -> StorageError {
      StorageError(.invalidValue, "\(value.kind) is not a value of the type \(type.name)")
    }
    switch (type, value) {
    case (.bool, .bool(let value)): append(byte: value ? 1 : 0)
    case (.int8, _): append(byte: UInt8(bitPattern: try integer(Int8.self)) ^ 0x80)
    case (.int16, _): append(bigEndian: UInt16(bitPattern: try integer(Int16.self)) ^ 1 << 15)
    case (.int32, _): append(bigEndian: UInt32(bitPattern: try integer(Int32.self)) ^ 1 << 31)
    case (.int64, _): append(bigEndian: UInt64(bitPattern: try integer(Int64.self)) ^ 1 << 63)
    case (.uint8, _): append(byte: try integer(UInt8.self))
    case (.uint16, _): append(bigEndian: try integer(UInt16.self))
    case (.uint32, _): append(bigEndian: try integer(UInt32.self))
    case (.uint64, _): append(bigEndian: try integer(UInt64.self))
    case (.float, .float(let value)): append(bigEndian: FloatOrder.bits(value))
    case (.double, .double(let value)): append(bigEndian: FloatOrder.bits(value))
    case (.date, .date(let value)): append(bigEndian: FloatOrder.bits(value.timeIntervalSinceReferenceDate))
    case (.uuid, .uuid(let value)): withUnsafeBytes(of: value.uuid) { append(raw: $0) }
    case (.decimal, .decimal(let value)): append(decimal: try DecimalParts(value))
    case (.string, .string(var value)): value.withUTF8 { append(text: UnsafeRawBufferPointer($0), isRaw: isRaw) }
    case (.url, .url(let value)):
      var text = value.absoluteString
      text.withUTF8 { append(text: UnsafeRawBufferPointer($0), isRaw: isRaw) }
    case (.data, .data(let value)): value.withUnsafeBytes { append(text: $0, isRaw: isRaw) }
    case (.nested, _), (.array, _): throw Self.unordered(type)
    default: throw wrong()
    }
  }
}
