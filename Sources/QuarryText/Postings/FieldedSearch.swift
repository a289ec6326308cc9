package import QuarryBackend

/// The documents that a search finds, where each document has several texts: its fields.
///
/// A word, phrase or `near` is found in a document when one of its fields has it. `all`, `any` and `not` join what was found.
package struct FieldedSearch {
  /// One text of every document.
  package struct Field {
    /// How much a word in it counts in scores.
    package var weight: Int
    /// The list of each pattern of the search, in the order of ``SearchTerms/all``. For a beginning, of all its terms.
    package var lists: [PostingList]

    package init(weight: Int, lists: [PostingList]) {
      self.weight = weight
      self.lists = lists
    }
  }

  /// The documents in which a leaf is found, ascending, and how often, by weights.
  private struct Found {
    var documents: [UInt64] = []
    var frequencies: [Int] = []
  }

  /// All documents, which a negation needs.
  package typealias Everything = () throws(StorageError) -> [UInt64]

  private let search: TextSearch
  private let found: [Found]

  /// - Complexity: O(n log n) in the postings.
  package init(_ search: TextSearch, _ fields: [Field]) {
    self.search = search
    found = search.leaves.map { leaf in
      let found = fields.map { Self.found(leaf, $0.lists) }
      if found.count == 1, fields[0].weight == 1 { return found[0] }
      return Self.sum(zip(found, fields).map { ($0, $1.weight) })
    }
  }

  private static func found(_ leaf: TextSearch.Leaf, _ lists: [PostingList]) -> Found {
    guard leaf.canMatch else { return Found() }
    let patterns = Set(leaf.phrases.flatMap { $0.elements.map(\.pattern) })
    if leaf.isWord, let pattern = patterns.first {
      let list = lists[pattern]
      return Found(documents: list.documents, frequencies: list.documents.indices.map { list.frequency($0) })
    }
    var found = Found()
    guard let rarest = patterns.min(by: { lists[$0].count < lists[$1].count }) else { return found }
    let others = patterns.subtracting([rarest]).sorted { lists[$0].count < lists[$1].count }
    var indexes = [Int](repeating: 0, count: lists.count)
    documents: for (index, document) in lists[rarest].documents.enumerated() {
      indexes[rarest] = index
      for pattern in others {
        guard let index = lists[pattern].index(of: document) else { continue documents }
        indexes[pattern] = index
      }
      let frequency = LeafMatcher.starts(of: leaf) { lists[$0].positions(indexes[$0]) }.first?.count ?? 0
      if frequency > 0 {
        found.documents.append(document)
        found.frequencies.append(frequency)
      }
    }
    return found
  }

  /// What was found in one of several fields, with its frequencies times the fields' weights.
  private static func sum(_ parts: [(found: Found, weight: Int)]) -> Found {
    var result = Found()
    var places = [Int](repeating: 0, count: parts.count)
    while true {
      var next: UInt64?
      for (part, place) in zip(parts, places) where place < part.found.documents.count {
        next = Swift.min(next ?? .max, part.found.documents[place])
      }
      guard let next else { return result }
      var frequency = 0
      for (index, part) in parts.enumerated() {
        let place = places[index]
        guard place < part.found.documents.count, part.found.documents[place] == next else { continue }
        frequency += part.weight * part.found.frequencies[place]
        places[index] += 1
      }
      result.documents.append(next)
      result.frequencies.append(frequency)
    }
  }

  // MARK: Results

  /// The documents that are found, ascending.
  ///
  /// - Complexity: O(n) in the documents of the query's terms; with a negation in all documents.
  package func documents(_ everything: Everything) throws(StorageError) -> [UInt64] {
    let (documents, isExcluded) = try selection(everything)
    return isExcluded ? Self.difference(try everything(), documents) : documents
  }

  /// Documents, ascending, and whether all others are found instead of them: a search of exclusions alone names these.
  package func selection(
    _ everything: Everything
  ) throws(StorageError) -> (documents: [UInt64], isExcluded: Bool) {
    var all: [UInt64]?
    func everyDocument() throws(StorageError) -> [UInt64] {
      if let all { return all }
      let documents = try everything()
      all = documents
      return documents
    }
    switch search.root {
    case .not(let node): return (try documents(node, everyDocument), true)
    case .all(let nodes):
      let excluded = nodes.compactMap(\.excluded)
      guard excluded.count == nodes.count else { return (try documents(search.root, everyDocument), false) }
      return (try documents(.any(excluded), everyDocument), true)
    default: return (try documents(search.root, everyDocument), false)
    }
  }

  /// The scores of documents, which ascend (SEARCH-17).
  ///
  /// - Parameters:
  ///   - documents: Documents that the search finds.
  ///   - ranking: The numbers of all documents and words.
  ///   - lengths: The number of words of each of the documents, by weights.
  package func scores(of documents: [UInt64], _ ranking: SearchRanking, lengths: [UInt64]) -> [Double] {
    var scores = [Double](repeating: 0, count: documents.count)
    for (leaf, found) in zip(search.leaves, found) where leaf.counts {
      let weight = ranking.weight(documents: found.documents.count)
      var place = 0
      for (index, document) in documents.enumerated() {
        while place < found.documents.count, found.documents[place] < document { place += 1 }
        guard place < found.documents.count else { break }
        guard found.documents[place] == document else { continue }
        scores[index] += ranking.score(frequency: found.frequencies[place], length: lengths[index], weight: weight)
      }
    }
    return scores.map(SearchRanking.quantised)
  }

  // MARK: Combinations

  private func documents(_ node: TextSearch.Node, _ everything: Everything) throws(StorageError) -> [UInt64] {
    switch node {
    case .leaf(let index): return found[index].documents
    case .not(let node): return Self.difference(try everything(), try documents(node, everything))
    case .any(let nodes):
      var sets: [[UInt64]] = []
      for node in nodes { sets.append(try documents(node, everything)) }
      return Self.union(sets)
    case .all(let nodes):
      // What is excluded is taken from what the other parts find.
      let excluded = nodes.compactMap(\.excluded)
      var result: [UInt64]?
      for node in nodes where node.excluded == nil {
        if let found = result {
          if found.isEmpty { return [] }
          result = Self.intersection(found, try documents(node, everything))
        } else {
          result = try documents(node, everything)
        }
      }
      var documents: [UInt64]
      if let result { documents = result } else { documents = try everything() }
      for node in excluded where !documents.isEmpty {
        documents = Self.difference(documents, try self.documents(node, everything))
      }
      return documents
    }
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
    if sets.count == 1 { return sets[0] }
    var result: [UInt64] = []
    for document in sets.joined().sorted() where result.last != document { result.append(document) }
    return result
  }
}

extension TextSearch.Node {
  /// The part that is excluded, if the part is an exclusion.
  fileprivate var excluded: TextSearch.Node? {
    if case .not(let node) = self { node } else { nil }
  }
}

extension TextSearch {
  /// The places of the terms whose positions are needed: those of phrases of several words, and of `near`. Of a beginning in a
  /// run without spaces, several terms stand at one position, which counts once.
  package var termsWithPositions: Set<Int> {
    let inPhrases = leaves.filter { !$0.isWord }.flatMap { $0.phrases.flatMap { $0.elements.map(\.pattern) } }
    return Set(inPhrases).union(patterns.indices.filter { patterns[$0].isPrefix && patterns[$0].isRun })
  }
}
