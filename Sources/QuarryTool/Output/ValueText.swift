import Foundation
import QuarryBackend
import QuarryData

/// Values as text: in cells of CSV and of tables.
enum ValueText {
  /// Integers as they are, the shortest text that gives the same Double, dates in ISO 8601, data in base64, nested
  /// values as JSON. Nil is empty.
  static func string(_ value: Value) -> String {
    switch value {
    case .float(let value): SpecialNumber.text(Double(value)) ?? value.description
    case .double(let value): SpecialNumber.text(value) ?? value.description
    case .date(let value): ISO8601Text.exactText(value)
    case .decimal(let value): value.description
    case .array, .object: JSONText.string(value)
    default: value.plainText ?? ""
    }
  }
}
