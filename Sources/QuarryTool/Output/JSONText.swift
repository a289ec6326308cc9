import QuarryBackend

/// Values as JSON.
enum JSONText {
  static func string(_ value: Value) -> String {
    var bytes: [UInt8] = []
    append(value, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Numbers are written with all their digits, so that integers up to 64 bits and decimals are exact for readers that
  /// keep them. NaN and the infinities, dates, data, UUIDs and URLs are strings, because JSON has no form for them.
  static func append(_ value: Value, to bytes: inout [UInt8]) {
    switch value {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool, .int, .uint, .decimal: bytes.append(contentsOf: ValueText.string(value).utf8)
    case .float(let number) where number.isFinite: bytes.append(contentsOf: number.description.utf8)
    case .double(let number) where number.isFinite: bytes.append(contentsOf: number.description.utf8)
    case .float, .double, .string, .date, .data, .uuid, .url: append(ValueText.string(value), to: &bytes)
    case .array(let elements): JSONSyntax.append(array: elements, to: &bytes) { append($0, to: &$1) }
    case .object(let members): JSONSyntax.append(object: members, to: &bytes, .readable) { append($0, to: &$1) }
    }
  }

  static func append(_ text: String, to bytes: inout [UInt8]) {
    JSONSyntax.append(string: text, to: &bytes, .readable)
  }
}
