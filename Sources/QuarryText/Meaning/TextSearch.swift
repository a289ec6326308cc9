public import QuarryBackend

/// A query whose texts were divided into words, ready to be compared with texts and lists of words.
///
/// ```swift
/// let search = try TextSearch("swift concurrency")
/// search.matches(article.body)
/// search.highlights(in: article.body)
/// ```
public struct TextSearch: Sendable {
  /// A term at its distance from the first word of a phrase.
  struct Element: Hashable, Sendable {
    /// The place of the term in ``TextSearch/patterns``.
    var pattern: Int
    var offset: UInt32
  }

  /// A term that is looked for, or the beginning of terms.
  struct Pattern: Hashable, Sendable {
    var term: [UInt8]
    var isPrefix: Bool
    /// Whether it is of a script without spaces between words, of which several terms stand at one position.
    var isRun = false

    func matches(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
      isPrefix ? other.starts(with: term) : other.elementsEqual(term)
    }
  }

  /// Words one behind the other.
  struct Phrase: Hashable, Sendable {
    var elements: [Element] = []
    /// The distance of the last position from the first.
    var length: UInt32 = 0
  }

  /// A phrase, or several near each other.
  struct Leaf: Hashable, Sendable {
    var phrases: [Phrase]
    /// The greatest distance between the first and the last position; nil for one phrase.
    var distance: UInt32?
    /// Whether it adds to the score: an even number of negations is around it.
    var counts: Bool
    /// False where a text without a word is looked for, which is found nowhere.
    var canMatch: Bool { !phrases.isEmpty && phrases.allSatisfy { !$0.elements.isEmpty } }
    /// Whether one word is looked for, or one beginning.
    var isWord: Bool { phrases.count == 1 && phrases[0].elements.count == 1 }
  }

  indirect enum Node: Sendable {
    case leaf(Int)
    case all([Node])
    case any([Node])
    case not(Node)
  }

  /// The largest number of words in all texts of a query.
  public static let maximumTerms = 1024

  let root: Node
  let leaves: [Leaf]
  /// Every term that is looked for, once, as it is written.
  let patterns: [Pattern]
  /// The terms in the language of the search.
  let terms: SearchTerms

  /// The language by whose stems the search compares words; nil where it compares them as they are written.
  public var language: SearchLanguage? { terms.tokenizer.language }

  /// Divides the texts of a query into words.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - language: The language of the texts, as in ``QuarryBackend/PropertySchema/Search``: words are compared by their stems.
  /// - Throws: `limitExceeded` for a query of more levels, texts or words than allowed.
  /// - Complexity: O(n) in the length of the texts.
  public init(_ query: SearchQuery, language: SearchLanguage? = nil) throws(StorageError) {
    var builder = SearchBuilder()
    root = try builder.node(query, counts: true)
    leaves = builder.leaves
    patterns = builder.patterns
    terms = SearchTerms(builder.patterns, in: language)
  }
}
