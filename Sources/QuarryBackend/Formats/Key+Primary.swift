import Foundation

extension Key {
  /// The key of a primary key's value in that model. A compound key may be an array of its members.
  ///
  /// - Parameters:
  ///   - value: A value of exactly the type of the model's primary key.
  ///   - model: The model that the key belongs to.
  /// - Throws: `invalidValue` for a value of another type, `missingValue` for nil, both with the model and the property.
  public static func primary(_ value: Value, _ model: ModelSchema) throws(StorageError) -> Key {
    let writer = KeyWriter()
    let property = model.keyProperty
    do throws(StorageError) {
      var value = value
      if let members = property.keyMembers, case .array(let values) = value {
        value = .data(try CompoundKeyBytes.data(values, members))
      }
      try writer.append(value, type: property.type, isOptional: false, isDescending: false, isLast: true)
    } catch {
      throw error.with(model: model.name, property: property.name)
    }
    return writer.key
  }

  /// The primary key of a row.
  ///
  /// - Throws: `corrupt`.
  package init(of row: UnsafeRawBufferPointer, _ layout: RowLayout) throws(StorageError) {
    let writer = KeyWriter()
    try writer.append(RowView(row, layout), layout.keySlot, layout, isDescending: false, isLast: true)
    self = writer.key
  }

  /// The value of the primary key. Zero and NaN come in the one form that keys have.
  ///
  /// - Throws: `corrupt` when it is no key of the type.
  package func value(of type: PropertyType) throws(StorageError) -> Value {
    try bytes.withBytes { (bytes) throws(StorageError) in try Key.value(of: bytes, type: type) }
  }

  /// The value of a primary key's bytes. Zero and NaN come in the one form that keys have.
  ///
  /// - Parameters:
  ///   - bytes: A primary key in the key format: `docs/formats/key.md`.
  ///   - type: The type of the primary key.
  /// - Throws: `corrupt` when the bytes are no key of the type.
  public static func value(of bytes: UnsafeRawBufferPointer, type: PropertyType) throws(StorageError) -> Value {
    func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) throws(StorageError) -> T {
      guard bytes.count == MemoryLayout<T>.size else { throw damaged(type) }
      return T(bigEndian: bytes.loadUnaligned(as: T.self))
    }
    func damaged(_ type: Any) -> StorageError { StorageError(.corrupt, "damaged key: not a valid \(type)") }
    func text() throws(StorageError) -> String {
      guard let text = String(validating: bytes, as: UTF8.self) else { throw damaged("UTF-8") }
      return text
    }
    switch type {
    case .bool:
      let byte = try integer(UInt8.self)
      guard byte <= 1 else { throw damaged("Bool") }
      return .bool(byte == 1)
    case .int8: return .int(Int64(Int8(bitPattern: try integer(UInt8.self) ^ 0x80)))
    case .int16: return .int(Int64(Int16(bitPattern: try integer(UInt16.self) ^ 1 << 15)))
    case .int32: return .int(Int64(Int32(bitPattern: try integer(UInt32.self) ^ 1 << 31)))
    case .int64: return .int(Int64(bitPattern: try integer(UInt64.self) ^ 1 << 63))
    case .uint8: return .int(Int64(try integer(UInt8.self)))
    case .uint16: return .int(Int64(try integer(UInt16.self)))
    case .uint32: return .int(Int64(try integer(UInt32.self)))
    case .uint64: return Value(integer: try integer(UInt64.self))
    case .float: return .float(FloatOrder.float(try integer(UInt32.self)))
    case .double: return .double(FloatOrder.double(try integer(UInt64.self)))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: FloatOrder.double(try integer(UInt64.self))))
    case .uuid:
      guard bytes.count == 16 else { throw damaged("UUID") }
      return .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
    case .decimal: return .decimal(try decimal(bytes).decimal)
    case .string: return .string(try text())
    case .url:
      guard let url = URL(string: try text()) else { throw damaged("URL") }
      return .url(url)
    case .data: return .data(Data(bytes))
    case .nested, .array: throw damaged("ordered type")
    }
  }

  /// The decimal of a key's bytes, which are in their one form: other bytes that come to the same number, and numbers that no
  /// Decimal has, are damage.
  private static func decimal(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> DecimalParts {
    let parts = try decimalParts(bytes)
    let writer = KeyWriter()
    writer.append(decimal: parts)
    guard Int8(exactly: parts.exponent) != nil, writer.bytes.elementsEqual(bytes) else {
      throw StorageError(.corrupt, "damaged key: not a valid Decimal")
    }
    return parts
  }

  private static func decimalParts(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> DecimalParts {
    let damaged = StorageError(.corrupt, "damaged key: not a valid Decimal")
    guard let sign = bytes.first else { throw damaged }
    if sign == 2, bytes.count == 1 { return DecimalParts(isNegative: false, exponent: 0, mantissa: 0) }
    guard sign == 1 || sign == 3, bytes.count >= 5, bytes.count <= 24 else { throw damaged }
    let flip: UInt8 = sign == 1 ? 0xFF : 0
    let magnitude = Int(bytes[1] ^ flip) << 8 | Int(bytes[2] ^ flip)
    var mantissa: UInt128 = 0
    for byte in bytes[3..<bytes.count - 1] {
      let pair = byte ^ flip
      guard pair >= 1, pair <= 100 else { throw damaged }
      let (scaled, overflowed) = mantissa.multipliedReportingOverflow(by: 100)
      // The last digit of an odd number of digits is a zero that the mantissa may have no room for.
      if overflowed || scaled.addingReportingOverflow(UInt128(pair - 1)).overflow {
        guard (pair - 1) % 10 == 0 else { throw damaged }
        let (short, overflow) = mantissa.multipliedReportingOverflow(by: 10)
        let (sum, carry) = short.addingReportingOverflow(UInt128((pair - 1) / 10))
        guard !overflow, !carry else { throw damaged }
        let digits = (bytes.count - 4) * 2 - 1
        return DecimalParts(isNegative: sign == 1, exponent: magnitude - 1024 - digits, mantissa: sum)
      }
      mantissa = scaled + UInt128(pair - 1)
    }
    guard bytes[bytes.count - 1] ^ flip == 0, mantissa != 0 else { throw damaged }
    return DecimalParts(
      isNegative: sign == 1, exponent: magnitude - 1024 - (bytes.count - 4) * 2, mantissa: mantissa)
  }
}
