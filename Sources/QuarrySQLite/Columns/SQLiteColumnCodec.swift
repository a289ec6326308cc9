import CSQLite
import Foundation
import QuarryBackend
import QuarrySQL

/// Moves rows between the row format and columns: the byte codec of this engine.
///
/// Bytes that are bound without a copy belong to the row or to `scratch`; both live until the statement is reset, which every
/// caller does before the next row.
enum SQLiteColumnCodec {
  /// Reads the columns of the statement's current row.
  ///
  /// - Parameter kept: How many bytes of rows before it the writer keeps.
  /// - Returns: The row, valid until the next use of the writer.
  /// - Throws: `corrupt` when a column holds what its property cannot hold, as after an edit by hand.
  static func read(
    _ statement: SQLiteStatement, _ plan: SQLiteReadPlan, _ writer: RowWriter, after kept: Int = 0
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    var row = writer.begin(plan.template, after: kept)
    let hasNaN = try read(statement, plan, &row, writer)
    let bytes = try writer.finish(row, plan.template)
    if hasNaN, plan.nanIndex >= 0 { try setNaNs(statement.field(plan.nanIndex), in: bytes, plan, writer) }
    return bytes
  }

  /// Reads a row from the arguments of a call, which have not the bits of NaNs.
  ///
  /// - Parameter hasNaN: Is set where there are NaNs, whose bits may be others: see ``setNaNs(_:in:_:_:)``.
  @inline(__always)
  static func read(
    _ arguments: SQLiteArguments, _ plan: SQLiteReadPlan, _ writer: RowWriter, after kept: Int, hasNaN: inout Bool
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    var row = writer.begin(plan.template, after: kept)
    hasNaN = try read(arguments, plan, &row, writer)
    return try writer.finish(row, plan.template)
  }

  /// Reads all columns but that with the bits of NaNs.
  ///
  /// - Returns: Whether there is a NaN.
  @inline(__always)
  private static func read(
    _ columns: some SQLiteColumns, _ plan: SQLiteReadPlan, _ row: inout OrderedRow, _ writer: RowWriter
  ) throws(StorageError) -> Bool {
    var hasNaN = false
    var place = plan.places.table
    let end = place + plan.places.count
    do throws(StorageError) {
      while place < end {
        let field = columns.field(place.pointee.index)
        let type = field.type
        // The most frequent kinds of a sound row are checked first.
        switch place.pointee.kind {
        case .int64 where type == SQLITE_INTEGER: row.set(place.pointee.slot, field.integer.littleEndian)
        case .text where type == SQLITE_TEXT: row.set(place.pointee.slot, bytes: field.bytes, writer)
        case .double where type == SQLITE_FLOAT: row.set(place.pointee.slot, field.real.bitPattern.littleEndian)
        case .bool where type == SQLITE_INTEGER:
          let value = field.integer
          guard UInt64(bitPattern: value) < 2 else { throw damaged(place.pointee, "a value that is neither 0 nor 1") }
          row.set(place.pointee.slot, UInt8(truncatingIfNeeded: value))
        case _ where type == SQLITE_NULL && place.pointee.slot.isOptional: row.setNull(place.pointee.slot)
        default:
          writer.resume(row)
          try readOther(field, place, type, writer, &hasNaN)
          row = writer.ordered(plan.template)
        }
        place += 1
      }
    } catch {
      throw located(error, place.pointee, columns, plan)
    }
    return hasNaN
  }

  @inline(never)
  private static func readOther(
    _ field: SQLiteField, _ place: UnsafePointer<SQLiteColumnPosition>, _ type: Int32, _ writer: RowWriter,
    _ hasNaN: inout Bool
  ) throws(StorageError) {
    let place = place.pointee
    guard type != SQLITE_NULL else { throw damaged(place, "NULL where a value is required") }
    func integer<T: FixedWidthInteger & BitwiseCopyable>(_ width: T.Type) throws(StorageError) {
      guard type == SQLITE_INTEGER, let value = T(exactly: field.integer) else {
        throw damaged(place, "a value that is not an INTEGER in its range")
      }
      writer.set(place.slot, value.littleEndian)
    }
    switch place.kind {
    case .bool:
      let value = field.integer
      guard type == SQLITE_INTEGER, value == 0 || value == 1 else {
        throw damaged(place, "a value that is neither 0 nor 1")
      }
      writer.set(place.slot, UInt8(truncatingIfNeeded: value))
    case .int8: try integer(Int8.self)
    case .int16: try integer(Int16.self)
    case .int32: try integer(Int32.self)
    case .int64: try integer(Int64.self)
    case .uint8: try integer(UInt8.self)
    case .uint16: try integer(UInt16.self)
    case .uint32: try integer(UInt32.self)
    case .uint64:
      if type == SQLITE_BLOB {
        let bytes = field.bytes
        guard bytes.count == 8, bytes[0] >= 0x80 else { throw damaged(place, "no integer above Int64.max") }
        writer.set(place.slot, UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)).littleEndian)
      } else {
        try integer(UInt64.self)
      }
    case .double:
      let value = try number(field, place, type, &hasNaN)
      writer.set(place.slot, value.bitPattern.littleEndian)
    case .float:
      let value = try number(field, place, type, &hasNaN)
      let float = value.isNaN ? Float.nan : Float(value)
      guard value.isNaN || Double(float) == value else {
        throw damaged(place, "a number that does not fit into 32 bits")
      }
      writer.set(place.slot, float.bitPattern.littleEndian)
    case .text, .data:
      guard type == (place.kind == .text ? SQLITE_TEXT : SQLITE_BLOB) else {
        throw damaged(place, place.kind == .text ? "no TEXT" : "no BLOB")
      }
      writer.set(place.slot, bytes: field.bytes)
    case .uuid:
      guard type == SQLITE_TEXT, let uuid = UUIDText.bytes(field.bytes, allowsLowercase: false) else {
        throw damaged(place, "no UUID")
      }
      writer.set(place.slot, uuid)
    case .decimal:
      guard type == SQLITE_TEXT, let parts = DecimalParts(text: field.bytes) else {
        throw damaged(place, "a value that is not a decimal number")
      }
      do throws(StorageError) { try writer.set(place.slot, decimal: parts) } catch {
        throw damaged(place, "a decimal number out of its range")
      }
    case .tree:
      let bytes = field.bytes
      switch type {
      case SQLITE_TEXT:
        let value = try NestedJSON.decode(bytes, element: place.slot.type == .array ? place.elementType : nil)
        try NestedCoding.encode(value).withUnsafeBytes { writer.set(place.slot, bytes: $0) }
      case SQLITE_BLOB:
        _ = try NestedCoding.decode(bytes)
        writer.set(place.slot, bytes: bytes)
      default: throw damaged(place, "neither JSON nor a value tree")
      }
    }
  }

  private static func number(
    _ field: SQLiteField, _ place: SQLiteColumnPosition, _ type: Int32, _ hasNaN: inout Bool
  ) throws(StorageError) -> Double {
    switch type {
    case SQLITE_FLOAT: return field.real
    case SQLITE_INTEGER:
      // Written by hand: still a number, when it is one exactly.
      guard let value = Double(exactly: field.integer) else { throw damaged(place, "a number that is not a Double") }
      return value
    case SQLITE_BLOB where field.bytes.elementsEqual(SQLConstant.nan):
      hasNaN = true
      return .nan
    default: throw damaged(place, "a value that is not a number")
    }
  }

  /// Puts the bits of NaNs that are not the common one into the row that the writer has just finished.
  static func setNaNs(
    _ bits: SQLiteField, in row: UnsafeRawBufferPointer, _ plan: SQLiteReadPlan, _ writer: RowWriter
  ) throws(StorageError) {
    guard bits.type == SQLITE_BLOB else { return }
    for place in plan.places where isNaN(place, in: row) {
      do throws(StorageError) {
        try setNaN(bits.bytes, place, writer)
      } catch {
        throw located(error, place, row, plan)
      }
    }
  }

  /// Puts the bits of one NaN into the row, where they are among the entries of ten bytes: the slot, and the bits.
  private static func setNaN(
    _ entries: UnsafeRawBufferPointer, _ place: SQLiteColumnPosition, _ writer: RowWriter
  ) throws(StorageError) {
    guard entries.count % 10 == 0 else { throw damaged(place, "damaged bits of NaN") }
    for start in stride(from: 0, to: entries.count, by: 10)
    where UInt16(bigEndian: entries.loadUnaligned(fromByteOffset: start, as: UInt16.self)) == place.slot.index {
      let bits = UInt64(bigEndian: entries.loadUnaligned(fromByteOffset: start + 2, as: UInt64.self))
      if place.kind == .float {
        guard let bits = UInt32(exactly: bits), Float(bitPattern: bits).isNaN else {
          throw damaged(place, "damaged bits of NaN")
        }
        writer.set(place.slot, bits.littleEndian)
      } else {
        guard Double(bitPattern: bits).isNaN else { throw damaged(place, "damaged bits of NaN") }
        writer.set(place.slot, bits.littleEndian)
      }
    }
  }

  private static func isNaN(_ place: SQLiteColumnPosition, in row: UnsafeRawBufferPointer) -> Bool {
    let offset = Int(place.slot.offset)
    switch place.kind {
    case .float:
      return Float(bitPattern: UInt32(littleEndian: row.loadUnaligned(fromByteOffset: offset, as: UInt32.self))).isNaN
    case .double:
      return Double(bitPattern: UInt64(littleEndian: row.loadUnaligned(fromByteOffset: offset, as: UInt64.self))).isNaN
    default: return false
    }
  }

  private static func damaged(_ place: SQLiteColumnPosition, _ what: String) -> StorageError {
    StorageError(.corrupt, "a column of \(place.slot.type.name) has \(what)")
  }

  /// The error of a column with the names of the model and the property, and with the row's key as it is stored.
  @inline(never)
  private static func located(
    _ error: StorageError, _ place: SQLiteColumnPosition, _ columns: some SQLiteColumns, _ plan: SQLiteReadPlan
  ) -> StorageError {
    located(error, place, plan) { model in
      guard let keyPlace = plan.places.first(where: { $0.slot.index == model.primaryKey }) else { return nil }
      let field = columns.field(keyPlace.index)
      return switch field.type {
      case SQLITE_INTEGER: String(field.integer)
      case SQLITE_TEXT: String(decoding: field.bytes, as: UTF8.self)
      default: nil
      }
    }
  }

  private static func located(
    _ error: StorageError, _ place: SQLiteColumnPosition, _ row: UnsafeRawBufferPointer, _ plan: SQLiteReadPlan
  ) -> StorageError {
    located(error, place, plan) { model in
      guard plan.places.contains(where: { $0.slot.index == model.primaryKey }) else { return nil }
      let layout = RowLayout(model)
      return (try? RowView(row, layout)).flatMap { KeyText.text(of: $0, layout) }
    }
  }

  /// The error with the model, the property of the column, and the key.
  private static func located(
    _ error: StorageError, _ place: SQLiteColumnPosition, _ plan: SQLiteReadPlan, key: (ModelSchema) -> String?
  ) -> StorageError {
    guard let model = plan.model, model.properties.indices.contains(Int(place.slot.index)) else { return error }
    return error.with(model: model.name, property: model.properties[Int(place.slot.index)].name, key: key(model))
  }
}
