import CSQLite
import Foundation
import QuarryBackend

/// Moves rows between the row format and the columns of statements: the byte codec of this engine.
///
/// Bytes that are bound without a copy belong to the row or to `scratch`; both live until the statement is reset, which
/// every caller does before it goes on to the next row.
enum SQLiteColumnCodec {
  /// Reads the columns of the statement's current row.
  ///
  /// - Returns: The row, valid until the next use of the writer.
  /// - Throws: `corrupt` when a column holds what its property cannot hold, as after an edit by hand.
  @inline(__always)
  static func read(
    _ statement: SQLiteStatement, _ plan: SQLiteReadPlan, _ writer: RowWriter
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    writer.begin()
    var hasNaN = false
    let places = plan.places
    for index in 0..<places.count {
      try read(statement, places[index], writer, &hasNaN)
    }
    if hasNaN, plan.nanIndex >= 0 { try readNaNs(statement, plan, writer) }
    return try writer.finish()
  }

  @inline(__always)
  private static func read(
    _ statement: SQLiteStatement, _ place: SQLitePlace, _ writer: RowWriter, _ hasNaN: inout Bool
  ) throws(StorageError) {
    let type = statement.type(place.index)
    if type == SQLITE_NULL {
      guard place.slot.isOptional else { throw damaged(place, "NULL where a value must be") }
      return
    }
    switch place.kind {
    case .int64:
      guard type == SQLITE_INTEGER else { throw damaged(place, "no INTEGER") }
      writer.set(place.slot, statement.integer(place.index).littleEndian)
    case .text:
      guard type == SQLITE_TEXT else { throw damaged(place, "no TEXT") }
      writer.set(place.slot, bytes: statement.bytes(place.index))
    case .double:
      if type == SQLITE_FLOAT {
        writer.set(place.slot, statement.real(place.index).bitPattern.littleEndian)
      } else {
        try readOther(statement, place, type, writer, &hasNaN)
      }
    default: try readOther(statement, place, type, writer, &hasNaN)
    }
  }

  @inline(never)
  private static func readOther(
    _ statement: SQLiteStatement, _ place: SQLitePlace, _ type: Int32, _ writer: RowWriter, _ hasNaN: inout Bool
  ) throws(StorageError) {
    func integer<T: FixedWidthInteger & BitwiseCopyable>(_ width: T.Type) throws(StorageError) {
      guard type == SQLITE_INTEGER, let value = T(exactly: statement.integer(place.index)) else {
        throw damaged(place, "no INTEGER in its range")
      }
      writer.set(place.slot, value.littleEndian)
    }
    switch place.kind {
    case .bool:
      let value = statement.integer(place.index)
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
        let bytes = statement.bytes(place.index)
        guard bytes.count == 8, bytes[0] >= 0x80 else { throw damaged(place, "no integer above Int64.max") }
        writer.set(place.slot, UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)).littleEndian)
      } else {
        try integer(UInt64.self)
      }
    case .double:
      let value = try number(statement, place, type, &hasNaN)
      writer.set(place.slot, value.bitPattern.littleEndian)
    case .float:
      let value = try number(statement, place, type, &hasNaN)
      let float = value.isNaN ? Float.nan : Float(value)
      guard value.isNaN || Double(float) == value else { throw damaged(place, "no number of 32 bits") }
      writer.set(place.slot, float.bitPattern.littleEndian)
    case .text, .data:
      guard type == (place.kind == .text ? SQLITE_TEXT : SQLITE_BLOB) else {
        throw damaged(place, place.kind == .text ? "no TEXT" : "no BLOB")
      }
      writer.set(place.slot, bytes: statement.bytes(place.index))
    case .uuid:
      guard type == SQLITE_TEXT, let uuid = UUIDText.uuid(statement.bytes(place.index)) else {
        throw damaged(place, "no UUID")
      }
      writer.set(place.slot, uuid)
    case .decimal:
      guard type == SQLITE_TEXT, let parts = DecimalText.parts(statement.bytes(place.index)) else {
        throw damaged(place, "no decimal number")
      }
      do throws(StorageError) { try writer.set(place.slot, decimal: parts) } catch {
        throw damaged(place, "no decimal number in its range")
      }
    case .tree:
      let bytes = statement.bytes(place.index)
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
    _ statement: SQLiteStatement, _ place: SQLitePlace, _ type: Int32, _ hasNaN: inout Bool
  ) throws(StorageError) -> Double {
    switch type {
    case SQLITE_FLOAT: return statement.real(place.index)
    case SQLITE_INTEGER:
      // Written by hand: a number all the same, when it is one exactly.
      guard let value = Double(exactly: statement.integer(place.index)) else { throw damaged(place, "no Double") }
      return value
    case SQLITE_BLOB where statement.bytes(place.index).elementsEqual(SQLiteValue.nan):
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

  // MARK: Binding

  /// Binds the fields of a row to a statement's parameters. The row's bytes must live until the statement is reset.
  ///
  /// - Throws: `corrupt`; `missingValue` for null in a property that is not optional; `limitExceeded`.
  @inline(__always)
  static func bind(
    _ row: RowView, _ layout: RowLayout, _ plan: SQLiteBindPlan, _ statement: SQLiteStatement, _ scratch: RowScratch
  ) throws(StorageError) {
    scratch.begin()
    let places = plan.places
    for index in 0..<places.count {
      let place = places[index]
      if row.isAbsent(place.slot) {
        try bindDefault(layout, place, statement, scratch)
        continue
      }
      if row.isNull(place.slot) {
        guard place.slot.isOptional else {
          throw StorageError(.missingValue, "nil in slot \(place.slot.index), which is not optional")
        }
        try statement.bindNull(place.index)
        if place.orderIndex >= 0 { try statement.bindNull(place.orderIndex) }
        continue
      }
      switch place.kind {
      case .int64: try statement.bind(place.index, Int64(littleEndian: row.load(place.slot)))
      case .text: try statement.bind(place.index, lentText: try row.bytes(place.slot))
      default: try bindOther(row, layout, place, statement, scratch)
      }
    }
    if plan.nanIndex >= 0 {
      if scratch.nanBits.isEmpty {
        try statement.bindNull(plan.nanIndex)
      } else {
        try statement.bind(plan.nanIndex, .blob(scratch.nanBits))
      }
    }
  }

  @inline(never)
  private static func bindOther(
    _ row: RowView, _ layout: RowLayout, _ place: SQLitePlace, _ statement: SQLiteStatement, _ scratch: RowScratch
  ) throws(StorageError) {
    let slot = place.slot
    switch place.kind {
    case .bool: try statement.bind(place.index, row.load(slot, as: UInt8.self) == 0 ? 0 : 1 as Int64)
    case .int8: try statement.bind(place.index, Int64(row.load(slot, as: Int8.self)))
    case .int16: try statement.bind(place.index, Int64(Int16(littleEndian: row.load(slot))))
    case .int32: try statement.bind(place.index, Int64(Int32(littleEndian: row.load(slot))))
    case .int64: try statement.bind(place.index, Int64(littleEndian: row.load(slot)))
    case .uint8: try statement.bind(place.index, Int64(row.load(slot, as: UInt8.self)))
    case .uint16: try statement.bind(place.index, Int64(UInt16(littleEndian: row.load(slot))))
    case .uint32: try statement.bind(place.index, Int64(UInt32(littleEndian: row.load(slot))))
    case .uint64:
      let value = UInt64(littleEndian: row.load(slot))
      if let signed = Int64(exactly: value) {
        try statement.bind(place.index, signed)
      } else {
        try statement.bind(place.index, .unsigned(value))
      }
    case .float:
      let value = Float(bitPattern: UInt32(littleEndian: row.load(slot)))
      if value.isNaN {
        try bindNaN(
          place, UInt64(value.bitPattern), isCommon: value.bitPattern == Float.nan.bitPattern, statement, scratch)
      } else {
        try statement.bind(place.index, Double(value))
      }
    case .double:
      let value = row.double(slot)
      if value.isNaN {
        try bindNaN(place, value.bitPattern, isCommon: value.bitPattern == Double.nan.bitPattern, statement, scratch)
      } else {
        try statement.bind(place.index, value)
      }
    case .text: try statement.bind(place.index, lentText: try row.bytes(slot))
    case .data: try statement.bind(place.index, lentBlob: try row.bytes(slot))
    case .uuid: try statement.bind(place.index, lentText: scratch.text(ofUUID: row.fixedBytes(slot)))
    case .decimal:
      try statement.bind(place.index, .text(DecimalText.text(try row.decimal(slot))))
      var present = slot
      present.isOptional = false
      scratch.keys.removeAll()
      try scratch.keys.append(row, present, layout, isDescending: false, isLast: true)
      try statement.bind(place.orderIndex, .blob(Array(scratch.keys.bytes)))
    case .tree:
      let bytes = try row.bytes(slot)
      if let json = try NestedJSON.encode(bytes, element: slot.type == .array ? place.elementType : nil) {
        try statement.bind(place.index, .text(json))
      } else {
        try statement.bind(place.index, lentBlob: bytes)
      }
    }
  }

  private static func bindNaN(
    _ place: SQLitePlace, _ bits: UInt64, isCommon: Bool, _ statement: SQLiteStatement, _ scratch: RowScratch
  ) throws(StorageError) {
    try statement.bind(place.index, .blob(SQLiteValue.nan))
    scratch.hasNaN = true
    guard !isCommon else { return }
    withUnsafeBytes(of: UInt16(truncatingIfNeeded: place.slot.index).bigEndian) {
      scratch.nanBits.append(contentsOf: $0)
    }
    withUnsafeBytes(of: bits.bigEndian) { scratch.nanBits.append(contentsOf: $0) }
  }

  /// Binds what a row of an older age has in a slot that came later.
  private static func bindDefault(
    _ layout: RowLayout, _ place: SQLitePlace, _ statement: SQLiteStatement, _ scratch: RowScratch
  ) throws(StorageError) {
    // The writer owns the bytes of the row.
    let writer = RowWriter(layout)
    defer { withExtendedLifetime(writer) {} }
    writer.begin()
    try writer.set(place.slot, value: layout.defaults[Int(place.slot.index)])
    let row = try RowView(try writer.finish(), layout)
    if row.isNull(place.slot) {
      try statement.bindNull(place.index)
      if place.orderIndex >= 0 { try statement.bindNull(place.orderIndex) }
    } else if place.kind == .text || place.kind == .data || place.kind == .tree {
      // The writer's bytes go before the statement is run, so that these are copied.
      let bytes = Array(try row.bytes(place.slot))
      switch place.kind {
      case .text: try statement.bind(place.index, .text(bytes))
      case .data: try statement.bind(place.index, .blob(bytes))
      default:
        let element = place.slot.type == .array ? place.elementType : nil
        let json: [UInt8]? = try withBytes(bytes) { (bytes) throws(StorageError) in
          try NestedJSON.encode(bytes, element: element)
        }
        try statement.bind(place.index, json.map { .text($0) } ?? .blob(bytes))
      }
    } else {
      try bindOther(row, layout, place, statement, scratch)
    }
  }

  // MARK: Keys

  /// Binds a primary key's bytes in the key format to the parameter.
  ///
  /// - Throws: `corrupt` when the bytes are no key of the type.
  @inline(__always)
  static func bind(
    key bytes: UnsafeRawBufferPointer, _ column: SQLiteColumn, _ index: Int32, _ statement: SQLiteStatement,
    _ scratch: RowScratch
  ) throws(StorageError) {
    switch column.kind {
    case .int64 where bytes.count == 8:
      let bits = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) ^ 1 << 63
      try statement.bind(index, Int64(bitPattern: bits))
    case .text: try statement.bind(index, lentText: bytes)
    case .data, .decimal: try statement.bind(index, lentBlob: bytes)
    case .uuid where bytes.count == 16:
      scratch.begin()
      try statement.bind(index, lentText: scratch.text(ofUUID: bytes))
    default:
      let value = try Key.value(of: bytes, type: column.slot.type)
      try statement.bind(index, try SQLiteValue(comparable: value, column.slot.type))
    }
  }

  /// Binds the primary key of a row to the parameter.
  static func bind(
    keyOf row: RowView, _ table: SQLiteTable, _ index: Int32, _ statement: SQLiteStatement, _ scratch: RowScratch
  ) throws(StorageError) {
    scratch.keys.removeAll()
    try scratch.keys.append(row, table.key.slot, table.layout, isDescending: false, isLast: true)
    switch table.key.kind {
    case .text, .data, .decimal, .uuid:
      // The writer is used again for the fields of the row.
      let key = Array(scratch.keys.bytes)
      switch table.key.kind {
      case .text: try statement.bind(index, .text(key))
      case .uuid: try statement.bind(index, .text(try withBytes(key) { (bytes) in UUIDText.text(bytes) }))
      default: try statement.bind(index, .blob(key))
      }
    default: try bind(key: scratch.keys.bytes, table.key, index, statement, scratch)
    }
  }

  /// Calls the body with the bytes of an array, with a typed throw.
  static func withBytes<R>(
    _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    let result: Result<R, StorageError> = bytes.withUnsafeBytes { bytes in
      do throws(StorageError) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

/// Memory that is reused from row to row.
final class RowScratch {
  /// The bits of the row's NaNs that are not the common one: two bytes for the slot, eight for the bits.
  var nanBits: [UInt8] = []
  /// Whether the row has a NaN.
  var hasNaN = false
  let keys = KeyWriter()
  private var texts: UnsafeMutableRawPointer
  private var capacity: Int
  private var used = 0
  private var retired: [UnsafeMutableRawPointer] = []

  init() {
    capacity = 8
    texts = .allocate(byteCount: capacity * UUIDText.count, alignment: 8)
  }

  deinit {
    texts.deallocate()
    for old in retired { old.deallocate() }
  }

  /// Forgets the row before, whose statement was reset.
  @inline(__always)
  func begin() {
    used = 0
    if hasNaN {
      hasNaN = false
      nanBits.removeAll(keepingCapacity: true)
    }
  }

  /// The text of a UUID, which stays until the next row.
  func text(ofUUID bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    if used == capacity {
      // What was handed out is still bound: the old memory goes with this object.
      retired.append(texts)
      capacity *= 2
      used = 0
      texts = .allocate(byteCount: capacity * UUIDText.count, alignment: 8)
    }
    let place = UnsafeMutableRawBufferPointer(start: texts + used * UUIDText.count, count: UUIDText.count)
    used += 1
    UUIDText.write(bytes, to: place)
    return UnsafeRawBufferPointer(place)
  }
}
