import QuarryBackend

extension PostingsIndex {
  /// The documents that a query finds, ascending.
  ///
  /// - Parameter search: The query with the meaning of its terms in the language of the index.
  /// - Complexity: O(n log n) in the postings of the query's terms; with a prefix O(t) in the terms of the index; with a
  ///   negation O(d log d) in its documents.
  public func documents(matching search: TextSearch) -> [UInt64] {
    found(FieldedSearch(search, [FieldedSearch.Field(weight: 1, lists: lists(of: search))]))
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
    let fielded = FieldedSearch(search, [FieldedSearch.Field(weight: 1, lists: lists(of: search))])
    let documents = found(fielded)
    let scores = fielded.scores(
      of: documents, SearchRanking(documents: count, length: length),
      lengths: documents.map { UInt64(length(of: $0)) })
    let hits = zip(documents, scores).map { SearchHit(document: $0, score: $1) }
    let order = hits.sorted { ($1.score, $0.document) < ($0.score, $1.document) }
    return Array(order.prefix(max(0, limit)))
  }

  private func found(_ search: FieldedSearch) -> [UInt64] {
    // Nothing is thrown where all documents are in memory.
    do throws(StorageError) { return try search.documents { documents } } catch { return [] }
  }

  /// The list of each pattern. Of a prefix, the lists of its terms as one.
  private func lists(of search: TextSearch) -> [PostingList] {
    search.terms(in: language).patterns.map { pattern in
      pattern.isPrefix ? PostingList(uniting: lists(beginningWith: pattern.term)) : list(pattern.term)
    }
  }
}

extension PostingList {
  /// The documents of all lists, with the positions of all terms, or with their numbers where the lists have no positions.
  package init(uniting lists: [PostingList]) {
    guard lists.count != 1 else {
      self = lists[0]
      return
    }
    if lists.contains(where: { !$0.positions.isEmpty }) { unite(lists) } else { count(lists) }
  }

  private mutating func unite(_ lists: [PostingList]) {
    var entries: [(document: UInt64, position: UInt32)] = []
    for list in lists {
      for (index, document) in list.documents.enumerated() {
        for position in list.positions(index) { entries.append((document, position)) }
      }
    }
    entries.sort { ($0.document, $0.position) < ($1.document, $1.position) }
    for entry in entries {
      // A letter and its pair have one position, which counts once.
      append(entry.document, position: entry.position)
    }
  }

  /// Adds up the frequencies of lists without positions.
  private mutating func count(_ lists: [PostingList]) {
    let count = lists.reduce(0) { $0 + $1.count }
    guard let first = lists.compactMap(\.documents.first).min(), let last = lists.compactMap(\.documents.last).max()
    else {
      return
    }
    if last - first < UInt64(8 * count) {
      // Most documents of the range have a term: each has a place.
      var frequencies = [UInt32](repeating: 0, count: Int(last - first) + 1)
      for list in lists {
        for (index, document) in list.documents.enumerated() {
          frequencies[Int(document - first)] &+= UInt32(truncatingIfNeeded: list.frequency(index))
        }
      }
      for (place, frequency) in frequencies.enumerated() where frequency > 0 {
        append(first + UInt64(place), frequency: Int(frequency))
      }
      return
    }
    var entries: [(document: UInt64, frequency: Int)] = []
    entries.reserveCapacity(count)
    for list in lists {
      for (index, document) in list.documents.enumerated() { entries.append((document, list.frequency(index))) }
    }
    entries.sort { $0.document < $1.document }
    for entry in entries {
      if documents.last == entry.document {
        ends[ends.count - 1] += entry.frequency
      } else {
        append(entry.document, frequency: entry.frequency)
      }
    }
  }

  private mutating func append(_ document: UInt64, frequency: Int) {
    documents.append(document)
    ends.append((ends.last ?? 0) + frequency)
  }
}
