import Foundation

extension Value {
  /// The text of a value of a type that has one text only; nil for nil and for floating point, dates, decimals and
  /// nested values, whose text depends on what it is for.
  package var plainText: String? {
    switch self {
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .uint(let value): String(value)
    case .string(let value): value
    case .data(let value): value.base64EncodedString()
    case .uuid(let value): value.uuidString
    case .url(let value): value.absoluteString
    case .null, .float, .double, .date, .decimal, .array, .object: nil
    }
  }
}
