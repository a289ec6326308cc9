extension SearchQuery {
  /// Of a typed text this many bytes count, up to the last whole scalar.
  public static let maximumTypedLength = 65_536
  /// Of a typed text this many words count, in phrases too.
  public static let maximumTypedWords = 128

  /// Creates a query from the text that a user typed into a search field. No text is an error.
  ///
  /// | typed | finds |
  /// |---|---|
  /// | `swift storage` | texts with both words |
  /// | `"unit of work"` | texts with the phrase; an unclosed quote ends with the text |
  /// | `conc*` | texts with a word that begins so |
  /// | `-java`, `-"go on"` | texts without the word or phrase |
  ///
  /// Punctuation around words has no effect. A text without a word finds nothing (``isEmpty``).
  ///
  /// - Parameter text: The text as it was typed; bytes after ``maximumTypedLength`` are ignored.
  /// - Complexity: O(n), for at most ``maximumTypedLength`` bytes.
  public init(typed text: String) {
    var reader = TypedReader(text)
    var parts: [SearchQuery] = []
    while let part = reader.next() { parts.append(part) }
    self = parts.isEmpty ? .any([]) : parts.count == 1 ? parts[0] : .all(parts)
  }
}

/// Reads the words, phrases and prefixes of a typed text.
private struct TypedReader {
  private let scalars: [Unicode.Scalar]
  private var place = 0
  /// The parts so far by their terms: the same part counts once.
  private var known = Set<[UInt8]>()
  /// The number of words that still count.
  private var rest = SearchQuery.maximumTypedWords

  init(_ text: String) {
    var length = 0
    var scalars: [Unicode.Scalar] = []
    for scalar in text.unicodeScalars {
      length += UTF8.width(scalar)
      if length > SearchQuery.maximumTypedLength { break }
      scalars.append(scalar)
    }
    self.scalars = scalars
  }

  private func scalar(_ place: Int) -> Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

  /// Straight quotes, and those that keyboards of phones make of them.
  private static func isQuote(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\"" || scalar == "\u{201C}" || scalar == "\u{201D}" || scalar == "\u{201E}"
  }

  /// The next part with a word in it that was not typed before.
  mutating func next() -> SearchQuery? {
    while place < scalars.count, rest > 0 {
      while let scalar = scalar(place), scalar.properties.isWhitespace { place += 1 }
      var isNegated = false
      while let scalar = scalar(place), scalar == "-" {
        isNegated = true
        place += 1
      }
      guard let first = scalar(place) else { return nil }
      let text: String
      if Self.isQuote(first) {
        place += 1
        text = take { Self.isQuote($0) }
        place += 1
      } else {
        text = take { $0.properties.isWhitespace }
      }
      var isPrefix = false
      if Self.isQuote(first) {
        if scalar(place) == "*" {
          isPrefix = true
          place += 1
        }
      } else if text.unicodeScalars.last == "*" {
        isPrefix = true
      }
      guard let (words, terms) = words(text, isPrefix: &isPrefix),
        known.insert(terms + [isPrefix ? 1 : 0, isNegated ? 1 : 0]).inserted
      else { continue }
      let part: SearchQuery = isPrefix ? .prefix(words) : .phrase(words)
      return isNegated ? .not(part) : part
    }
    return nil
  }

  /// The scalars up to one that ends them.
  private mutating func take(until isEnd: (Unicode.Scalar) -> Bool) -> String {
    var text = String.UnicodeScalarView()
    while let scalar = scalar(place), !isEnd(scalar) {
      text.append(scalar)
      place += 1
    }
    return String(text)
  }

  /// The text from its first word to its last, and its terms; nil without a word.
  ///
  /// - Parameter isPrefix: Stays true where only asterisks follow the last word.
  private mutating func words(_ text: String, isPrefix: inout Bool) -> (text: String, terms: [UInt8])? {
    var range: Range<Int>?
    var terms: [UInt8] = []
    var count = 0
    Tokenizer().forEachToken(of: text) { term, _, token, position in
      guard position < rest else { return false }
      count = Int(position) + 1
      terms.append(contentsOf: term)
      // No UTF-8 has this byte.
      terms.append(0xFF)
      range = (range?.lowerBound ?? token.lowerBound)..<max(range?.upperBound ?? 0, token.upperBound)
      return true
    }
    guard let range else { return nil }
    rest -= count
    let utf8 = text.utf8
    let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
    let end = utf8.index(utf8.startIndex, offsetBy: range.upperBound)
    if text[end...].unicodeScalars.contains(where: { $0 != "*" }) { isPrefix = false }
    return (String(text[start..<end]), terms)
  }
}
