import Foundation

extension Value {
  /// Whether the value can be stored in the property as it is: exactly its type, in range, nil only where it may be.
  public func conforms(to property: PropertySchema) -> Bool {
    isNull ? property.isOptional : conforms(to: property.type, element: property.elementType)
  }

  /// Whether the value is exactly of that type. Nil is of no type.
  ///
  /// - Parameter element: The type of an array's elements; elements may be nil.
  public func conforms(to type: PropertyType, element: PropertyType? = nil) -> Bool {
    switch (type, self) {
    case (.bool, .bool), (.float, .float), (.double, .double), (.string, .string), (.date, .date), (.data, .data),
      (.uuid, .uuid), (.url, .url):
      return true
    case (.decimal, .decimal(let value)):
      return !value.isNaN
    case (.nested, _):
      return !isNull && isStorable
    case (.array, .array(let values)):
      return values.allSatisfy { value in
        guard let element, !value.isNull else { return true }
        guard element == .array else { return value.conforms(to: element) }
        // What the elements of inner arrays are is not known.
        if case .array = value { return value.isStorable }
        return false
      }
    default:
      guard let range = type.integerRange, let integer else { return false }
      return range.contains(integer)
    }
  }

  /// Whether every part of a value tree can be stored: there is no NaN among decimals.
  private var isStorable: Bool {
    // A list of what is left to do instead of recursion: a deep tree must not use up the stack.
    var rest = [self]
    while let value = rest.popLast() {
      switch value {
      case .decimal(let decimal) where decimal.isNaN: return false
      case .array(let values): rest.append(contentsOf: values)
      case .object(let members): rest.append(contentsOf: members.lazy.map(\.value))
      default: break
      }
    }
    return true
  }
}
