import Foundation
import QuarryBackend

/// What the contract says of text in conditions.
enum ReferenceText {
  static func matches(_ value: Value, _ operation: TextOperator, _ needle: String, _ options: TextOptions) -> Bool {
    let text: String
    switch value {
    case .string(let string): text = string
    case .url(let url): text = url.absoluteString
    default: return false
    }
    let (left, right) = (folded(text, options), folded(needle, options))
    let (bytes, part) = (Array(left.utf8), Array(right.utf8))
    return switch operation {
    case .equal: bytes == part
    case .hasPrefix: bytes.starts(with: part)
    case .hasSuffix: bytes.reversed().starts(with: part.reversed())
    case .contains: (0...bytes.count).contains { bytes[$0...].starts(with: part) }
    case .like: isLike(Array(left.unicodeScalars)[...], Array(right.unicodeScalars)[...])
    }
  }

  static func folded(_ text: String, _ options: TextOptions) -> String {
    var folding: String.CompareOptions = []
    if options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
    if options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
    guard !folding.isEmpty else { return text }
    return foldings.answer(Folding(text: ByteString(text), options: options.rawValue)) {
      text.folding(options: folding, locale: nil)
    }
  }

  private struct Folding: Hashable {
    let text: ByteString
    let options: TextOptions.RawValue
  }

  private static let foldings = Memo<Folding, String>()

  private static func isLike(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case "*": return (text.startIndex...text.endIndex).contains { isLike(text[$0...], rest) }
    case "?": return !text.isEmpty && isLike(text.dropFirst(), rest)
    case "\\":
      guard let literal = rest.first else { return text.count == 1 && text.first == "\\" }
      return text.first == literal && isLike(text.dropFirst(), rest.dropFirst())
    default: return text.first == first && isLike(text.dropFirst(), rest)
    }
  }
}
