extension PostingsIndex {
  /// The documents in which a leaf is found, ascending, and how often.
  private struct Found {
    var documents: [UInt64] = []
    var frequencies: [Int] = []
  }

  /// The documents that a query finds, ascending.
  ///
  /// - Complexity: O(n log n) in the postings of the query's terms; with a prefix O(t) in the terms of the index; with a
  ///   negation O(d log d) in its documents.
  public func documents(matching search: TextSearch) -> [UInt64] {
    let lists = lists(of: search)
    return documents(search, search.leaves.map { found($0, lists) })
  }

  /// The documents that a query finds, the best first. Documents with equal scores are in the order of their numbers.
  ///
  /// The score is the sum of BM25 over the words and phrases of the query that are not negated (SEARCH-17).
  ///
  /// - Parameters:
  ///   - search: The query.
  ///   - limit: The largest number of hits.
  /// - Complexity: As ``documents(matching:)``, and O(h log h) for h hits.
  public func ranked(_ search: TextSearch, limit: Int = .max) -> [SearchHit] {
    let lists = lists(of: search)
    let found = search.leaves.map { self.found($0, lists) }
    let ranking = SearchRanking(documents: count, length: length)
    let documents = documents(search, found)
    var scores = [Double](repeating: 0, count: documents.count)
    for (leaf, found) in zip(search.leaves, found) where leaf.counts {
      let weight = ranking.weight(documents: found.documents.count)
      var place = 0
      for (index, document) in documents.enumerated() {
        while place < found.documents.count, found.documents[place] < document { place += 1 }
        guard place < found.documents.count else { break }
        guard found.documents[place] == document else { continue }
        scores[index] += ranking.score(
          frequency: found.frequencies[place], length: length(of: document), weight: weight)
      }
    }
    let hits = zip(documents, scores).map { SearchHit(document: $0, score: SearchRanking.quantised($1)) }
    let order = hits.sorted { ($1.score, $0.document) < ($0.score, $1.document) }
    return Array(order.prefix(max(0, limit)))
  }

  /// The list of each pattern. Of a prefix, the lists of its terms as one.
  private func lists(of search: TextSearch) -> [PostingList] {
    search.patterns.map { pattern in
      pattern.isPrefix ? PostingList(uniting: lists(beginningWith: pattern.term)) : list(pattern.term)
    }
  }

  private func found(_ leaf: TextSearch.Leaf, _ lists: [PostingList]) -> Found {
    guard leaf.canMatch else { return Found() }
    let patterns = Set(leaf.phrases.flatMap { $0.elements.map(\.pattern) })
    if patterns.count == 1, let pattern = patterns.first, leaf.phrases.count == 1, leaf.phrases[0].elements.count == 1 {
      let list = lists[pattern]
      return Found(documents: list.documents, frequencies: list.documents.indices.map { list.frequency($0) })
    }
    var found = Found()
    guard let rarest = patterns.min(by: { lists[$0].count < lists[$1].count }) else { return found }
    for document in lists[rarest].documents {
      var positions: [Int: [UInt32]] = [:]
      for pattern in patterns {
        guard let index = lists[pattern].index(of: document) else { break }
        positions[pattern] = Array(lists[pattern].positions(index))
      }
      guard positions.count == patterns.count else { continue }
      let frequency = LeafMatcher.starts(of: leaf) { positions[$0] ?? [] }.first?.count ?? 0
      if frequency > 0 {
        found.documents.append(document)
        found.frequencies.append(frequency)
      }
    }
    return found
  }

  // MARK: Combinations

  private func documents(_ search: TextSearch, _ found: [Found]) -> [UInt64] {
    var all: [UInt64]?
    func everything() -> [UInt64] {
      let documents = all ?? self.documents
      all = documents
      return documents
    }
    func documents(_ node: TextSearch.Node) -> [UInt64] {
      switch node {
      case .leaf(let index): return found[index].documents
      case .not(let node): return Self.difference(everything(), documents(node))
      case .any(let nodes): return Self.union(nodes.map { documents($0) })
      case .all(let nodes):
        guard let first = nodes.first else { return everything() }
        var result = documents(first)
        for node in nodes.dropFirst() where !result.isEmpty {
          if case .not(let inner) = node {
            result = Self.difference(result, documents(inner))
          } else {
            result = Self.intersection(result, documents(node))
          }
        }
        return result
      }
    }
    return documents(search.root)
  }

  private static func intersection(_ left: [UInt64], _ right: [UInt64]) -> [UInt64] {
    var place = 0
    return left.filter { document in
      while place < right.count, right[place] < document { place += 1 }
      return place < right.count && right[place] == document
    }
  }

  private static func difference(_ left: [UInt64], _ right: [UInt64]) -> [UInt64] {
    var place = 0
    return left.filter { document in
      while place < right.count, right[place] < document { place += 1 }
      return place == right.count || right[place] != document
    }
  }

  private static func union(_ sets: [[UInt64]]) -> [UInt64] {
    var result: [UInt64] = []
    for document in sets.joined().sorted() where result.last != document { result.append(document) }
    return result
  }
}

extension PostingList {
  /// The documents of all lists, with the positions of all terms.
  init(uniting lists: [PostingList]) {
    guard lists.count != 1 else {
      self = lists[0]
      return
    }
    var entries: [(document: UInt64, position: UInt32)] = []
    for list in lists {
      for (index, document) in list.documents.enumerated() {
        for position in list.positions(index) { entries.append((document, position)) }
      }
    }
    entries.sort { ($0.document, $0.position) < ($1.document, $1.position) }
    for entry in entries {
      if documents.last != entry.document {
        documents.append(entry.document)
        ends.append(ends.last ?? 0)
      } else if positions.last == entry.position {
        // A letter and its pair have one position.
        continue
      }
      positions.append(entry.position)
      ends[ends.count - 1] += 1
    }
  }
}
