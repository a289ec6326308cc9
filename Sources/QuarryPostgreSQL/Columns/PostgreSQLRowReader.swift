#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarrySQL

  /// Reads rows from the results of statements.
  struct PostgreSQLRowReader {
    let table: PostgreSQLTable
    /// The columns that the statement has, in their order.
    let columns: [PostgreSQLColumn]
    /// Whether the exact trees come after them.
    let hasExact: Bool
    /// Whether values that are read may be of any length.
    private let isLong: Bool

    /// - Parameter slots: The slots to read; nil for all. The primary key is always among them.
    init(_ table: PostgreSQLTable, _ slots: [Int]? = nil) throws(StorageError) {
      self.table = table
      if let slots {
        var chosen: [PostgreSQLColumn] = []
        for slot in Set(slots).union([table.model.primaryKey]).sorted() { chosen.append(try table.column(slot)) }
        columns = chosen
      } else {
        columns = table.live
      }
      hasExact = columns.contains { $0.kind == .tree }
      isLong = columns.contains { $0.kind.isLong || $0.kind == .tree }
    }

    /// What stands after SELECT.
    ///
    /// - Parameter prefix: A name of the table with a point, or nothing.
    func list(_ prefix: String = "") -> String {
      var names = columns.map { prefix + $0.name }
      if hasExact { names.append(prefix + PostgreSQLName.quoted(PostgreSQLName.exact)) }
      return names.joined(separator: ", ")
    }

    /// How many rows a statement asks for whose result is to have about so many bytes.
    func rows(in byteCount: Int, most: Int) -> Int {
      isLong ? table.rows(in: byteCount, most: most) : most
    }

    /// Takes note of the size of the largest row of a result.
    func note(_ result: PostgreSQLResult) {
      if isLong { table.note(rowOf: result.largestRow) }
    }

    /// Takes note of the size of the largest of some rows.
    func note(rowOf byteCount: Int) {
      if isLong { table.note(rowOf: byteCount) }
    }

    /// Checks that a result has the types that are read.
    ///
    /// - Parameter first: Where the row begins among the columns.
    func check(_ result: PostgreSQLResult, first: Int = 0) throws(StorageError) {
      for (place, column) in columns.enumerated() where result.type(first + place) != column.kind.type {
        throw damaged(column.field, "another type").with(
          model: table.model.name, property: table.model.properties[Int(column.slot.index)].name)
      }
    }

    /// Reads a row.
    ///
    /// - Parameters:
    ///   - first: Where the row begins among the columns.
    ///   - kept: Bytes of rows before it that the writer keeps.
    /// - Returns: The row, valid until the next use of the writer.
    /// - Throws: `corrupt` when a column holds what its property cannot hold.
    func read(
      _ result: PostgreSQLResult, _ row: Int, _ writer: RowWriter, first: Int = 0, after kept: Int = 0
    ) throws(StorageError) -> UnsafeRawBufferPointer {
      writer.begin(after: kept)
      for place in columns.indices {
        do throws(StorageError) {
          try readField(result, row, place, writer, first: first)
        } catch {
          throw located(error, columns[place], result, row, first)
        }
      }
      return try writer.finish()
    }

    /// Reads the field of a column, by its place among the columns. The errors have no names.
    @inline(__always)
    func readField(
      _ result: PostgreSQLResult, _ row: Int, _ place: Int, _ writer: RowWriter, first: Int = 0
    ) throws(StorageError) {
      let field = columns[place].field
      let bytes = result.bytes(row, first + place)
      // NULL has no bytes.
      guard bytes.count > 0 || !result.isNull(row, first + place) else {
        guard field.slot.isOptional else { throw damaged(field, "NULL where a value is required") }
        return
      }
      let exact = field.kind == .tree ? result.bytes(row, first + columns.count) : nil
      try read(bytes, field, exact, writer)
    }

    private func read(
      _ bytes: UnsafeRawBufferPointer, _ field: PostgreSQLField, _ exact: UnsafeRawBufferPointer?, _ writer: RowWriter
    ) throws(StorageError) {
      let slot = field.slot
      switch slot.type {
      case .bool:
        let value = try integer(bytes, UInt8.self, field)
        guard value < 2 else { throw damaged(field, "a value that is neither true nor false") }
        writer.set(slot, value)
      case .int8: try narrow(bytes, Int16.self, Int8.self, field, writer)
      case .uint8: try narrow(bytes, Int16.self, UInt8.self, field, writer)
      case .int16: writer.set(slot, try integer(bytes, Int16.self, field).littleEndian)
      case .uint16: try narrow(bytes, Int32.self, UInt16.self, field, writer)
      case .int32: writer.set(slot, try integer(bytes, Int32.self, field).littleEndian)
      case .uint32: try narrow(bytes, Int64.self, UInt32.self, field, writer)
      case .int64: writer.set(slot, try integer(bytes, Int64.self, field).littleEndian)
      case .float: writer.set(slot, try integer(bytes, UInt32.self, field).littleEndian)
      case .double, .date: writer.set(slot, try integer(bytes, UInt64.self, field).littleEndian)
      case .uint64:
        guard let parts = PostgreSQLNumeric.parts(bytes), let value = Self.unsigned(parts) else {
          throw damaged(field, "a value that is not an integer in its range")
        }
        writer.set(slot, value.littleEndian)
      case .decimal:
        guard let parts = PostgreSQLNumeric.parts(bytes) else {
          throw damaged(field, "a value that is not a decimal number")
        }
        do throws(StorageError) { try writer.set(slot, decimal: parts) } catch {
          throw damaged(field, "a decimal number out of its range")
        }
      case .uuid:
        guard bytes.count == 16 else { throw damaged(field, "no UUID") }
        writer.set(slot, bytes.loadUnaligned(as: uuid_t.self))
      case .data: writer.set(slot, bytes: bytes)
      case .string, .url:
        guard PostgreSQLText.isEscaped(bytes) else { return writer.set(slot, bytes: bytes) }
        guard let text = PostgreSQLText.unescaped(bytes) else {
          throw damaged(field, "a text that Quarry writes otherwise")
        }
        text.withUnsafeBytes { writer.set(slot, bytes: $0) }
      case .nested, .array: try readTree(bytes, field, exact, writer)
      }
    }

    private func readTree(
      _ bytes: UnsafeRawBufferPointer, _ field: PostgreSQLField, _ exact: UnsafeRawBufferPointer?, _ writer: RowWriter
    ) throws(StorageError) {
      guard bytes.first == 1 else { throw damaged(field, "an unknown form of JSON") }
      let json = UnsafeRawBufferPointer(rebasing: bytes[1...])
      if let exact, let tree = try ExactTrees.tree(of: field.slot, in: exact, json: json) {
        _ = try NestedCoding.decode(tree)
        return writer.set(field.slot, bytes: tree)
      }
      let value = try NestedJSON.decode(json, element: field.elementType)
      try NestedCoding.encode(value).withUnsafeBytes { writer.set(field.slot, bytes: $0) }
    }

    private func integer<T: FixedWidthInteger>(
      _ bytes: UnsafeRawBufferPointer, _ type: T.Type, _ field: PostgreSQLField
    ) throws(StorageError) -> T {
      guard bytes.count == MemoryLayout<T>.size else { throw damaged(field, "another length") }
      return T(bigEndian: bytes.loadUnaligned(as: T.self))
    }

    private func narrow<Wide: FixedWidthInteger, Narrow: FixedWidthInteger & BitwiseCopyable>(
      _ bytes: UnsafeRawBufferPointer, _ wide: Wide.Type, _ narrow: Narrow.Type, _ field: PostgreSQLField,
      _ writer: RowWriter
    ) throws(StorageError) {
      guard let value = Narrow(exactly: try integer(bytes, wide, field)) else {
        throw damaged(field, "a value that is not an integer in its range")
      }
      writer.set(field.slot, value.littleEndian)
    }

    private static func unsigned(_ parts: DecimalParts) -> UInt64? {
      guard !parts.isNegative, parts.exponent >= 0, parts.exponent < 20 else { return nil }
      var value = parts.mantissa
      for _ in 0..<parts.exponent {
        let (product, isTooMuch) = value.multipliedReportingOverflow(by: 10)
        guard !isTooMuch else { return nil }
        value = product
      }
      return UInt64(exactly: value)
    }

    private func damaged(_ field: PostgreSQLField, _ what: String) -> StorageError {
      StorageError(.corrupt, "a column of \(field.slot.type.name) has \(what)")
    }

    /// The error with the names of the model and the property, and the row's key.
    private func located(
      _ error: StorageError, _ column: PostgreSQLColumn, _ result: PostgreSQLResult, _ row: Int, _ first: Int
    ) -> StorageError {
      error.with(
        model: table.model.name, property: table.model.properties[Int(column.slot.index)].name,
        key: key(result, row, first: first))
    }

    /// The key of a row as people read it; nil for one that cannot be read.
    func key(_ result: PostgreSQLResult, _ row: Int, first: Int = 0) -> String? {
      columns.firstIndex { $0.slot.index == table.key.slot.index }.flatMap { key(result, row, at: first + $0) }
    }

    /// The key that a field has, as people read it; nil for one that cannot be read.
    func key(_ result: PostgreSQLResult, _ row: Int, at place: Int) -> String? {
      result.isNull(row, place) ? nil : try? keyText(result.bytes(row, place))
    }

    private func keyText(_ bytes: UnsafeRawBufferPointer) throws -> String? {
      let writer = RowWriter(table.layout)
      defer { withExtendedLifetime(writer) {} }
      writer.begin()
      try read(bytes, table.key.field, nil, writer)
      return KeyText.text(of: try RowView(try writer.finish(), table.layout), table.layout)
    }
  }
#endif
