extension Value {
  /// Whether the value can be stored in the property as it is: exactly its type, in range, nil only where it may be.
  ///
  /// - Parameter property: The property as the schema has it.
  public func conforms(to property: PropertySchema) -> Bool {
    isNull ? property.isOptional : conforms(to: property.type, element: property.elementType)
  }

  /// Whether the value is exactly of that type and can be stored. Nil is of no type.
  ///
  /// - Parameter element: The type of an array's elements; elements may be nil.
  public func conforms(to type: PropertyType, element: PropertyType? = nil) -> Bool {
    switch (type, self) {
    case (.bool, .bool), (.float, .float), (.double, .double), (.string, .string), (.date, .date), (.data, .data),
      (.uuid, .uuid), (.url, .url):
      return true
    case (.decimal, .decimal):
      return isStorable
    case (.nested, _):
      return !isNull && isStorable
    case (.array, .array(let values)):
      return isStorable
        && values.allSatisfy { value in
          guard let element, !value.isNull else { return true }
          guard element == .array else { return value.conforms(to: element) }
          // The types of the elements of inner arrays are not known.
          if case .array = value { return true }
          return false
        }
    default:
      guard let range = type.integerRange, let integer else { return false }
      return range.contains(integer)
    }
  }

  /// Whether the value can be part of a value tree: not too deep, no decimal without a number in it.
  private var isStorable: Bool {
    do throws(StorageError) {
      _ = try NestedCoding.encode(self)
      return true
    } catch {
      return false
    }
  }
}
