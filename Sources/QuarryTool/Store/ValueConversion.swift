import QuarryBackend
import QuarryData
import QuarryQuery

/// The conversion of a stored value when its property gets another type.
enum ValueConversion {
  /// As ``Value/converted(to:element:)``, and also between text and what has a text: numbers, truth values, dates and the
  /// like. Nil stays nil.
  ///
  /// - Throws: `invalidValue` when the value would be changed.
  static func convert(_ value: Value, to property: PropertySchema) throws(StorageError) -> Value {
    switch value {
    case .string(let text) where property.type.isNumeric || property.type == .bool:
      guard let converted = TextConversion.value(text.utf8, as: property) else {
        throw StorageError(.invalidValue, "\(text.excerpt) cannot be read as \(property.type.name)")
      }
      return converted
    case .null, .string, .array, .object: break
    default:
      if property.type == .string { return .string(ExactText.text(value)) }
    }
    return try value.converted(to: property.type, element: property.elementType)
  }
}
