import Foundation
import QuarryBackend
import QuarryData

/// Values as text: in cells of CSV and of tables.
enum ValueText {
  /// Integers as they are, the shortest text that gives the same Double, dates in ISO 8601, data in base64, nested
  /// values as JSON. Nil is empty.
  static func string(_ value: Value) -> String {
    switch value {
    case .null: ""
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .uint(let value): String(value)
    case .float(let value): special(Double(value)) ?? value.description
    case .double(let value): special(value) ?? value.description
    case .string(let value): value
    case .date(let value): DateText.string(value)
    case .data(let value): value.base64EncodedString()
    case .uuid(let value): value.uuidString
    case .decimal(let value): value.description
    case .url(let value): value.absoluteString
    case .array, .object: JSONText.string(value)
    }
  }

  /// NaN and the infinities as an import reads them.
  static func special(_ value: Double) -> String? {
    if value.isFinite { return nil }
    if value.isNaN { return "NaN" }
    return value < 0 ? "-Infinity" : "Infinity"
  }
}
