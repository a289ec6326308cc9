public import Foundation

extension RowView {
  /// The value of a slot; its default in a row that was written before the slot was added.
  ///
  /// - Parameters:
  ///   - slot: A slot of the layout.
  ///   - layout: The layout that the view was made with.
  /// - Throws: `corrupt` when the bytes are no value of the slot's type.
  public func value(_ slot: RowLayout.Slot, _ layout: RowLayout) throws(StorageError) -> Value {
    if isAbsent(slot) { return layout.defaults[Int(slot.index)] }
    if isNull(slot) {
      guard slot.isOptional else { throw RowView.damaged("slot \(slot.index) is nil but not optional") }
      return .null
    }
    switch slot.type {
    case .bool: return .bool(load(slot, as: UInt8.self) != 0)
    case .int8: return .int(Int64(load(slot, as: Int8.self)))
    case .int16: return .int(Int64(Int16(littleEndian: load(slot))))
    case .int32: return .int(Int64(Int32(littleEndian: load(slot))))
    case .int64: return .int(Int64(littleEndian: load(slot)))
    case .uint8: return .int(Int64(load(slot, as: UInt8.self)))
    case .uint16: return .int(Int64(UInt16(littleEndian: load(slot))))
    case .uint32: return .int(Int64(UInt32(littleEndian: load(slot))))
    case .uint64: return Value(integer: UInt64(littleEndian: load(slot)))
    case .float: return .float(Float(bitPattern: UInt32(littleEndian: load(slot))))
    case .double: return .double(double(slot))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: double(slot)))
    case .uuid: return .uuid(UUID(uuid: load(slot, as: uuid_t.self)))
    case .decimal: return .decimal(try decimal(slot).decimal)
    case .string: return .string(try string(slot))
    case .url: return .url(try url(slot))
    case .data: return .data(Data(try bytes(slot)))
    case .nested, .array: return try NestedCoding.decode(try bytes(slot))
    }
  }

  /// A Double or the seconds of a Date.
  ///
  /// - Parameter slot: A slot of the type double or date that is neither absent nor null.
  @inlinable
  public func double(_ slot: RowLayout.Slot) -> Double {
    Double(bitPattern: UInt64(littleEndian: load(slot)))
  }

  /// The decimal of a slot, taken apart.
  ///
  /// - Parameter slot: A slot of the type decimal that is neither absent nor null.
  /// - Throws: `corrupt` for bytes that are not in the one form of a decimal.
  public func decimal(_ slot: RowLayout.Slot) throws(StorageError) -> DecimalParts {
    try DecimalParts(rowBytes: UnsafeRawBufferPointer(start: base + Int(slot.offset), count: DecimalParts.rowBytes))
  }

  /// The URL of a slot.
  ///
  /// - Parameter slot: A slot of the type url that is neither absent nor null.
  /// - Throws: `corrupt` when the bytes are not inside the row, are not UTF-8, or are not a URL.
  public func url(_ slot: RowLayout.Slot) throws(StorageError) -> URL {
    guard let url = URL(string: try string(slot)) else { throw RowView.damaged("slot \(slot.index) is not a URL") }
    return url
  }

  /// The fixed bytes of a slot.
  ///
  /// - Parameter slot: A slot of a type of fixed width, not absent.
  @inlinable
  public func fixedBytes(_ slot: RowLayout.Slot) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + Int(slot.offset), count: slot.type.fixedWidth)
  }
}
