public import QuarryBackend

/// A reference to an object of a model: its primary key, which the store keeps whole.
///
/// ```swift
/// @Model struct Book {
///   let id: UUID
///   var title: String
///   var author: Ref<Author>?
/// }
/// ```
///
/// A property of this type is an ordinary column of the key's type with an index. Every statement checks that an object with the
/// key is stored, else it throws `missingReference`. The property's delete rule decides what happens when that object is removed.
///
/// - SeeAlso: ``Many``, for the other side.
@frozen
public struct Ref<Target: Model>: Sendable {
  /// The primary key of the object.
  public var key: Target.PrimaryKey

  /// A reference to the object with the primary key.
  ///
  /// - Parameter key: The primary key. Whether an object has it is checked when the reference is stored.
  @inlinable
  public init(_ key: Target.PrimaryKey) {
    self.key = key
  }

  /// A reference to the object.
  ///
  /// - Parameter object: The object, of which the reference keeps the primary key alone.
  @inlinable
  public init(_ object: Target) {
    key = object.primaryKeyValue
  }
}

extension Ref: Hashable {}

extension Ref: Encodable where Target.PrimaryKey: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(key)
  }
}

extension Ref: Decodable where Target.PrimaryKey: Decodable {
  public init(from decoder: any Decoder) throws {
    key = try decoder.singleValueContainer().decode(Target.PrimaryKey.self)
  }
}

extension Ref: Storable {
  @inlinable public static var storedType: StoredType { Target.PrimaryKey.storedType }

  @inlinable
  public func storedValue() throws(StorageError) -> Value { try key.storedValue() }

  @inlinable
  public init(storedValue: Value) throws(StorageError) {
    key = try Target.PrimaryKey(storedValue: storedValue)
  }

  @inlinable
  public static func read(_ field: FieldReader) throws(StorageError) -> Ref {
    Ref(try Target.PrimaryKey.read(field))
  }

  @inlinable
  public static func read(present field: FieldReader) throws(StorageError) -> Ref {
    Ref(try Target.PrimaryKey.read(present: field))
  }

  @inlinable
  public func write(_ field: FieldWriter) throws(StorageError) { try key.write(field) }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try key.withKeyBytes(body)
  }
}

/// A type of property that is a reference: ``Ref``, and an optional one.
protocol ReferenceType: SendableMetatype {
  /// The definition of the model that is referred to. Asked late, because models refer to each other.
  static var target: AnyModelDefinition { get }
}

extension Ref: ReferenceType {
  static var target: AnyModelDefinition { Target.anyDefinition }
}

extension Optional: ReferenceType where Wrapped: ReferenceType {
  static var target: AnyModelDefinition { Wrapped.target }
}
