import Foundation
import QuarryBackend

/// The stored form of a constant of a query; nil when it has none. A ``Storable`` type decides its own; of others enums
/// are taken by their raw values and Codable types as value trees.
func storedConstant(_ any: Any) -> Value? {
  switch any {
  case let optional as any OptionalValue:
    guard let wrapped = optional.wrappedValue else { return .null }
    return storedConstant(wrapped)
  case let value as Value: return value
  case let value as Bool: return .bool(value)
  case let value as any FixedWidthInteger: return stored(integer: value)
  case let value as Double: return .double(value)
  case let value as Float: return .float(value)
  case let value as String: return .string(value)
  case let value as Substring: return .string(String(value))
  case let value as Date: return .date(value)
  case let value as Data: return .data(value)
  case let value as UUID: return .uuid(value)
  case let value as Decimal: return value.isNaN ? nil : .decimal(value)
  case let value as URL: return try? .url(Value.storable(value))
  case let value as any StoredArray: return value.storedElements
  case let value as any Storable: return try? value.storedValue()
  case let value as any RawRepresentable: return stored(rawValueOf: value)
  case let value as any Encodable: return stored(tree: value)
  default: return nil
  }
}

private func stored(integer value: some FixedWidthInteger) -> Value? {
  guard Int64(exactly: value) != nil || UInt64(exactly: value) != nil else { return nil }
  return Value(integer: value)
}

private func stored(rawValueOf value: some RawRepresentable) -> Value? {
  storedConstant(value.rawValue)
}

private func stored(tree value: some Encodable) -> Value? {
  try? ValueEncoder().encode(value)
}

/// The collections that are stored as arrays of their elements.
protocol StoredArray {
  /// The elements as a value tree; nil when one cannot be stored.
  var storedElements: Value? { get }
}

extension StoredArray where Self: Sequence {
  var storedElements: Value? {
    var values: [Value] = []
    values.reserveCapacity(underestimatedCount)
    for element in self {
      guard let value = storedConstant(element) else { return nil }
      values.append(value)
    }
    return .array(values)
  }
}

extension Array: StoredArray {}
extension ArraySlice: StoredArray {}
extension ContiguousArray: StoredArray {}

/// Has its elements in the order in which ``ValueEncoder`` writes them.
extension Set: StoredArray {
  var storedElements: Value? {
    (self as? any Encodable).flatMap { stored(tree: $0) }
  }
}

/// Whether the order of a Swift type's values is the order of the stored values. Other types define their own order, which may be
/// any.
func isOrderedAsStored(_ type: Any.Type) -> Bool {
  if type is any FixedWidthInteger.Type { return true }
  let types: [Any.Type] = [Double.self, Float.self, String.self, Date.self, UUID.self, Decimal.self]
  return types.contains { $0 == type }
}
