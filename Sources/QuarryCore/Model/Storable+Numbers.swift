public import QuarryBackend

// The built-in types. Each reads and writes its bytes straight from and to the row; a field that is absent (the row is
// older than the property) takes the way through the default's value.

extension Int8: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.int8) }
  @inlinable public static var placeholder: Int8 { 0 }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { Value(integer: self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard let integer = storedValue.integer, let value = Int8(exactly: integer) else {
      throw Self.mismatch(storedValue)
    }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> Int8 {
    guard field.isPresent else { return try readAbsent(field) }
    return Int8(littleEndian: field.row.load(field.slot))
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.writer.set(field.slot, self.littleEndian) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try withBytes(of: (UInt8(bitPattern: self) ^ 1 &<< 7).bigEndian, body)
  }
}

extension Int16: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.int16) }
  @inlinable public static var placeholder: Int16 { 0 }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { Value(integer: self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard let integer = storedValue.integer, let value = Int16(exactly: integer) else {
      throw Self.mismatch(storedValue)
    }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> Int16 {
    guard field.isPresent else { return try readAbsent(field) }
    return Int16(littleEndian: field.row.load(field.slot))
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.writer.set(field.slot, self.littleEndian) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try withBytes(of: (UInt16(bitPattern: self) ^ 1 &<< 15).bigEndian, body)
  }
}

extension Int32: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.int32) }
  @inlinable public static var placeholder: Int32 { 0 }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { Value(integer: self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard let integer = storedValue.integer, let value = Int32(exactly: integer) else {
      throw Self.mismatch(storedValue)
    }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> Int32 {
    guard field.isPresent else { return try readAbsent(field) }
    return Int32(littleEndian: field.row.load(field.slot))
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.writer.set(field.slot, self.littleEndian) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try withBytes(of: (UInt32(bitPattern: self) ^ 1 &<< 31).bigEndian, body)
  }
}

extension Int64: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.int64) }
  @inlinable public static var placeholder: Int64 { 0 }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { Value(integer: self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard let integer = storedValue.integer, let value = Int64(exactly: integer) else {
      throw Self.mismatch(storedValue)
    }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> Int64 {
    guard field.isPresent else { return try readAbsent(field) }
    return Int64(littleEndian: field.row.load(field.slot))
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.writer.set(field.slot, self.littleEndian) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try withBytes(of: (UInt64(bitPattern: self) ^ 1 &<< 63).bigEndian, body)
  }
}

extension UInt8: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.uint8) }
  @inlinable public static var placeholder: UInt8 { 0 }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { Value(integer: self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard let integer = storedValue.integer, let value = UInt8(exactly: integer) else {
      throw Self.mismatch(storedValue)
    }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> UInt8 {
    guard field.isPresent else { return try readAbsent(field) }
    return UInt8(littleEndian: field.row.load(field.slot))
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.writer.set(field.slot, self.littleEndian) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try withBytes(of: (self).bigEndian, body)
  }
}

extension UInt16: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.uint16) }
  @inlinable public static var placeholder: UInt16 { 0 }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { Value(integer: self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard let integer = storedValue.integer, let value = UInt16(exactly: integer) else {
      throw Self.mismatch(storedValue)
    }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> UInt16 {
    guard field.isPresent else { return try readAbsent(field) }
    return UInt16(littleEndian: field.row.load(field.slot))
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.writer.set(field.slot, self.littleEndian) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try withBytes(of: (self).bigEndian, body)
  }
}

extension UInt32: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.uint32) }
  @inlinable public static var placeholder: UInt32 { 0 }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { Value(integer: self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard let integer = storedValue.integer, let value = UInt32(exactly: integer) else {
      throw Self.mismatch(storedValue)
    }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> UInt32 {
    guard field.isPresent else { return try readAbsent(field) }
    return UInt32(littleEndian: field.row.load(field.slot))
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.writer.set(field.slot, self.littleEndian) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try withBytes(of: (self).bigEndian, body)
  }
}

extension UInt64: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.uint64) }
  @inlinable public static var placeholder: UInt64 { 0 }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { Value(integer: self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard let integer = storedValue.integer, let value = UInt64(exactly: integer) else {
      throw Self.mismatch(storedValue)
    }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> UInt64 {
    guard field.isPresent else { return try readAbsent(field) }
    return UInt64(littleEndian: field.row.load(field.slot))
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.writer.set(field.slot, self.littleEndian) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try withBytes(of: (self).bigEndian, body)
  }
}

extension Int: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.int64) }
  @inlinable public static var placeholder: Int { 0 }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { Value(integer: self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard let integer = storedValue.integer, let value = Int(exactly: integer) else {
      throw Self.mismatch(storedValue)
    }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> Int {
    guard field.isPresent else { return try readAbsent(field) }
    return Int(Int64(littleEndian: field.row.load(field.slot)))
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.writer.set(field.slot, Int64(self).littleEndian) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try withBytes(of: (UInt64(bitPattern: Int64(self)) ^ 1 &<< 63).bigEndian, body)
  }
}

extension UInt: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.uint64) }
  @inlinable public static var placeholder: UInt { 0 }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { Value(integer: self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard let integer = storedValue.integer, let value = UInt(exactly: integer) else {
      throw Self.mismatch(storedValue)
    }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> UInt {
    guard field.isPresent else { return try readAbsent(field) }
    return UInt(UInt64(littleEndian: field.row.load(field.slot)))
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.writer.set(field.slot, UInt64(self).littleEndian) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try withBytes(of: (UInt64(self)).bigEndian, body)
  }
}

extension Float: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.float) }
  @inlinable public static var placeholder: Float { 0 }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { .float(self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard case .float(let value) = storedValue else { throw Self.mismatch(storedValue) }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> Float {
    guard field.isPresent else { return try readAbsent(field) }
    return Float(bitPattern: UInt32(littleEndian: field.row.load(field.slot)))
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.writer.set(field.slot, bitPattern.littleEndian) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try withBytes(of: FloatOrder.bits(self).bigEndian, body)
  }
}

extension Double: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.double) }
  @inlinable public static var placeholder: Double { 0 }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { .double(self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard case .double(let value) = storedValue else { throw Self.mismatch(storedValue) }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> Double {
    guard field.isPresent else { return try readAbsent(field) }
    return Double(bitPattern: UInt64(littleEndian: field.row.load(field.slot)))
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.writer.set(field.slot, bitPattern.littleEndian) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try withBytes(of: FloatOrder.bits(self).bigEndian, body)
  }
}
