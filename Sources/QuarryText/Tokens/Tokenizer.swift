public import QuarryBackend

/// Divides texts into words, in the way that texts and queries share.
///
/// Words are the segments of UAX 29, divided further at connectors: the point in `john.smith`, the underscore in `foo_bar`, the
/// apostrophe in `l'amour`. Numbers with points and commas stay whole. docs/text-search.md has the rules (SEARCH-1 to SEARCH-8).
public struct Tokenizer: Sendable {
  /// The version of the rules and tables. Terms of different versions must not be compared.
  public static let version = 1

  /// The version of the Unicode Character Database that the tables were made from.
  public static let unicodeVersion = UnicodeData.version

  /// The language whose stems follow the words; nil for none.
  public let language: SearchLanguage?

  /// Creates a tokenizer.
  ///
  /// - Parameter language: Each word of the letters a to z is followed by its stem in this language (SEARCH-30).
  public init(language: SearchLanguage? = nil) { self.language = language }

  /// The tokens of a text, in the order of their positions.
  ///
  /// - Parameter text: A text in any language.
  /// - Complexity: O(n).
  public func tokens(of text: String) -> [Token] {
    var result: [Token] = []
    forEachToken(of: text) { term, kind, range, position in
      result.append(Token(kind: kind, term: Array(term), range: range, position: position))
      return true
    }
    return result
  }

  /// Calls a closure with each token of a text, in the order of their positions, without an allocation for each.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - body: Receives the folded form, which is valid during the call, the kind, the range in UTF-8 bytes and the
  ///     position. It returns false to end the walk.
  /// - Returns: The number of positions of the tokens that were passed.
  /// - Complexity: O(n) in time, O(1) in memory.
  @discardableResult
  public func forEachToken(
    of text: String,
    _ body: (_ term: UnsafeBufferPointer<UInt8>, _ kind: Token.Kind, _ range: Range<Int>, _ position: UInt32) -> Bool
  ) -> UInt32 {
    var text = text
    return text.withUTF8 { bytes in
      withoutActuallyEscaping(body) { body in
        var walk = TokenWalk(ScalarReader(bytes), language: language, body)
        walk.walk()
        return walk.position
      }
    }
  }
}
