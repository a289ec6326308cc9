import Foundation

@testable import QuarryText

/// A search that reads every text and compares all with all: the reference for postings.
///
/// It knows no pairs. A run without spaces is its letters, each of which says whether the next one follows at once.
struct NaiveSearch {
  struct Word {
    var term: [UInt8]
    var isJoined: Bool
  }

  let texts: [(document: UInt64, words: [Word])]

  init(_ texts: [UInt64: String]) {
    self.texts = texts.sorted { $0.key < $1.key }.map { ($0.key, Self.words($0.value)) }
  }

  static func words(_ text: String) -> [Word] {
    var words: [Word] = []
    for token in Tokenizer().tokens(of: text) {
      if token.kind == .pair {
        words[words.count - 1].isJoined = true
      } else {
        words.append(Word(term: token.term, isJoined: false))
      }
    }
    return words
  }

  /// Whether a phrase begins at a word.
  private func begins(_ phrase: [Word], isPrefix: Bool, at start: Int, in text: [Word]) -> Bool {
    guard !phrase.isEmpty, start + phrase.count <= text.count else { return false }
    for (offset, word) in phrase.enumerated() {
      let other = text[start + offset]
      let isLast = offset == phrase.count - 1
      if isLast && isPrefix ? !other.term.starts(with: word.term) : other.term != word.term { return false }
      if word.isJoined, !other.isJoined { return false }
    }
    return true
  }

  private func starts(_ phrase: String, isPrefix: Bool, in text: [Word]) -> [Int] {
    let words = Self.words(phrase)
    return text.indices.filter { begins(words, isPrefix: isPrefix, at: $0, in: text) }
  }

  /// How often a leaf stands in a text; for several near each other, how often the first one stands in a window.
  private func frequency(_ node: SearchQuery.Node, in text: [Word]) -> Int {
    switch node {
    case .words(let phrase): return starts(phrase.text, isPrefix: false, in: text).count
    case .prefix(let phrase): return starts(phrase.text, isPrefix: true, in: text).count
    case .near(let phrases, let distance):
      // A run ends with a pair, whose position is that of its first letter.
      let lengths = phrases.map { phrase in
        let words = Self.words(phrase.text)
        let endsWithPair = words.count > 1 && words[words.count - 2].isJoined
        return words.count - (endsWithPair ? 2 : 1)
      }
      let found = phrases.map { starts($0.text, isPrefix: false, in: text) }
      guard let first = found.first else { return 0 }
      return first.count { place in
        text.indices.contains { window in
          func fits(_ start: Int, _ length: Int) -> Bool { start >= window && start + length <= window + distance }
          return fits(place, lengths[0])
            && zip(found, lengths).allSatisfy { starts, length in
              starts.contains { fits($0, length) }
            }
        }
      }
    default: return 0
    }
  }

  private func matches(_ query: SearchQuery, _ text: [Word]) -> Bool {
    switch query.node {
    case .all(let parts): parts.allSatisfy { matches($0, text) }
    case .any(let parts): parts.contains { matches($0, text) }
    case .not(let inner): !matches(inner, text)
    default: frequency(query.node, in: text) > 0
    }
  }

  func documents(matching query: SearchQuery) -> [UInt64] {
    texts.filter { matches(query, $0.words) }.map(\.document)
  }

  private func counted(_ query: SearchQuery, _ isNegated: Bool = false) -> [SearchQuery.Node] {
    switch query.node {
    case .all(let parts), .any(let parts): parts.flatMap { counted($0, isNegated) }
    case .not(let inner): counted(inner, !isNegated)
    default: isNegated ? [] : [query.node]
    }
  }

  /// BM25 as its definition has it.
  func score(_ query: SearchQuery, of document: UInt64) -> Double {
    guard let text = texts.first(where: { $0.document == document })?.words else { return 0 }
    let average = Double(texts.reduce(0) { $0 + $1.words.count }) / Double(texts.count)
    var sum = 0.0
    for node in counted(query) {
      let having = Double(texts.count { frequency(node, in: $0.words) > 0 })
      let weight = log(1 + (Double(texts.count) - having + 0.5) / (having + 0.5))
      let often = Double(frequency(node, in: text))
      let norm = 1.2 * (1 - 0.75 + 0.75 * Double(text.count) / average)
      sum += weight * often * 2.2 / (often + norm)
    }
    return sum
  }
}
