import CSQLite
import Foundation
import QuarryBackend
import QuarrySQL

extension SQLiteColumnCodec {
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
      let place = places.table + index
      guard !row.isAbsent(place.pointee.slot), !row.isNull(place.pointee.slot) else {
        try bindNothing(row, layout, place.pointee, statement, scratch)
        continue
      }
      switch place.pointee.kind {
      case .int64: try statement.bind(place.pointee.index, Int64(littleEndian: row.load(place.pointee.slot)))
      case .text: try statement.bind(place.pointee.index, lentText: try row.bytes(place.pointee.slot))
      case .double where !row.double(place.pointee.slot).isNaN:
        try statement.bind(place.pointee.index, row.double(place.pointee.slot))
      default: try bindOther(row, layout, place.pointee, statement, scratch)
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

  /// Binds what stands for a field that is null, or that the row is too old to have.
  @inline(never)
  private static func bindNothing(
    _ row: RowView, _ layout: RowLayout, _ place: SQLiteColumnPosition, _ statement: SQLiteStatement,
    _ scratch: RowScratch
  ) throws(StorageError) {
    guard !row.isAbsent(place.slot) else { return try bindDefault(layout, place, statement, scratch) }
    guard place.slot.isOptional else {
      throw StorageError(.missingValue, "nil in slot \(place.slot.index), which is not optional")
    }
    try statement.bindNull(place.index)
    if place.orderIndex >= 0 { try statement.bindNull(place.orderIndex) }
  }

  @inline(never)
  private static func bindOther(
    _ row: RowView, _ layout: RowLayout, _ place: SQLiteColumnPosition, _ statement: SQLiteStatement,
    _ scratch: RowScratch
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
      try statement.bind(place.index, .text(try row.decimal(slot).text))
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
    _ place: SQLiteColumnPosition, _ bits: UInt64, isCommon: Bool, _ statement: SQLiteStatement, _ scratch: RowScratch
  ) throws(StorageError) {
    try statement.bind(place.index, .blob(SQLConstant.nan))
    scratch.hasNaN = true
    guard !isCommon else { return }
    withUnsafeBytes(of: UInt16(truncatingIfNeeded: place.slot.index).bigEndian) {
      scratch.nanBits.append(contentsOf: $0)
    }
    withUnsafeBytes(of: bits.bigEndian) { scratch.nanBits.append(contentsOf: $0) }
  }

  /// Binds what a row of an older age has in a slot that came later.
  private static func bindDefault(
    _ layout: RowLayout, _ place: SQLiteColumnPosition, _ statement: SQLiteStatement, _ scratch: RowScratch
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
        let json: [UInt8]? = try bytes.withBytes { (bytes) throws(StorageError) in
          try NestedJSON.encode(bytes, element: element)
        }
        try statement.bind(place.index, json.map { .text($0) } ?? .blob(bytes))
      }
    } else {
      try bindOther(row, layout, place, statement, scratch)
    }
  }

  // MARK: Keys

  /// Binds a primary key's bytes in the key format to its parameter.
  ///
  /// - Throws: `corrupt` when the bytes are no key of the type.
  @inline(__always)
  static func bind(
    key bytes: UnsafeRawBufferPointer, _ place: SQLiteColumnPosition, _ statement: SQLiteStatement,
    _ scratch: RowScratch
  ) throws(StorageError) {
    if place.kind == .int64, bytes.count == 8 {
      let bits = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) ^ 1 << 63
      try statement.bind(place.index, Int64(bitPattern: bits))
    } else {
      try bind(otherKey: bytes, place, statement, scratch)
    }
  }

  @inline(never)
  private static func bind(
    otherKey bytes: UnsafeRawBufferPointer, _ place: SQLiteColumnPosition, _ statement: SQLiteStatement,
    _ scratch: RowScratch
  ) throws(StorageError) {
    switch place.kind {
    case .text: try statement.bind(place.index, lentText: bytes)
    case .data, .decimal: try statement.bind(place.index, lentBlob: bytes)
    case .uuid where bytes.count == 16:
      scratch.begin()
      try statement.bind(place.index, lentText: scratch.text(ofUUID: bytes))
    default:
      let value = try Key.value(of: bytes, type: place.slot.type)
      try statement.bind(place.index, try SQLConstant(comparable: value, place.slot.type))
    }
  }

  /// Binds the primary key of a row to the first parameter.
  static func bind(
    keyOf row: RowView, _ table: SQLiteTable, _ statement: SQLiteStatement, _ scratch: RowScratch
  ) throws(StorageError) {
    let place = table.keyPlace
    if place.kind == .int64, !row.isAbsent(place.slot), !row.isNull(place.slot) {
      return try statement.bind(place.index, Int64(littleEndian: row.load(place.slot)))
    }
    scratch.keys.removeAll()
    try scratch.keys.append(row, place.slot, table.layout, isDescending: false, isLast: true)
    switch place.kind {
    case .text, .data, .decimal, .uuid:
      // The writer is used again for the fields of the row.
      let key = Array(scratch.keys.bytes)
      switch place.kind {
      case .text: try statement.bind(place.index, .text(key))
      case .uuid: try statement.bind(place.index, .text(key.withBytes { UUIDText.text($0) }))
      default: try statement.bind(place.index, .blob(key))
      }
    default: try bind(key: scratch.keys.bytes, place, statement, scratch)
    }
  }
}
