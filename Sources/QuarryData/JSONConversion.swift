import QuarryBackend

/// A JSON value to a value of a property's type.
enum JSONConversion {
  /// - Returns: nil where the value is not of the type; `.null` for null, whatever the type.
  static func value(_ json: JSONValue, as property: PropertySchema) -> Value? {
    switch (json, property.type) {
    case (.null, _): return .null
    case (_, .nested): return tree(json)
    case (.array(let elements), .array):
      guard let element = property.elementType else { return tree(json) }
      let schema = PropertySchema(name: property.name, type: element)
      var values: [Value] = []
      values.reserveCapacity(elements.count)
      for json in elements {
        guard let value = value(json, as: schema) else { return nil }
        values.append(value)
      }
      return .array(values)
    case (.array, .data): return property.keyMembers.flatMap { key(json, $0) }
    case (.bool(let value), .bool): return .bool(value)
    case (.number(let text), let type) where type.isNumeric: return TextConversion.number(text.utf8, as: type)
    // Values that JSON has no form for are written as strings.
    case (.string(let text), .float), (.string(let text), .double):
      guard SpecialNumber.number(text.utf8) != nil else { return nil }
      return TextConversion.number(text.utf8, as: property.type)
    case (.string(let text), .decimal): return TextConversion.number(text.utf8, as: .decimal)
    case (.string(let text), .string): return .string(text)
    case (.string(let text), .date), (.string(let text), .uuid), (.string(let text), .data), (.string(let text), .url):
      return TextConversion.value(text.utf8, as: property)
    default: return nil
    }
  }

  /// The bytes of a compound key, which is an array of its members. A member may also be the text of a key.
  static func key(_ json: JSONValue, _ members: [KeyMember]) -> Value? {
    guard case .array(let elements) = json, elements.count == members.count else { return nil }
    var values: [Value] = []
    for (element, member) in zip(elements, members) {
      let property = PropertySchema(name: KeyMember.propertyName, type: member.type, keyMembers: member.members)
      var value = value(element, as: property)
      if value == nil, case .string(let text) = element { value = TextConversion.value(text.utf8, as: property) }
      guard let value, !value.isNull else { return nil }
      values.append(value)
    }
    return (try? CompoundKeyBytes.data(values, members)).map(Value.data)
  }

  /// A nested value, whose numbers get the type that their text requires.
  static func tree(_ json: JSONValue) -> Value? {
    switch json {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .string(let text): return .string(text)
    case .number(let text): return numberType(text).flatMap { TextConversion.number(text.utf8, as: $0) }
    case .array(let elements):
      var values: [Value] = []
      values.reserveCapacity(elements.count)
      for element in elements {
        guard let value = tree(element) else { return nil }
        values.append(value)
      }
      return .array(values)
    case .object(let members):
      var values: [Value.Member] = []
      values.reserveCapacity(members.count)
      for member in members {
        guard let value = tree(member.value) else { return nil }
        values.append(Value.Member(member.name, value))
      }
      return .object(unordered: values)
    }
  }

  /// The first number, here or further in, that no type can hold.
  static func numberWithoutType(in json: JSONValue) -> String? {
    switch json {
    case .number(let text): return hasType(text) ? nil : text
    case .array(let elements):
      for element in elements {
        if let number = numberWithoutType(in: element) { return number }
      }
    case .object(let members):
      for member in members {
        if let number = numberWithoutType(in: member.value) { return number }
      }
    case .null, .bool, .string: break
    }
    return nil
  }

  private static func hasType(_ number: String) -> Bool {
    // A Double carries seventeen digits.
    let isShort = number.utf8.count <= 17 && !number.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") }
    return isShort || numberType(number) != nil
  }

  /// The type that the text of the number requires.
  private static func numberType(_ number: String) -> PropertyType? {
    guard let form = NumberForm(number.utf8) else { return nil }
    var inference = NumberInference()
    inference.add(form, number.utf8)
    return inference.type
  }
}
