import Foundation
package import QuarryBackend

/// Value trees as JSON text, so that people and other programs can read them.
///
/// A tree has a JSON form when the form gives back exactly the same tree: nil, Bool, integers, finite Doubles (which
/// are written with a point or a power of ten, and integers without), strings, arrays and objects of these. The
/// elements of an array property may besides be of its element type where that is Float (a number), Date (seconds
/// since 2001), UUID, Decimal, URL (strings) or Data (base 64). Whatever else there is (NaN, infinity, a Date inside an
/// object, more than 16 MiB) is stored as the bytes of the tree.
package enum NestedJSON {
  package static let maximumBytes = 16 << 20

  /// The JSON text of the bytes of a value tree, or nil when it has none.
  ///
  /// - Parameter element: The element type of an array property; nil for nested values.
  package static func encode(_ bytes: UnsafeRawBufferPointer, element: PropertyType?) throws(StorageError) -> [UInt8]? {
    guard bytes.count <= maximumBytes else { return nil }
    return encode(try NestedCoding.decode(bytes), element: element)
  }

  package static func encode(_ value: Value, element: PropertyType?) -> [UInt8]? {
    var text: [UInt8] = []
    do throws(NoJSONForm) {
      if let element, case .array(let elements) = value {
        try JSONSyntax.append(array: elements, to: &text) { value, text throws(NoJSONForm) in
          try append(value, ofType: element, to: &text)
        }
      } else {
        try append(value, to: &text)
      }
    } catch {
      return nil
    }
    return text.count <= maximumBytes ? text : nil
  }

  /// The value tree of a JSON text.
  ///
  /// - Throws: `corrupt` when the text is not JSON or not a value of the type.
  package static func decode(_ text: UnsafeRawBufferPointer, element: PropertyType?) throws(StorageError) -> Value {
    let value = try JSONTextReader.read(text)
    guard let element else { return value }
    guard case .array(let elements) = value else { throw JSONTextReader.damaged }
    switch element {
    case .float, .double, .date, .uuid, .decimal, .url, .data:
      var typed: [Value] = []
      typed.reserveCapacity(elements.count)
      for value in elements { typed.append(try Self.typed(value, element)) }
      return .array(typed)
    default:
      guard elements.allSatisfy({ $0.isNull || $0.isElement(of: element) }) else { throw JSONTextReader.damaged }
      return value
    }
  }

  private static func typed(_ value: Value, _ type: PropertyType) throws(StorageError) -> Value {
    switch (type, value) {
    case (_, .null): return .null
    case (.float, _):
      guard let number = number(value) else { break }
      return .float(Float(number))
    case (.double, _):
      guard let number = number(value) else { break }
      return .double(number)
    case (.date, _):
      guard let number = number(value) else { break }
      return .date(Date(timeIntervalSinceReferenceDate: number))
    case (.uuid, .string(let text)):
      guard let uuid = UUID(uuidString: text) else { break }
      return .uuid(uuid)
    case (.decimal, .string(let text)):
      guard let parts = text.withBytes({ DecimalParts(text: $0) }) else { break }
      return .decimal(parts.decimal)
    case (.url, .string(let text)):
      guard let url = URL(string: text) else { break }
      return .url(url)
    case (.data, .string(let text)):
      guard let data = Data(base64Encoded: text) else { break }
      return .data(data)
    default: break
    }
    throw JSONTextReader.damaged
  }

  private static func number(_ value: Value) -> Double? {
    switch value {
    case .double(let value): value
    case .int(let value): Double(exactly: value)
    default: nil
    }
  }
}

extension Value {
  /// Whether the value may be an element of an array with that type of elements. The elements of inner arrays have no type.
  fileprivate func isElement(of type: PropertyType) -> Bool {
    switch (type, self) {
    case (.string, .string), (.array, .array): true
    case (.nested, _): true
    default: conforms(to: type)
    }
  }
}

/// A value that has no JSON form which gives it back.
private struct NoJSONForm: Error {}

extension NestedJSON {
  /// Writes an element of an array property.
  private static func append(
    _ value: Value, ofType type: PropertyType, to text: inout [UInt8]
  ) throws(NoJSONForm) {
    switch (type, value) {
    case (_, .null): text.append(contentsOf: "null".utf8)
    case (.float, .float(let value)):
      // It is read as a Double first, which must not round it away.
      guard value.isFinite, Double(value.description).map({ Float($0) }) == value else { throw NoJSONForm() }
      text.append(contentsOf: value.description.utf8)
    case (.date, .date(let value)):
      guard value.timeIntervalSinceReferenceDate.isFinite else { throw NoJSONForm() }
      text.append(contentsOf: value.timeIntervalSinceReferenceDate.description.utf8)
    case (.uuid, .uuid(let value)): append(value.uuidString, to: &text)
    case (.decimal, .decimal(let value)):
      guard let parts = try? DecimalParts(value) else { throw NoJSONForm() }
      append(String(decoding: parts.text, as: UTF8.self), to: &text)
    case (.url, .url(let value)): append(value.absoluteString, to: &text)
    case (.data, .data(let value)): append(value.base64EncodedString(), to: &text)
    case (.float, _), (.date, _), (.uuid, _), (.decimal, _), (.url, _), (.data, _): throw NoJSONForm()
    // A Double is read from an integer too, so that only a Double may be written where one is expected.
    case (.double, .double): try append(value, to: &text)
    case (.double, _): throw NoJSONForm()
    default: try append(value, to: &text)
    }
  }

  /// Writes a value whose JSON form says its type.
  private static func append(_ value: Value, to text: inout [UInt8]) throws(NoJSONForm) {
    guard text.count <= maximumBytes else { throw NoJSONForm() }
    switch value {
    case .null: text.append(contentsOf: "null".utf8)
    case .bool(let value): text.append(contentsOf: (value ? "true" : "false").utf8)
    case .int(let value): text.append(contentsOf: String(value).utf8)
    case .uint(let value): text.append(contentsOf: String(value).utf8)
    case .double(let value):
      guard value.isFinite else { throw NoJSONForm() }
      text.append(contentsOf: value.description.utf8)
    case .string(let value): append(value, to: &text)
    case .array(let elements):
      try JSONSyntax.append(array: elements, to: &text) { value, text throws(NoJSONForm) in
        try append(value, to: &text)
      }
    case .object(let members):
      try JSONSyntax.append(object: members, to: &text, .demanded) { value, text throws(NoJSONForm) in
        try append(value, to: &text)
      }
    case .float, .date, .data, .uuid, .decimal, .url: throw NoJSONForm()
    }
  }

  private static func append(_ string: String, to text: inout [UInt8]) {
    JSONSyntax.append(string: string, to: &text, .demanded)
  }
}
