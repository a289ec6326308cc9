import CSQLite
import Foundation
import QuarryBackend
import QuarrySQL

/// Moves rows between the row format and the columns of statements: the byte codec of this engine.
///
/// Bytes that are bound without a copy belong to the row or to `scratch`; both live until the statement is reset, which
/// every caller does before it goes on to the next row.
enum SQLiteColumnCodec {
  /// Reads the columns of the statement's current row.
  ///
  /// - Parameter kept: How many bytes of rows before it the writer keeps.
  /// - Returns: The row, valid until the next use of the writer.
  /// - Throws: `corrupt` when a column holds what its property cannot hold, as after an edit by hand.
  @inline(__always)
  static func read(
    _ statement: SQLiteStatement, _ plan: SQLiteReadPlan, _ writer: RowWriter, after kept: Int = 0
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    writer.begin(after: kept)
    var hasNaN = false
    let places = plan.places
    for index in 0..<places.count {
      try read(statement, places.table + index, writer, &hasNaN)
    }
    if hasNaN, plan.nanIndex >= 0 { try readNaNs(statement, plan, writer) }
    return try writer.finish()
  }

  /// Reads a column. What a sound row has most often is told apart first.
  @inline(__always)
  private static func read(
    _ statement: SQLiteStatement, _ place: UnsafePointer<SQLitePlace>, _ writer: RowWriter, _ hasNaN: inout Bool
  ) throws(StorageError) {
    let field = statement.field(place.pointee.index)
    let type = field.type
    switch place.pointee.kind {
    case .int64 where type == SQLITE_INTEGER: writer.set(place.pointee.slot, field.integer.littleEndian)
    case .text where type == SQLITE_TEXT: writer.set(place.pointee.slot, bytes: field.bytes)
    case .double where type == SQLITE_FLOAT: writer.set(place.pointee.slot, field.real.bitPattern.littleEndian)
    case .bool where type == SQLITE_INTEGER && UInt64(bitPattern: field.integer) < 2:
      writer.set(place.pointee.slot, UInt8(truncatingIfNeeded: field.integer))
    default: try readOther(field, place, type, writer, &hasNaN)
    }
  }

  @inline(never)
  private static func readOther(
    _ field: SQLiteField, _ place: UnsafePointer<SQLitePlace>, _ type: Int32, _ writer: RowWriter,
    _ hasNaN: inout Bool
  ) throws(StorageError) {
    if type == SQLITE_NULL, place.pointee.slot.isOptional { return }
    let place = place.pointee
    guard type != SQLITE_NULL else { throw damaged(place, "NULL where a value must be") }
    func integer<T: FixedWidthInteger & BitwiseCopyable>(_ width: T.Type) throws(StorageError) {
      guard type == SQLITE_INTEGER, let value = T(exactly: field.integer) else {
        throw damaged(place, "no INTEGER in its range")
      }
      writer.set(place.slot, value.littleEndian)
    }
    switch place.kind {
    case .bool:
      let value = field.integer
      guard type == SQLITE_INTEGER, value == 0 || value == 1 else { throw damaged(place, "neither 0 nor 1") }
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
      guard value.isNaN || Double(float) == value else { throw damaged(place, "no number of 32 bits") }
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
        throw damaged(place, "no decimal number")
      }
      do throws(StorageError) { try writer.set(place.slot, decimal: parts) } catch {
        throw damaged(place, "no decimal number in its range")
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
    _ field: SQLiteField, _ place: SQLitePlace, _ type: Int32, _ hasNaN: inout Bool
  ) throws(StorageError) -> Double {
    switch type {
    case SQLITE_FLOAT: return field.real
    case SQLITE_INTEGER:
      // Written by hand: a number all the same, when it is one exactly.
      guard let value = Double(exactly: field.integer) else { throw damaged(place, "no Double") }
      return value
    case SQLITE_BLOB where field.bytes.elementsEqual(SQLConstant.nan):
      hasNaN = true
      return .nan
    default: throw damaged(place, "no number")
    }
  }

  /// Puts the bits of NaNs that are not the common one into a row.
  private static func readNaNs(
    _ statement: SQLiteStatement, _ plan: SQLiteReadPlan, _ writer: RowWriter
  ) throws(StorageError) {
    guard statement.type(plan.nanIndex) == SQLITE_BLOB else { return }
    let entries = statement.bytes(plan.nanIndex)
    guard entries.count % 10 == 0 else { throw StorageError(.corrupt, "damaged bits of NaN") }
    for place in plan.places where place.kind.isFloatingPoint && statement.type(place.index) == SQLITE_BLOB {
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
  }

  private static func damaged(_ place: SQLitePlace, _ what: String) -> StorageError {
    StorageError(.corrupt, "the column of slot \(place.slot.index) (\(place.slot.type.name)) has \(what)")
  }
}
