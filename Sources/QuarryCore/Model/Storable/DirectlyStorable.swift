public import QuarryBackend

/// A type whose values are read from a checked row without an error: built-in types, optionals and arrays of them.
///
/// ``Frozen`` returns their fields without `try`.
public protocol DirectlyStorable: Storable {
  /// A substitute for a value that cannot be read, which a checked row does not have.
  static var placeholder: Self { get }
}

extension DirectlyStorable {
  /// Reads a field of a row that was checked.
  @inlinable
  static func readChecked(_ field: FieldReader) -> Self {
    do throws(StorageError) {
      return try read(field)
    } catch {
      return placeholder
    }
  }
}

extension Storable {
  /// Reads a field that is nil, or that the row is too old to have.
  @usableFromInline @inline(never)
  static func readAbsent(_ field: FieldReader) throws(StorageError) -> Self {
    let value = try field.value()
    guard !value.isNull || storedType.isOptional else { throw field.missing() }
    return try Self(storedValue: value)
  }
}
