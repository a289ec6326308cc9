package import QuarryBackend

/// The positions of words in the texts of one property.
package enum SearchedTexts {
  /// The positions between two elements of an array, so that no phrase stands across them.
  private static let gap: UInt64 = 1_000

  /// Calls the body with each text and the position of its first word, until it returns false.
  ///
  /// - Parameter body: Returns the number of the text's positions.
  /// - Returns: The number of positions of all texts, without gaps.
  package static func forEach(_ texts: [String], _ body: (_ text: String, _ start: UInt64) -> UInt32) -> UInt64 {
    var start: UInt64 = 0
    var length: UInt64 = 0
    for text in texts {
      let count = UInt64(body(text, start))
      length += count
      start += count + gap
    }
    return length
  }

  /// A position in the texts; nil for one beyond the last that an index has.
  package static func position(_ start: UInt64, _ position: UInt32) -> UInt32? {
    UInt32(exactly: start + UInt64(position))
  }

  /// Calls the body with each word of the texts, and in a language with its stem behind it.
  ///
  /// - Returns: The number of words.
  package static func forEachWord(
    _ texts: [String], in language: SearchLanguage?,
    _ body: (_ term: UnsafeBufferPointer<UInt8>, _ position: UInt32) -> Void
  ) -> UInt64 {
    forEach(texts) { text, start in
      Tokenizer(language: language).forEachToken(of: text) { term, _, _, position in
        guard let position = self.position(start, position) else { return false }
        body(term, position)
        return true
      }
    }
  }
}

extension TextSearch {
  /// Whether the query finds the texts of one property: a phrase stands in one of them, and the words of a query in any.
  ///
  /// - Complexity: O(n) in the length of the texts, for each term of the query.
  package func matches(_ texts: [String]) -> Bool {
    var lists = [PostingList](repeating: PostingList(), count: patterns.count)
    _ = SearchedTexts.forEach(texts) { text, start in
      terms.forEachOccurrence(in: text) { term, position in
        guard let position = SearchedTexts.position(start, position) else { return }
        lists[term].append(0, position: position)
      }
    }
    let search = FieldedSearch(self, [FieldedSearch.Field(weight: 1, lists: lists)])
    // Nothing is thrown where the only document is known.
    do throws(StorageError) { return try !search.documents { [0] }.isEmpty } catch { return false }
  }
}
