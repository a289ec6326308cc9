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
    whole = whole.withControlPictures
    isCut = whole.unicodeScalars.count > most
    text = isCut ? String(whole.unicodeScalars.prefix(most)) + "…" : whole
    self.style = style
  }

  /// What the templates use.
  var values: [String: Any] { ["text": text, "style": style] }

  /// A number with a comma before each three digits.
  static func count(_ number: Int) -> String { number.withCommas }

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
