package import QuarryBackend

/// A text search: words, phrases and prefixes, and combinations of them.
///
/// ```swift
/// let query: SearchQuery = .all("swift", .prefix("conc"), .phrase("unit of work"), .not("java"))
/// let typed = SearchQuery(typed: #"swift conc* "unit of work" -java"#)
/// ```
///
/// Every value can be built, compared and stored. A query of more than ``maximumDepth`` levels or ``maximumWords`` words throws
/// `limitExceeded` when it is used.
public struct SearchQuery: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The largest number of levels of a query.
  public static let maximumDepth = 32
  /// The largest number of texts in a query: words, phrases, prefixes and the parts of a search for words near each other.
  public static let maximumWords = 1024

  indirect enum Node: Hashable, Sendable {
    /// The words of a text, one behind the other.
    case words(SearchText)
    /// The same; the last word is the beginning of one.
    case prefix(SearchText)
    case near([SearchText], within: Int)
    case all([SearchQuery])
    case any([SearchQuery])
    case not(SearchQuery)
    /// The query is deeper or larger than allowed: what is, the limit and the actual number.
    case excess(String, limit: Int, actual: Int)
  }

  let node: Node
  /// The number of levels.
  let depth: Int
  /// The number of texts.
  let size: Int

  private init(_ node: Node, depth: Int = 1, size: Int = 1) {
    if depth > Self.maximumDepth {
      self.node = .excess("depth of a search", limit: Self.maximumDepth, actual: depth)
      self.depth = 1
      self.size = 1
    } else if size > Self.maximumWords {
      self.node = .excess("words of a search", limit: Self.maximumWords, actual: size)
      self.depth = 1
      self.size = 1
    } else {
      self.node = node
      self.depth = depth
      self.size = size
    }
  }

  /// Searches for a word, or for the words of a text in their order.
  public init(stringLiteral text: String) { self = .phrase(text) }

  /// Finds texts with a word. A text that the tokenizer divides is searched as a phrase.
  ///
  /// A text without a word finds nothing.
  public static func word(_ text: String) -> SearchQuery { SearchQuery(.words(SearchText(text))) }

  /// Finds texts in which the words of a phrase stand one behind the other.
  public static func phrase(_ text: String) -> SearchQuery { SearchQuery(.words(SearchText(text))) }

  /// Finds texts with a word that begins so. Of several words, only the last is a beginning.
  public static func prefix(_ text: String) -> SearchQuery { SearchQuery(.prefix(SearchText(text))) }

  /// Finds texts in which all the given words stand close to each other, in any order.
  ///
  /// - Parameters:
  ///   - words: Words or phrases. Without any, nothing is found.
  ///   - distance: The greatest difference between the positions of the first and the last word. Less than 0 counts as 0.
  public static func near(_ words: [String], within distance: Int) -> SearchQuery {
    SearchQuery(
      .near(words.map(SearchText.init), within: min(max(0, distance), Int(Int32.max))), size: max(1, words.count))
  }

  /// Finds texts in which all the given words stand close to each other, in any order.
  ///
  /// - Parameters:
  ///   - words: Words or phrases. Without any, nothing is found.
  ///   - distance: As in the form with an array.
  public static func near(_ words: String..., within distance: Int) -> SearchQuery { near(words, within: distance) }

  /// Finds what all parts find. Without parts, every text is found.
  public static func all(_ parts: [SearchQuery]) -> SearchQuery { combined(parts) { .all($0) } }

  /// Finds what all parts find.
  public static func all(_ parts: SearchQuery...) -> SearchQuery { all(parts) }

  /// Finds what at least one part finds. Without parts, nothing is found.
  public static func any(_ parts: [SearchQuery]) -> SearchQuery { combined(parts) { .any($0) } }

  /// Finds what at least one part finds.
  public static func any(_ parts: SearchQuery...) -> SearchQuery { any(parts) }

  /// Finds the texts that a query does not find.
  public static func not(_ query: SearchQuery) -> SearchQuery {
    switch query.node {
    case .not(let inner): inner
    case .excess: query
    default: SearchQuery(.not(query), depth: query.depth + 1, size: query.size)
    }
  }

  private static func combined(_ parts: [SearchQuery], _ node: ([SearchQuery]) -> Node) -> SearchQuery {
    var depth = 0
    var size = 0
    for part in parts {
      if case .excess = part.node { return part }
      depth = max(depth, part.depth)
      size += part.size
    }
    return SearchQuery(node(parts), depth: depth + 1, size: max(1, size))
  }

  /// Whether the query is the result of a typed text without a word. It finds nothing.
  public var isEmpty: Bool { node == .any([]) }

  /// Whether the query is one word, phrase, beginning or `near`.
  package var isOneLeaf: Bool {
    switch node {
    case .words, .prefix, .near: true
    case .all, .any, .not, .excess: false
    }
  }

  /// Puts the results of the query's parts together.
  package func fold<R>(
    leaf: (SearchQuery) -> R, all: ([R]) -> R, any: ([R]) -> R, not: (R) -> R
  ) -> R {
    switch node {
    case .words, .prefix, .near: leaf(self)
    case .all(let parts): all(parts.map { $0.fold(leaf: leaf, all: all, any: any, not: not) })
    case .any(let parts): any(parts.map { $0.fold(leaf: leaf, all: all, any: any, not: not) })
    case .not(let part): not(part.fold(leaf: leaf, all: all, any: any, not: not))
    // Refused before.
    case .excess: any([])
    }
  }

  /// The error of a query that is deeper or larger than allowed.
  package var excess: StorageError? {
    guard case .excess(let what, let limit, let actual) = node else { return nil }
    return StorageError.limitExceeded(what, limit: limit, actual: actual)
  }
}

/// A text in a query. Texts are equal by their bytes, as in the rest of the contract (TEXT-1).
struct SearchText: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: SearchText, right: SearchText) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
