#if PostgreSQL
  import Foundation
  import QuarryBackend

  /// Writes values in the server's binary forms.
  enum PostgreSQLValueWriter {
    static func append<T: FixedWidthInteger>(_ value: T, to bytes: inout [UInt8]) {
      withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends the field of a row, which is not null.
    ///
    /// - Parameter exact: Takes a tree that has no exact JSON form.
    /// - Throws: `corrupt`.
    static func append(
      _ row: RowView, _ field: PostgreSQLField, to bytes: inout [UInt8], _ exact: inout ExactTrees
    ) throws(StorageError) {
      let slot = field.slot
      switch slot.type {
      case .bool: bytes.append(row.load(slot, as: UInt8.self) == 0 ? 0 : 1)
      case .int8: append(Int16(row.load(slot, as: Int8.self)), to: &bytes)
      case .uint8: append(Int16(row.load(slot, as: UInt8.self)), to: &bytes)
      case .int16: append(Int16(littleEndian: row.load(slot)), to: &bytes)
      case .uint16: append(Int32(UInt16(littleEndian: row.load(slot))), to: &bytes)
      case .int32: append(Int32(littleEndian: row.load(slot)), to: &bytes)
      case .uint32: append(Int64(UInt32(littleEndian: row.load(slot))), to: &bytes)
      case .int64: append(Int64(littleEndian: row.load(slot)), to: &bytes)
      case .uint64: append(unsigned: UInt64(littleEndian: row.load(slot)), to: &bytes)
      case .float: append(UInt32(littleEndian: row.load(slot)), to: &bytes)
      case .double, .date: append(row.double(slot).bitPattern, to: &bytes)
      case .string, .url: PostgreSQLText.append(try row.bytes(slot), to: &bytes)
      case .data: bytes.append(contentsOf: try row.bytes(slot))
      case .uuid: bytes.append(contentsOf: row.fixedBytes(slot))
      case .decimal: PostgreSQLNumeric.append(try row.decimal(slot), to: &bytes)
      case .nested, .array:
        let tree = try row.bytes(slot)
        let (text, isExact) = try PostgreSQLTreeJSON.encode(tree, element: field.elementType)
        if !isExact { exact.add(slot, tree, json: text) }
        // The version of the binary form.
        bytes.append(1)
        bytes.append(contentsOf: text)
      }
    }

    private static func append(unsigned value: UInt64, to bytes: inout [UInt8]) {
      PostgreSQLNumeric.append(DecimalParts(isNegative: false, exponent: 0, mantissa: UInt128(value)), to: &bytes)
    }

    /// Appends a primary key's bytes of the key format.
    ///
    /// - Throws: `corrupt` when the bytes are no key of the type.
    static func append(
      key: UnsafeRawBufferPointer, _ column: PostgreSQLColumn, to bytes: inout [UInt8]
    ) throws(StorageError) {
      switch column.slot.type {
      case .string, .url: PostgreSQLText.append(key, to: &bytes)
      case .data: bytes.append(contentsOf: key)
      case .uuid where key.count == 16: bytes.append(contentsOf: key)
      case .int64 where key.count == 8:
        append(UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) ^ 1 << 63, to: &bytes)
      default: try append(try Key.value(of: key, type: column.slot.type), column, to: &bytes)
      }
    }

    /// Appends the value of a key.
    private static func append(
      _ value: Value, _ column: PostgreSQLColumn, to bytes: inout [UInt8]
    ) throws(StorageError) {
      switch (column.kind, value) {
      case (.bool, .bool(let value)): bytes.append(value ? 1 : 0)
      case (.int16, .int(let value)): append(Int16(clamping: value), to: &bytes)
      case (.int32, .int(let value)): append(Int32(clamping: value), to: &bytes)
      case (.int64, .int(let value)): append(value, to: &bytes)
      case (.uint64, .int(let value)): append(unsigned: UInt64(clamping: value), to: &bytes)
      case (.uint64, .uint(let value)): append(unsigned: value, to: &bytes)
      case (.float, .float(let value)): append(value.bitPattern, to: &bytes)
      case (.double, .double(let value)): append(value.bitPattern, to: &bytes)
      case (.double, .date(let value)): append(value.timeIntervalSinceReferenceDate.bitPattern, to: &bytes)
      case (.decimal, .decimal(let value)): PostgreSQLNumeric.append(try DecimalParts(value), to: &bytes)
      default: throw StorageError(.corrupt, "a key is not of the type \(column.slot.type.name)")
      }
    }
  }
#endif
