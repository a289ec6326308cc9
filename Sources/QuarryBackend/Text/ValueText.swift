import Foundation

/// Writes constants in the language of predicates.
package enum ValueText {
  /// The constant as it is written in a predicate. Types that no plain literal has are named before a text.
  package static func literal(_ value: Value) -> String {
    switch value {
    case .null: "nil"
    case .bool(let value): value ? "TRUE" : "FALSE"
    case .int(let value): String(value)
    case .uint(let value): String(value)
    case .float(let value): "float '\(special(value) { "0x\(String($0.bitPattern, radix: 16))" })'"
    case .double(let value): number(value)
    case .string(let value): string(value)
    case .date(let value): date(value)
    case .data(let value): "data '\(value.base64EncodedString())'"
    case .uuid(let value): "uuid '\(value.uuidString)'"
    case .decimal(let value): decimal(value)
    case .url(let value): "url \(string(value.absoluteString))"
    case .array(let values): list(values)
    case .object(let members):
      members.isEmpty
        ? "{:}" : "{\(members.map { "\(string($0.name)): \(literal($0.value))" }.joined(separator: ", "))}"
    }
  }

  package static func list(_ values: [Value]) -> String {
    "{\(values.map(literal).joined(separator: ", "))}"
  }

  private static func special<F: BinaryFloatingPoint & CustomStringConvertible>(
    _ value: F, _ bits: (F) -> String
  ) -> String {
    value.isNaN ? bits(value) : value.description
  }

  /// A Double has an exponent, which a decimal has not.
  private static func number(_ value: Double) -> String {
    guard value.isFinite else { return "double '\(special(value) { "0x\(String($0.bitPattern, radix: 16))" })'" }
    let text = value.description
    return text.utf8.contains(UInt8(ascii: "e")) ? text : text + "e0"
  }

  private static func decimal(_ value: Decimal) -> String {
    let parts: DecimalParts
    do throws(StorageError) {
      parts = try DecimalParts(value)
    } catch {
      return "decimal 'nan'"
    }
    let sign = parts.isNegative ? "-" : ""
    guard (-40...20).contains(parts.exponent) else { return "decimal '\(sign)\(parts.mantissa)e\(parts.exponent)'" }
    var digits = String(parts.mantissa)
    guard parts.exponent < 0 else {
      return "\(sign)\(digits)\(parts.mantissa == 0 ? "" : String(repeating: "0", count: parts.exponent)).0"
    }
    let places = -parts.exponent
    if digits.utf8.count <= places { digits = String(repeating: "0", count: places + 1 - digits.utf8.count) + digits }
    return "\(sign)\(digits.dropLast(places)).\(digits.suffix(places))"
  }

  private static func date(_ value: Date) -> String {
    if let text = ISO8601Text.text(value) { return "date '\(text)'" }
    let seconds = value.timeIntervalSinceReferenceDate
    return "date '\(special(seconds) { "0x\(String($0.bitPattern, radix: 16))" })'"
  }

  package static func string(_ value: String) -> String {
    var text = "'"
    for scalar in value.unicodeScalars {
      switch scalar {
      case "'", "\\": text += "\\\(scalar)"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "'"
  }
}
