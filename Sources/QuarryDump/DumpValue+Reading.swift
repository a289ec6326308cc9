import Foundation
import QuarryBackend
import QuarryData

extension DumpValue {
  /// The value of a property's type that a dump has; nil where it is none.
  static func value(_ json: JSONValue, _ type: PropertyType, _ element: PropertyType?) -> Value? {
    switch (json, type) {
    case (.null, _): return .null
    case (_, .nested): return nested(json)
    case (.array(let elements), .array):
      var values: [Value] = []
      values.reserveCapacity(elements.count)
      for json in elements {
        guard let value = element.map({ value(json, $0, nil) }) ?? nested(json) else { return nil }
        values.append(value)
      }
      return .array(values)
    default: return scalar(json, type)
    }
  }

  /// The value of a property that a dump has; nil where it is none. A compound key is the array of its members.
  static func value(_ json: JSONValue, of property: PropertySchema) -> Value? {
    guard let members = property.keyMembers else { return value(json, property.type, property.elementType) }
    if case .null = json { return .null }
    return key(json, members)
  }

  private static func key(_ json: JSONValue, _ members: [KeyMember]) -> Value? {
    guard case .array(let elements) = json, elements.count == members.count else { return nil }
    var values: [Value] = []
    for (element, member) in zip(elements, members) {
      guard let value = member.members.map({ key(element, $0) }) ?? value(element, member.type, nil) else { return nil }
      values.append(value)
    }
    return (try? CompoundKeyBytes.data(values, members)).map(Value.data)
  }

  private static func scalar(_ json: JSONValue, _ type: PropertyType) -> Value? {
    switch (json, type) {
    case (.bool(let value), .bool): .bool(value)
    case (.number(let text), .float): Float(text).flatMap { $0.isFinite ? .float($0) : nil }
    case (.number(let text), .double): Double(text).flatMap { $0.isFinite ? .double($0) : nil }
    case (.number(let text), _):
      if let range = type.integerRange, let value = Int128(text), range.contains(value) {
        Value(integer: value)
      } else {
        nil
      }
    case (.string(let text), .float):
      if let bits = bits(text, after: "NaN:"), let bits = UInt32(exactly: bits) {
        .float(Float(bitPattern: bits))
      } else {
        SpecialNumber.number(text.utf8).map { .float(Float($0)) }
      }
    case (.string(let text), .double):
      bits(text, after: "NaN:").map { .double(Double(bitPattern: $0)) }
        ?? SpecialNumber.number(text.utf8).map(Value.double)
    case (.string(let text), .date):
      bits(text, after: "@:").map { .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: $0))) }
        ?? ISO8601Text.exactDate(text.utf8).map(Value.date)
    case (.string(let text), .decimal): decimal(text)
    case (.string(let text), .string): .string(text)
    case (.string(let text), .data): Data(base64Encoded: text).map(Value.data)
    case (.string(let text), .uuid): UUID(uuidString: text).map(Value.uuid)
    case (.string(let text), .url):
      URL(string: text).flatMap { $0.absoluteString.utf8.elementsEqual(text.utf8) ? .url($0) : nil }
    default: nil
    }
  }

  private static func bits(_ text: String, after prefix: String) -> UInt64? {
    guard text.utf8.starts(with: prefix.utf8) else { return nil }
    return UInt64(String(decoding: text.utf8.dropFirst(prefix.utf8.count), as: UTF8.self), radix: 16)
  }

  private static func decimal(_ text: String) -> Value? {
    var text = text
    return text.withUTF8 { DecimalParts(text: UnsafeRawBufferPointer($0)) }.map { .decimal($0.decimal) }
  }

  private static func nested(_ json: JSONValue) -> Value? {
    switch json {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .string(let text): return .string(text)
    case .number(let text):
      if let value = Int128(text) {
        return value < Int128(Int64.min) || value > Int128(UInt64.max) ? nil : Value(integer: value)
      }
      return Double(text).flatMap { $0.isFinite ? .double($0) : nil }
    case .array(let elements):
      var values: [Value] = []
      values.reserveCapacity(elements.count)
      for element in elements {
        guard let value = nested(element) else { return nil }
        values.append(value)
      }
      return .array(values)
    case .object(let members):
      if members.count == 1, members[0].name.hasDollar, !members[0].name.withoutDollar.hasDollar {
        return PropertyType(name: members[0].name.withoutDollar).flatMap { scalar(members[0].value, $0) }
      }
      var values: [Value.Member] = []
      values.reserveCapacity(members.count)
      for member in members {
        var name = member.name
        if name.hasDollar {
          name = name.withoutDollar
          guard name.hasDollar else { return nil }
        }
        guard let value = nested(member.value) else { return nil }
        values.append(Value.Member(name, value))
      }
      return .object(unordered: values)
    }
  }
}
