public import QuarryBackend

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
    return try read(present: field)
  }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> Float {
    Float(bitPattern: UInt32(littleEndian: field.row.load(field.slot)))
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.set(fixed: bitPattern.littleEndian) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try Swift.withUnsafeBytes(of: FloatOrder.bits(self).bigEndian, body)
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
    return try read(present: field)
  }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> Double {
    Double(bitPattern: UInt64(littleEndian: field.row.load(field.slot)))
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.set(fixed: bitPattern.littleEndian) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try Swift.withUnsafeBytes(of: FloatOrder.bits(self).bigEndian, body)
  }
}
