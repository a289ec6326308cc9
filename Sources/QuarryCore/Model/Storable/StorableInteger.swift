public import QuarryBackend

/// An integer type that is stored in its own width: what the standard library's integers have in common here. It is not
/// meant for other types.
public protocol StorableInteger: DirectlyStorable, FixedWidthInteger {
  /// The type of the stored bits: the type itself, or the one of 64 bits for `Int` and `UInt`.
  associatedtype StoredBits: FixedWidthInteger & BitwiseCopyable
  /// The type of a property.
  static var storedIntegerType: PropertyType { get }
}

extension StorableInteger {
  @inlinable public static var storedType: StoredType { StoredType(storedIntegerType) }
  @inlinable public static var placeholder: Self { 0 }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { Value(integer: self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard let integer = storedValue.integer, let value = Self(exactly: integer) else {
      throw Self.mismatch(storedValue)
    }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> Self {
    guard field.isPresent else { return try readAbsent(field) }
    return bits(field)
  }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> Self { bits(field) }

  // Each type has a `read(present:)` of its own, so that the compiler knows which it is and needs no table of the protocol.
  // One that is always inlined would be called by way of that table, too.
  @inlinable @inline(__always)
  static func bits(_ field: FieldReader) -> Self {
    Self(truncatingIfNeeded: StoredBits(littleEndian: field.row.load(field.slot)))
  }

  /// Writes the number's bytes straight into its row.
  @inlinable
  public func write(_ field: FieldWriter) {
    field.set(fixed: StoredBits(truncatingIfNeeded: self).littleEndian)
  }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    // The sign bit is flipped, so that the order of the bytes is the order of the numbers.
    let flipped = StoredBits(truncatingIfNeeded: self) ^ StoredBits.min
    return try Swift.withUnsafeBytes(of: flipped.bigEndian, body)
  }
}

extension Int8: StorableInteger {
  public typealias StoredBits = Int8
  @inlinable public static var storedIntegerType: PropertyType { .int8 }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> Int8 { bits(field) }
}

extension Int16: StorableInteger {
  public typealias StoredBits = Int16
  @inlinable public static var storedIntegerType: PropertyType { .int16 }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> Int16 { bits(field) }
}

extension Int32: StorableInteger {
  public typealias StoredBits = Int32
  @inlinable public static var storedIntegerType: PropertyType { .int32 }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> Int32 { bits(field) }
}

extension Int64: StorableInteger {
  public typealias StoredBits = Int64
  @inlinable public static var storedIntegerType: PropertyType { .int64 }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> Int64 { bits(field) }
}

extension Int: StorableInteger {
  public typealias StoredBits = Int64
  @inlinable public static var storedIntegerType: PropertyType { .int64 }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> Int { bits(field) }
}

extension UInt8: StorableInteger {
  public typealias StoredBits = UInt8
  @inlinable public static var storedIntegerType: PropertyType { .uint8 }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> UInt8 { bits(field) }
}

extension UInt16: StorableInteger {
  public typealias StoredBits = UInt16
  @inlinable public static var storedIntegerType: PropertyType { .uint16 }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> UInt16 { bits(field) }
}

extension UInt32: StorableInteger {
  public typealias StoredBits = UInt32
  @inlinable public static var storedIntegerType: PropertyType { .uint32 }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> UInt32 { bits(field) }
}

extension UInt64: StorableInteger {
  public typealias StoredBits = UInt64
  @inlinable public static var storedIntegerType: PropertyType { .uint64 }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> UInt64 { bits(field) }
}

extension UInt: StorableInteger {
  public typealias StoredBits = UInt64
  @inlinable public static var storedIntegerType: PropertyType { .uint64 }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> UInt { bits(field) }
}
