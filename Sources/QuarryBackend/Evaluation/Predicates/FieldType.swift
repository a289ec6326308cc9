/// A value of fixed width that is read from a row's bytes and compared there.
protocol FieldType: BitwiseCopyable, Comparable {
  /// The value at an address inside a row, in the row format's little-endian form.
  static func load(_ address: UnsafeRawPointer) -> Self
}

extension FieldType where Self: FixedWidthInteger {
  @inline(__always)
  static func load(_ address: UnsafeRawPointer) -> Self {
    Self(littleEndian: address.loadUnaligned(as: Self.self))
  }
}

extension Int8: FieldType {}
extension Int16: FieldType {}
extension Int32: FieldType {}
extension Int64: FieldType {}
extension UInt8: FieldType {}
extension UInt16: FieldType {}
extension UInt32: FieldType {}
extension UInt64: FieldType {}

extension Float: FieldType {
  @inline(__always)
  static func load(_ address: UnsafeRawPointer) -> Float {
    Float(bitPattern: UInt32.load(address))
  }
}

extension Double: FieldType {
  @inline(__always)
  static func load(_ address: UnsafeRawPointer) -> Double {
    Double(bitPattern: UInt64.load(address))
  }
}

/// A Bool in a row: false before true.
struct BoolField: FieldType {
  let raw: UInt8

  init(_ value: Bool) {
    raw = value ? 1 : 0
  }

  @inline(__always)
  static func load(_ address: UnsafeRawPointer) -> BoolField {
    BoolField(address.load(as: UInt8.self) != 0)
  }

  @inline(__always)
  static func == (left: BoolField, right: BoolField) -> Bool { left.raw == right.raw }
  @inline(__always)
  static func < (left: BoolField, right: BoolField) -> Bool { left.raw < right.raw }
}

/// A UUID in a row: sixteen bytes, in their order.
struct UUIDField: FieldType {
  private let high: UInt64
  private let low: UInt64

  @inline(__always)
  static func load(_ address: UnsafeRawPointer) -> UUIDField {
    UUIDField(
      high: UInt64(bigEndian: address.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: address.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  @inline(__always)
  static func == (left: UUIDField, right: UUIDField) -> Bool { left.high == right.high && left.low == right.low }
  @inline(__always)
  static func < (left: UUIDField, right: UUIDField) -> Bool {
    left.high == right.high ? left.low < right.low : left.high < right.high
  }
}

/// A comparison that the compiler writes into the loop.
protocol FieldComparison {
  static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool
  /// Whether a slot that is null fulfils it.
  static var holdsOfNull: Bool { get }
}

enum EqualField: FieldComparison {
  @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a == b }
  @inline(__always) static var holdsOfNull: Bool { false }
}
enum NotEqualField: FieldComparison {
  @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a != b }
  @inline(__always) static var holdsOfNull: Bool { true }
}
enum LessField: FieldComparison {
  @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a < b }
  @inline(__always) static var holdsOfNull: Bool { false }
}
enum LessOrEqualField: FieldComparison {
  @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a <= b }
  @inline(__always) static var holdsOfNull: Bool { false }
}
enum GreaterField: FieldComparison {
  @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a > b }
  @inline(__always) static var holdsOfNull: Bool { false }
}
enum GreaterOrEqualField: FieldComparison {
  @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a >= b }
  @inline(__always) static var holdsOfNull: Bool { false }
}
