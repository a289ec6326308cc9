import Foundation
import QuarryBackend
import QuarryData
import QuarryInspect

/// A value as a cell or an object page shows it.
struct CellText {
  /// The text, cut where the value is long.
  let text: String
  /// The class of its style.
  let style: String
  /// Whether the text is not all of the value.
  let isCut: Bool

  init(_ value: Value, most: Int) {
    var style = "text"
    var whole: String
    switch value {
    case .null: (whole, style) = ("nil", "nil")
    case .string(let text) where text.isEmpty: (whole, style) = ("empty", "nil")
    // Only as much as is shown: a text may have a megabyte.
    case .string(let text): whole = text.utf8.count > most * 4 ? String(text.unicodeScalars.prefix(most + 1)) : text
    case .bool, .date, .uuid: (whole, style) = (ExactText.text(value), "code")
    // The type says that it is no integer.
    case .float, .double: (whole, style) = (ExactText.text(value).replacingSuffix(".0"), "number")
    case .int, .uint, .decimal: (whole, style) = (ExactText.text(value), "number")
    case .data(let data): (whole, style) = ("\(Self.bytes(data.count)) of data", "nil")
    case .array, .object: (whole, style) = (ExactText.text(value), "code")
    case .url: whole = ExactText.text(value)
    }
    whole = Self.visible(whole)
    isCut = whole.unicodeScalars.count > most
    text = isCut ? String(whole.unicodeScalars.prefix(most)) + "…" : whole
    self.style = style
  }

  /// What the templates use.
  var values: [String: Any] { ["text": text, "style": style] }

  /// A text in which control characters are seen as their pictures. Ends of lines stay.
  static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { isControl($0) }) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x0A, 0x09: result.append(scalar)
      case 0..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "␀")
      case 0x7F: result.append("␡")
      case 0x80..<0xA0: result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 && scalar.value != 0x0A && scalar.value != 0x09 || (0x7F..<0xA0).contains(scalar.value)
  }

  /// A number with a comma before each three digits.
  static func count(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var text = number < 0 ? "-" : ""
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.utf8.count - place) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// `1 object`, `28,298 objects`.
  static func objects(_ number: Int) -> String { "\(count(number)) object\(number == 1 ? "" : "s")" }

  static func bytes(_ number: Int) -> String {
    switch number {
    case ..<10_000: "\(count(number)) byte\(number == 1 ? "" : "s")"
    case ..<10_000_000: "\(count(number / 1_000)) kB"
    default: "\(count(number / 1_000_000)) MB"
    }
  }
}

/// What a template takes for an absent text.
func orFalse(_ text: String?) -> Any { text ?? false }
