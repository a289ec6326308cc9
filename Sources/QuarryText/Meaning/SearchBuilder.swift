import QuarryBackend

/// Makes a search of a query.
struct SearchBuilder {
  var leaves: [TextSearch.Leaf] = []
  var patterns: [TextSearch.Pattern] = []
  var places: [TextSearch.Pattern: Int] = [:]
  var terms = 0

  mutating func node(_ query: SearchQuery, counts: Bool) throws(StorageError) -> TextSearch.Node {
    if let excess = query.excess { throw excess }
    switch query.node {
    case .words(let text): return try leaf([text], isPrefix: false, nil, counts)
    case .prefix(let text): return try leaf([text], isPrefix: true, nil, counts)
    case .near(let texts, let distance): return try leaf(texts, isPrefix: false, UInt32(distance), counts)
    case .not(let inner): return .not(try node(inner, counts: !counts))
    case .all(let parts): return .all(try nodes(parts, counts))
    case .any(let parts): return .any(try nodes(parts, counts))
    // Thrown above.
    case .excess: return .any([])
    }
  }

  private mutating func nodes(_ parts: [SearchQuery], _ counts: Bool) throws(StorageError) -> [TextSearch.Node] {
    var result: [TextSearch.Node] = []
    for part in parts { result.append(try node(part, counts: counts)) }
    return result
  }

  private mutating func leaf(
    _ texts: [SearchText], isPrefix: Bool, _ distance: UInt32?, _ counts: Bool
  ) throws(StorageError) -> TextSearch.Node {
    var phrases: [TextSearch.Phrase] = []
    for text in texts { phrases.append(try phrase(text.text, isPrefix)) }
    leaves.append(TextSearch.Leaf(phrases: phrases, distance: distance, counts: counts))
    return .leaf(leaves.count - 1)
  }

  /// The words of a text, and of runs without spaces the pairs; a single letter where a run has only one.
  private mutating func phrase(_ text: String, _ isPrefix: Bool) throws(StorageError) -> TextSearch.Phrase {
    var found: [Token] = []
    var endOfPair = 0
    Tokenizer().forEachToken(of: text) { term, kind, range, position in
      if kind == .pair {
        if let last = found.last, last.kind == .single, last.position == position { found.removeLast() }
        endOfPair = range.upperBound
      } else if kind == .single, range.upperBound == endOfPair {
        return true
      }
      found.append(Token(kind: kind, term: Array(term), range: range, position: position))
      return found.count <= TextSearch.maximumTerms
    }
    terms += found.count
    if terms > TextSearch.maximumTerms {
      throw StorageError.limitExceeded("terms of a search", limit: TextSearch.maximumTerms, actual: terms)
    }
    guard let first = found.first, let last = found.last else { return TextSearch.Phrase() }
    let elements = found.enumerated().map { index, token in
      TextSearch.Element(
        pattern: place(
          of: TextSearch.Pattern(
            term: token.term, isPrefix: isPrefix && index == found.count - 1,
            isRun: token.kind == .single || token.kind == .pair)),
        offset: token.position - first.position)
    }
    return TextSearch.Phrase(elements: elements, length: last.position - first.position)
  }

  private mutating func place(of pattern: TextSearch.Pattern) -> Int {
    if let place = places[pattern] { return place }
    patterns.append(pattern)
    places[pattern] = patterns.count - 1
    return patterns.count - 1
  }
}
