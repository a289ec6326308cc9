import Foundation
public import QuarryBackend
import QuarryQuery

/// A primary key of several properties, its members.
///
/// `#PrimaryKey<Loan>([\.reader, \.book])` in a struct with `@Model` writes a conformance, `Loan.Key`:
///
/// ```swift
/// let loan = try store.get(Loan.self, .init(reader: 1, book: 2))
/// ```
///
/// Keys are compared by their members in order, as stores compare them. They are stored as bytes with that order.
public protocol CompoundKey: Storable, Hashable, Comparable {
  /// The types of the members, in their order.
  static var memberTypes: [any Storable.Type] { get }

  /// Reads the members in their order.
  ///
  /// - Parameter key: The members, which are valid only inside the call.
  /// - Throws: The errors of ``KeyMemberReader/next(_:)``.
  init(reading key: inout KeyMemberReader) throws(StorageError)

  /// Writes the members in their order.
  ///
  /// - Parameter key: The place for the members.
  /// - Throws: The errors of ``KeyMemberWriter/append(_:)``.
  func write(to key: KeyMemberWriter) throws(StorageError)
}

/// Reads the members of a ``CompoundKey``, each by one call.
public struct KeyMemberReader {
  private var components: KeyComponentReader

  init(_ bytes: UnsafeRawBufferPointer) {
    components = KeyComponentReader(bytes)
  }

  /// The next member.
  ///
  /// - Parameter type: The type of the member.
  /// - Throws: `corrupt` when the bytes are none, `invalidValue` when they are none of the type's values.
  public mutating func next<T: Storable>(_ type: T.Type = T.self) throws(StorageError) -> T {
    try T(storedValue: components.next(T.storedType.type))
  }

  func end() throws(StorageError) { try components.end() }
}

/// Writes the members of a ``CompoundKey``, each by one call.
public struct KeyMemberWriter {
  @usableFromInline let bytes: UnsafeMutablePointer<KeyMemberBytes>

  @inlinable
  init(_ bytes: UnsafeMutablePointer<KeyMemberBytes>) {
    self.bytes = bytes
  }

  /// Writes the next member.
  ///
  /// - Parameter member: A value of the member's type.
  /// - Throws: `invalidValue` for a value that has no stored form; `missingValue` for nil.
  @inlinable
  public func append(_ member: some Storable) throws(StorageError) {
    // The bytes of the member as a key of its own. Only a text or data needs an end.
    switch type(of: member).storedType.type {
    case .string, .url, .data: try member.withKeyBytes { bytes.pointee.append(terminated: $0) }
    default: try member.withKeyBytes { bytes.pointee.append($0) }
    }
  }
}

extension CompoundKey {
  public static var storedType: StoredType { StoredType(.data) }

  public func storedValue() throws(StorageError) -> Value { try storedBytes() }

  public init(storedValue: Value) throws(StorageError) { self = try Self.stored(storedValue) }

  public static func read(_ field: FieldReader) throws(StorageError) -> Self {
    guard field.isPresent else { return try readAbsent(field) }
    return try read(present: field)
  }

  public static func read(present field: FieldReader) throws(StorageError) -> Self {
    try Self(keyBytes: field.row.bytes(field.slot))
  }

  public func write(_ field: FieldWriter) throws(StorageError) {
    try withKeyBytes { field.set(bytes: $0) }
  }

  @inlinable
  public func withKeyBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    // On the stack: most keys take no allocation.
    var room = SIMD16<UInt64>()
    return try Swift.withUnsafeMutableBytes(of: &room) { (room) throws(StorageError) -> R in
      var bytes = KeyMemberBytes(lent: room)
      defer { bytes.giveBack() }
      return try withUnsafeMutablePointer(to: &bytes) { (bytes) throws(StorageError) -> R in
        try write(to: KeyMemberWriter(bytes))
        return try body(bytes.pointee.bytes)
      }
    }
  }

  /// Whether all members are the same, as a store compares them. Two keys with a value that cannot be stored are equal.
  public static func == (left: Self, right: Self) -> Bool { left.order(to: right) == 0 }

  /// Whether the first member that differs is less, as a store compares it.
  public static func < (left: Self, right: Self) -> Bool { left.order(to: right) < 0 }

  public func hash(into hasher: inout Hasher) {
    do throws(StorageError) {
      try withKeyBytes { hasher.combine(bytes: $0) }
    } catch {
      // Keys without a stored form are equal.
    }
  }

  /// Negative, zero or positive as the key comes before, is equal to, or comes after the other. One without a stored form comes first.
  private func order(to other: Self) -> Int {
    do throws(StorageError) {
      return try withKeyBytes { (left) throws(StorageError) in
        do throws(StorageError) { return try other.withKeyBytes { left.compare($0) } } catch { return 1 }
      }
    } catch {
      do throws(StorageError) { return try other.withKeyBytes { _ in -1 } } catch { return 0 }
    }
  }

  init(keyBytes: UnsafeRawBufferPointer) throws(StorageError) {
    var reader = KeyMemberReader(keyBytes)
    self = try Self(reading: &reader)
    try reader.end()
  }

  private func storedBytes() throws(StorageError) -> Value { try withKeyBytes { .data(Data($0)) } }

  /// The key of its bytes, or of the array of its members that a record has.
  private static func stored(_ value: Value) throws(StorageError) -> Self {
    var value = value
    if case .array(let values) = value, let members = KeyMember.list(of: Self.self) {
      value = try PropertySchema.key(values, members)
    }
    guard case .data(let data) = value else { throw mismatch(value) }
    return try Array(data).withBytes { (bytes) throws(StorageError) in try Self(keyBytes: bytes) }
  }
}

// A key that a program also makes Codable fits two extensions: it stays a key.
extension CompoundKey where Self: Codable {
  public static var storedType: StoredType { StoredType(.data) }

  public func storedValue() throws(StorageError) -> Value { try storedBytes() }

  public init(storedValue: Value) throws(StorageError) { self = try Self.stored(storedValue) }
}

extension KeyMember {
  /// The members of a compound key, by its type or that of a reference to an object with one; nil for any other type.
  static func list(of type: any Storable.Type) -> [KeyMember]? {
    if let type = type as? any CompoundKey.Type {
      return type.memberTypes.map { KeyMember($0.storedType.type, members: list(of: $0)) }
    }
    return (type as? any ReferenceType.Type)?.target.primaryKeyMembers
  }
}
