package import QuarryBackend

/// The terms that a search looks for in texts of one language, each once.
package struct SearchTerms: Sendable {
  let patterns: [TextSearch.Pattern]
  let tokenizer: Tokenizer

  /// - Parameters:
  ///   - patterns: The terms as they are written.
  ///   - language: The language by whose stems whole words are compared; nil for none. A beginning is compared as it is written.
  init(_ patterns: [TextSearch.Pattern], in language: SearchLanguage?) {
    tokenizer = Tokenizer(language: language)
    guard let language else {
      self.patterns = patterns
      return
    }
    self.patterns = patterns.map { pattern in
      guard !pattern.isPrefix, let stem = language.stem(of: pattern.term) else { return pattern }
      return TextSearch.Pattern(term: stem, isPrefix: false)
    }
  }

  /// The terms, in the order of a field's lists, and whether each is a beginning.
  package var all: [(term: [UInt8], isBeginning: Bool)] { patterns.map { ($0.term, $0.isPrefix) } }

  /// The places of a text's words in the terms.
  ///
  /// - Parameter body: Receives the place in ``all`` and the position of each such word, by ascending positions.
  /// - Returns: The number of positions of the text.
  package func forEachOccurrence(in text: String, _ body: (_ term: Int, _ position: UInt32) -> Void) -> UInt32 {
    tokenizer.forEachToken(of: text) { term, _, _, position in
      for (index, pattern) in patterns.enumerated() where pattern.matches(term) { body(index, position) }
      return true
    }
  }
}

extension TextSearch {
  /// The terms that are looked for in texts of a language.
  package func terms(in language: SearchLanguage?) -> SearchTerms { SearchTerms(patterns, in: language) }
}
