import Foundation
package import QuarryBackend

/// Values as JSON, and as the text of a cell.
package enum ExactText {
  /// A value as JSON.
  ///
  /// Numbers are written with all their digits. NaN and the infinities, dates, data, UUIDs and URLs are strings, because JSON
  /// has no form for them.
  package static func json(_ value: Value) -> String {
    var bytes: [UInt8] = []
    append(value, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  package static func append(_ value: Value, to bytes: inout [UInt8]) {
    switch value {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool, .int, .uint, .decimal: bytes.append(contentsOf: text(value).utf8)
    case .float(let number) where number.isFinite: bytes.append(contentsOf: number.description.utf8)
    case .double(let number) where number.isFinite: bytes.append(contentsOf: number.description.utf8)
    case .float, .double, .string, .date, .data, .uuid, .url:
      JSONSyntax.append(string: text(value), to: &bytes, .readable)
    case .array(let elements): JSONSyntax.append(array: elements, to: &bytes) { append($0, to: &$1) }
    case .object(let members): JSONSyntax.append(object: members, to: &bytes, .readable) { append($0, to: &$1) }
    }
  }

  /// A value as text: the shortest text of the same number, dates in ISO 8601, data in base64, nested values as JSON. Nil is
  /// empty.
  package static func text(_ value: Value) -> String {
    switch value {
    case .float(let value): SpecialNumber.text(Double(value)) ?? value.description
    case .double(let value): SpecialNumber.text(value) ?? value.description
    case .date(let value): ISO8601Text.exactText(value)
    case .decimal(let value):
      (try? DecimalParts(value)).map { String(decoding: $0.text, as: UTF8.self) } ?? value.description
    case .array, .object: json(value)
    default: value.plainText ?? ""
    }
  }

  /// Appends a string of JSON.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    JSONSyntax.append(string: text, to: &bytes, .readable)
  }
}
