import Foundation
import QuarryBackend

/// Value trees as JSON text, so that people and other programs can read them.
///
/// A tree has a JSON form when the form gives back exactly the same tree: nil, Bool, integers, finite Doubles (which
/// are written with a point or a power of ten, and integers without), strings, arrays and objects of these. The
/// elements of an array property may besides be of its element type where that is Float (a number), Date (seconds
/// since 2001), UUID, Decimal, URL (strings) or Data (base 64). Whatever else there is (NaN, infinity, a Date inside an
/// object, more than 16 MiB) is stored as the bytes of the tree.
enum NestedJSON {
  static let maximumBytes = 16 << 20

  /// The JSON text of the bytes of a value tree, or nil when it has none.
  ///
  /// - Parameter element: The element type of an array property; nil for nested values.
  static func encode(_ bytes: UnsafeRawBufferPointer, element: PropertyType?) throws(StorageError) -> [UInt8]? {
    guard bytes.count <= maximumBytes else { return nil }
    return encode(try NestedCoding.decode(bytes), element: element)
  }

  static func encode(_ value: Value, element: PropertyType?) -> [UInt8]? {
    var writer = JSONTextWriter()
    if let element, case .array(let elements) = value {
      writer.text.append(UInt8(ascii: "["))
      for (index, value) in elements.enumerated() {
        if index > 0 { writer.text.append(UInt8(ascii: ",")) }
        guard writer.append(value, ofType: element) else { return nil }
      }
      writer.text.append(UInt8(ascii: "]"))
    } else {
      guard writer.append(value) else { return nil }
    }
    return writer.text.count <= maximumBytes ? writer.text : nil
  }

  /// The value tree of a JSON text.
  ///
  /// - Throws: `corrupt` when the text is not JSON or not a value of the type.
  static func decode(_ text: UnsafeRawBufferPointer, element: PropertyType?) throws(StorageError) -> Value {
    var reader = JSONTextReader(text)
    let value = try reader.document()
    guard let element else { return value }
    guard case .array(let elements) = value else { throw JSONTextReader.damaged }
    switch element {
    case .float, .double, .date, .uuid, .decimal, .url, .data:
      var typed: [Value] = []
      typed.reserveCapacity(elements.count)
      for value in elements { typed.append(try Self.typed(value, element)) }
      return .array(typed)
    default: return value
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

/// Writes the JSON form of value trees.
struct JSONTextWriter {
  var text: [UInt8] = []

  private mutating func append(_ string: String) {
    text.append(contentsOf: string.utf8)
  }

  /// Writes an element of an array property.
  ///
  /// - Returns: Whether the value has a JSON form.
  mutating func append(_ value: Value, ofType type: PropertyType) -> Bool {
    switch (type, value) {
    case (_, .null): append("null")
    case (.float, .float(let value)):
      // It is read as a Double first, which must not round it away.
      guard value.isFinite, Double(value.description).map({ Float($0) }) == value else { return false }
      append(value.description)
    case (.date, .date(let value)):
      guard value.timeIntervalSinceReferenceDate.isFinite else { return false }
      append(value.timeIntervalSinceReferenceDate.description)
    case (.uuid, .uuid(let value)): append(quoted: value.uuidString)
    case (.decimal, .decimal(let value)):
      guard let parts = try? DecimalParts(value) else { return false }
      append(quoted: String(decoding: parts.text, as: UTF8.self))
    case (.url, .url(let value)): append(quoted: value.absoluteString)
    case (.data, .data(let value)): append(quoted: value.base64EncodedString())
    case (.float, _), (.date, _), (.uuid, _), (.decimal, _), (.url, _), (.data, _): return false
    // A Double is read from an integer too, so that only a Double may be written where one is expected.
    case (.double, .double): return append(value)
    case (.double, _): return false
    default: return append(value)
    }
    return true
  }

  /// Writes a value whose JSON form says its type.
  ///
  /// - Returns: Whether it has one.
  mutating func append(_ value: Value) -> Bool {
    guard text.count <= NestedJSON.maximumBytes else { return false }
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .int(let value): append(String(value))
    case .uint(let value): append(String(value))
    case .double(let value):
      guard value.isFinite else { return false }
      append(value.description)
    case .string(let value): append(quoted: value)
    case .array(let elements):
      text.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        guard append(element) else { return false }
      }
      text.append(UInt8(ascii: "]"))
    case .object(let members):
      text.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        append(quoted: member.name)
        text.append(UInt8(ascii: ":"))
        guard append(member.value) else { return false }
      }
      text.append(UInt8(ascii: "}"))
    case .float, .date, .data, .uuid, .decimal, .url: return false
    }
    return true
  }

  private mutating func append(quoted string: String) {
    text.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        text.append(UInt8(ascii: "\\"))
        text.append(byte)
      case 0..<0x20:
        append("\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))")
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}
