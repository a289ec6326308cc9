public import QuarryBackend

/// A type that a property can have.
///
/// The built-in types conform, and optionals and arrays of types that do. An enum with raw values and a Codable type
/// conform by saying so: `enum Genre: String, Storable {…}` is stored as its raw value, `struct Address: Codable,
/// Storable {…}` as a nested value. A type with raw values that is also Codable is stored by its raw value.
///
/// A type with a form of its own implements ``storedType``, ``storedValue()`` and ``init(storedValue:)``.
public protocol Storable: Sendable {
  /// The form in which values are stored.
  static var storedType: StoredType { get }

  /// The value as it is stored.
  ///
  /// - Throws: `invalidValue` for a value that has no stored form, such as `Decimal.nan`.
  func storedValue() throws(StorageError) -> Value

  /// The value that was stored.
  ///
  /// - Parameter storedValue: A value that ``storedValue()`` gave, or another one where the stored data is not of this type.
  /// - Throws: `invalidValue` when it is none of the type's values.
  init(storedValue: Value) throws(StorageError)

  /// Reads the value of a field straight from its row. The default goes through ``init(storedValue:)``.
  ///
  /// - Parameter field: The field, which is valid only inside the call.
  /// - Throws: `corrupt` when the bytes are no stored value; as ``init(storedValue:)``.
  static func read(_ field: FieldReader) throws(StorageError) -> Self

  /// Reads the value of a field that is known to be there and not to be nil. The default is ``read(_:)``.
  ///
  /// - Parameter field: The field, which is valid only inside the call.
  /// - Throws: As ``read(_:)``.
  static func read(present field: FieldReader) throws(StorageError) -> Self

  /// Writes the value straight into its row. The default goes through ``storedValue()``.
  ///
  /// - Parameter field: The place for the value, which is valid only inside the call.
  /// - Throws: As ``storedValue()``; `missingValue` for nil where the property is not optional.
  func write(_ field: FieldWriter) throws(StorageError)

  /// Calls the body with the bytes of the value as a primary key. The default goes through ``storedValue()``.
  ///
  /// - Parameter body: Receives the bytes, which are valid only inside it and are in the order of the values.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body; as ``storedValue()``. `missingValue` for nil, which is no primary key; `unsupported` for a
  ///   type without an order.
  func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R
}

/// The form in which a type's values are stored.
@frozen
public struct StoredType: Sendable, Hashable {
  /// The type of the property; `array` for an array.
  public let type: PropertyType
  /// Whether the value may be nil.
  public let isOptional: Bool
  /// The type of an array's elements.
  public let element: PropertyType?

  /// A form by the type of its property.
  ///
  /// - Parameters:
  ///   - type: The type of the property; `array` for an array.
  ///   - isOptional: Whether the value may be nil.
  ///   - element: The type of an array's elements; nil for other types.
  @inlinable
  public init(_ type: PropertyType, isOptional: Bool = false, element: PropertyType? = nil) {
    self.type = type
    self.isOptional = isOptional
    self.element = element
  }
}

/// Names a type that can be stored, and nothing else. `@Model` and `@Nested` use it to check each property's type.
///
/// The compiler then reports the error at the property.
public enum StoredForm<Stored: Storable> {
  /// The type itself.
  public typealias Value = Stored
}

extension Storable {
  /// Whether the two are one primary key: by the bytes of the key, because Swift's `==` takes composed and decomposed forms
  /// of a character for equal.
  package func isSameKey(as other: Self) throws(StorageError) -> Bool {
    try withKeyBytes { (left) throws(StorageError) in
      try other.withKeyBytes { (right) throws(StorageError) in left.elementsEqual(right) }
    }
  }
}

extension Storable {
  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> Self {
    try Self(storedValue: field.value())
  }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> Self { try read(field) }

  @inlinable
  public func write(_ field: FieldWriter) throws(StorageError) {
    try field.set(storedValue())
  }

  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    let writer = KeyWriter()
    try writer.append(
      storedValue(), type: Self.storedType.type, isOptional: false, isDescending: false, isLast: true)
    return try body(writer.bytes)
  }

  /// The value as the text of a key; nil for a value that cannot be a key.
  @usableFromInline var keyText: String? {
    (try? storedValue()).flatMap { KeyText.text($0, KeyMember.list(of: Self.self)) }
  }

  /// The error for a stored raw value that the type does not have, or no longer has.
  @usableFromInline
  static func unknownRawValue() -> StorageError {
    StorageError(.invalidValue, "the stored raw value is not valid for \(Self.self)")
  }

  /// The error for a stored value that does not belong to the type.
  @usableFromInline
  static func mismatch(_ value: Value) -> StorageError {
    StorageError(.invalidValue, "\(value.kind) is not a value of the type \(Self.self)")
  }
}

extension Storable where Self: RawRepresentable, RawValue: Storable {
  @inlinable public static var storedType: StoredType { RawValue.storedType }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { try rawValue.storedValue() }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard let value = Self(rawValue: try RawValue(storedValue: storedValue)) else { throw Self.unknownRawValue() }
    self = value
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> Self {
    try stored(RawValue.read(field))
  }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> Self {
    try stored(RawValue.read(present: field))
  }

  @inlinable
  static func stored(_ raw: RawValue) throws(StorageError) -> Self {
    guard let value = Self(rawValue: raw) else { throw Self.unknownRawValue() }
    return value
  }

  @inlinable
  public func write(_ field: FieldWriter) throws(StorageError) { try rawValue.write(field) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try rawValue.withKeyBytes(body)
  }
}

extension Storable where Self: Codable {
  @inlinable public static var storedType: StoredType { StoredType(.nested) }

  public func storedValue() throws(StorageError) -> Value { try ValueEncoder().encode(self) }

  public init(storedValue: Value) throws(StorageError) {
    self = try ValueDecoder().decode(Self.self, from: storedValue)
  }
}

// With only the two extensions above, a type that fits both would be ambiguous: its raw value decides.
extension Storable where Self: RawRepresentable & Codable, RawValue: Storable {
  @inlinable public static var storedType: StoredType { RawValue.storedType }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { try rawValue.storedValue() }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    guard let value = Self(rawValue: try RawValue(storedValue: storedValue)) else { throw Self.unknownRawValue() }
    self = value
  }
}
