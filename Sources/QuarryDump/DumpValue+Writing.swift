import Foundation
import QuarryBackend

/// Values in a dump, each exactly: `docs/formats/dump.md`.
enum DumpValue {
  /// Writes a value of a property's type.
  static func append(
    _ value: Value, _ type: PropertyType, _ element: PropertyType?, to bytes: inout [UInt8]
  ) throws(StorageError) {
    switch (value, type) {
    case (_, .nested): try append(nested: value, to: &bytes)
    case (.array(let elements), .array):
      try JSONSyntax.append(array: elements, to: &bytes) { value, bytes throws(StorageError) in
        if let element { try append(value, element, nil, to: &bytes) } else { try append(nested: value, to: &bytes) }
      }
    default: try append(scalar: value, to: &bytes)
    }
  }

  /// Writes a value of a property. A compound key is the array of its members.
  static func append(_ value: Value, of property: PropertySchema, to bytes: inout [UInt8]) throws(StorageError) {
    guard let members = property.keyMembers, !value.isNull else {
      return try append(value, property.type, property.elementType, to: &bytes)
    }
    try append(key: value, members, to: &bytes)
  }

  private static func append(
    key: Value, _ members: [KeyMember], to bytes: inout [UInt8]
  ) throws(StorageError) {
    guard case .array(let values) = key, values.count == members.count else {
      throw StorageError(.corrupt, "the value is not the members of a compound key")
    }
    try JSONSyntax.append(array: Array(zip(values, members)), to: &bytes) { (part, bytes) throws(StorageError) in
      if let inner = part.1.members {
        try append(key: part.0, inner, to: &bytes)
      } else {
        try append(part.0, part.1.type, nil, to: &bytes)
      }
    }
  }

  /// Writes a value whose type is known from elsewhere.
  private static func append(scalar value: Value, to bytes: inout [UInt8]) throws(StorageError) {
    switch value {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
    case .int(let value): bytes.append(contentsOf: value.description.utf8)
    case .uint(let value): bytes.append(contentsOf: value.description.utf8)
    case .float(let value):
      let bits = value.isNaN && value.bitPattern != Float.nan.bitPattern ? UInt64(value.bitPattern) : nil
      append(number: value.description, SpecialNumber.text(Double(value)), bits, to: &bytes)
    case .double(let value):
      let bits = value.isNaN && value.bitPattern != Double.nan.bitPattern ? value.bitPattern : nil
      append(number: value.description, SpecialNumber.text(value), bits, to: &bytes)
    case .array, .object: throw StorageError(.corrupt, "\(value.kind) where its type has none")
    default: append(text: try text(value), to: &bytes)
    }
  }

  /// A finite number as it is; numbers that JSON lacks as texts, and a NaN of unusual bits with its bits.
  private static func append(number: String, _ special: String?, _ bits: UInt64?, to bytes: inout [UInt8]) {
    guard let special else { return bytes.append(contentsOf: number.utf8) }
    append(text: special + (bits.map { ":\(String($0, radix: 16))" } ?? ""), to: &bytes)
  }

  private static func append(text: String, to bytes: inout [UInt8]) {
    JSONSyntax.append(string: text, to: &bytes, .demanded)
  }

  /// The text of a value that is written as one.
  private static func text(_ value: Value) throws(StorageError) -> String {
    switch value {
    case .date(let date):
      let bits = date.timeIntervalSinceReferenceDate.bitPattern
      let text = ISO8601Text.exactText(date)
      if let read = ISO8601Text.exactDate(text.utf8), read.timeIntervalSinceReferenceDate.bitPattern == bits {
        return text
      }
      return "@:\(String(bits, radix: 16))"
    case .data(let data): return data.base64EncodedString()
    case .decimal(let decimal): return String(decoding: try DecimalParts(decimal).text, as: UTF8.self)
    case .string(let text): return text
    case .uuid(let uuid): return uuid.uuidString
    case .url(let url): return url.absoluteString
    default: throw StorageError(.corrupt, "\(value.kind) where its type has none")
    }
  }

  // MARK: Nested values

  /// Writes a value with its type: a value that JSON has as it is, every other value as an object of one member.
  private static func append(nested value: Value, to bytes: inout [UInt8]) throws(StorageError) {
    switch value {
    case .null, .bool, .int, .uint: try append(scalar: value, to: &bytes)
    case .double(let number) where number.isFinite: try append(scalar: value, to: &bytes)
    case .string(let text): append(text: text, to: &bytes)
    case .array(let elements):
      try JSONSyntax.append(array: elements, to: &bytes) { value, bytes throws(StorageError) in
        try append(nested: value, to: &bytes)
      }
    case .object(let members):
      let escaped = members.map { Value.Member($0.name.hasDollar ? "$" + $0.name : $0.name, $0.value) }
      try JSONSyntax.append(object: escaped, to: &bytes, .demanded) { value, bytes throws(StorageError) in
        try append(nested: value, to: &bytes)
      }
    case .double: try append(tagged: value, .double, to: &bytes)
    case .float: try append(tagged: value, .float, to: &bytes)
    case .date: try append(tagged: value, .date, to: &bytes)
    case .data: try append(tagged: value, .data, to: &bytes)
    case .uuid: try append(tagged: value, .uuid, to: &bytes)
    case .decimal: try append(tagged: value, .decimal, to: &bytes)
    case .url: try append(tagged: value, .url, to: &bytes)
    }
  }

  private static func append(
    tagged value: Value, _ type: PropertyType, to bytes: inout [UInt8]
  ) throws(StorageError) {
    bytes.append(contentsOf: "{\"$\(type.name)\":".utf8)
    try append(scalar: value, to: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }
}

extension String {
  /// Whether it begins as the names do that tell a type.
  var hasDollar: Bool { utf8.first == UInt8(ascii: "$") }
  /// The name without its first byte.
  var withoutDollar: String { String(decoding: utf8.dropFirst(), as: UTF8.self) }
}
