public import Foundation
public import QuarryBackend

extension Bool: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.bool) }
  @inlinable public static var placeholder: Bool { false }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { .bool(self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard case .bool(let value) = storedValue else { throw Self.mismatch(storedValue) }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> Bool {
    guard field.isPresent else { return try readAbsent(field) }
    return try read(present: field)
  }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> Bool {
    field.row.load(field.slot, as: UInt8.self) != 0
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.set(fixed: (self ? 1 : 0) as UInt8) }
}

extension String: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.string) }
  @inlinable public static var placeholder: String { "" }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { .string(self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard case .string(let value) = storedValue else { throw Self.mismatch(storedValue) }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> String {
    guard field.isPresent else { return try readAbsent(field) }
    return try read(present: field)
  }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> String {
    try field.row.string(field.slot)
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.set(string: self) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try withBytes(body)
  }
}

extension Date: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.date) }
  @inlinable public static var placeholder: Date { Date(timeIntervalSinceReferenceDate: 0) }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { .date(self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard case .date(let value) = storedValue else { throw Self.mismatch(storedValue) }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> Date {
    guard field.isPresent else { return try readAbsent(field) }
    return try read(present: field)
  }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> Date {
    Date(timeIntervalSinceReferenceDate: field.row.double(field.slot))
  }

  @inlinable
  public func write(_ field: FieldWriter) {
    field.set(fixed: timeIntervalSinceReferenceDate.bitPattern.littleEndian)
  }
}

extension UUID: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.uuid) }
  @inlinable public static var placeholder: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { .uuid(self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard case .uuid(let value) = storedValue else { throw Self.mismatch(storedValue) }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> UUID {
    guard field.isPresent else { return try readAbsent(field) }
    return try read(present: field)
  }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> UUID {
    UUID(uuid: field.row.load(field.slot, as: uuid_t.self))
  }

  @inlinable
  public func write(_ field: FieldWriter) { field.set(fixed: uuid) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try Swift.withUnsafeBytes(of: uuid, body)
  }
}

extension Data: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.data) }
  @inlinable public static var placeholder: Data { Data() }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { .data(self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard case .data(let value) = storedValue else { throw Self.mismatch(storedValue) }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> Data {
    guard field.isPresent else { return try readAbsent(field) }
    return try read(present: field)
  }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> Data {
    Data(try field.row.bytes(field.slot))
  }

  @inlinable
  public func write(_ field: FieldWriter) {
    withUnsafeBytes { field.set(bytes: $0) }
  }
}

extension Decimal: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.decimal) }
  @inlinable public static var placeholder: Decimal { 0 }

  @inlinable
  public func storedValue() throws(StorageError) -> Value {
    guard !isNaN else { throw Self.mismatchNaN() }
    return .decimal(self)
  }

  @usableFromInline
  static func mismatchNaN() -> StorageError { .decimalIsNotANumber }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard case .decimal(let value) = storedValue else { throw Self.mismatch(storedValue) }
    self = value
  }
}

extension URL: DirectlyStorable {
  @inlinable public static var storedType: StoredType { StoredType(.url) }
  public static var placeholder: URL { URL(fileURLWithPath: "/") }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { .url(self) }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard case .url(let value) = storedValue else { throw Self.mismatch(storedValue) }
    self = value
  }
}

extension Optional: Storable where Wrapped: Storable {
  @inlinable public static var storedType: StoredType {
    StoredType(Wrapped.storedType.type, isOptional: true, element: Wrapped.storedType.element)
  }

  @inlinable
  public func storedValue() throws(StorageError) -> Value {
    switch self {
    case .none: .null
    case .some(let value): try value.storedValue()
    }
  }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    self = storedValue.isNull ? .none : .some(try Wrapped(storedValue: storedValue))
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> Wrapped? {
    if field.isPresent { return try Wrapped.read(present: field) }
    if !field.row.isAbsent(field.slot) { return nil }
    return try Wrapped?(storedValue: field.value())
  }

  @inlinable
  public func write(_ field: FieldWriter) throws(StorageError) {
    if case .some(let value) = self { try value.write(field) }
  }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    guard case .some(let value) = self else { throw StorageError(.missingValue, "a primary key is never nil") }
    return try value.withKeyBytes(body)
  }
}

extension Optional: DirectlyStorable where Wrapped: DirectlyStorable {
  @inlinable public static var placeholder: Wrapped? { nil }
}

extension Array: Storable where Element: Storable {
  @inlinable public static var storedType: StoredType { StoredType(.array, element: Element.storedType.type) }

  public func storedValue() throws(StorageError) -> Value {
    var elements: [Value] = []
    elements.reserveCapacity(count)
    for element in self { elements.append(try element.storedValue()) }
    return .array(elements)
  }

  public init(storedValue: Value) throws(StorageError) {
    guard case .array(let values) = storedValue else { throw Self.mismatch(storedValue) }
    self = []
    reserveCapacity(values.count)
    for (index, value) in values.enumerated() {
      do throws(StorageError) {
        append(try Element(storedValue: value))
      } catch {
        throw error.at("[\(index)]")
      }
    }
  }
}

extension Array: DirectlyStorable where Element: DirectlyStorable {
  @inlinable public static var placeholder: [Element] { [] }
}
