public import QuarryBackend

/// An inverted index in memory: of each term the documents and positions, and of each document its number of words.
///
/// Documents have numbers that the caller chooses. Hits with equal scores are in the order of these numbers, so the numbers
/// should have the order of the documents' keys.
public struct PostingsIndex: Hashable, Sendable {
  private var lists: [[UInt8]: PostingList] = [:]
  private var lengths: [UInt64: UInt32] = [:]
  /// The number of words in all documents.
  private(set) var length: UInt64 = 0

  /// The language by whose stems searches compare words; nil where they compare them as they are written.
  public let language: SearchLanguage?

  /// Creates an empty index.
  ///
  /// - Parameter language: The language of the documents, by whose stems every search compares words.
  public init(language: SearchLanguage? = nil) { self.language = language }

  /// The number of documents.
  public var count: Int { lengths.count }

  /// The terms of the documents, in the order of their bytes. In a language, stems stand behind the byte 1.
  ///
  /// - Complexity: O(n log n).
  public var terms: [[UInt8]] { lists.keys.sorted { $0.lexicographicallyPrecedes($1) } }

  /// The documents, ascending.
  ///
  /// - Complexity: O(n log n).
  public var documents: [UInt64] { lengths.keys.sorted() }

  /// The list of a term; empty when no document has it.
  ///
  /// - Parameter term: The bytes of the term as the tokenizer makes them.
  public func list(_ term: [UInt8]) -> PostingList { lists[term] ?? PostingList() }

  func lists(beginningWith prefix: [UInt8]) -> [PostingList] {
    lists.filter { $0.key.starts(with: prefix) }.map(\.value)
  }

  func length(of document: UInt64) -> UInt32 { lengths[document] ?? 0 }

  /// Adds a document. A document without words counts too.
  ///
  /// - Parameters:
  ///   - document: The number of the document, at most ``PostingList/maximumDocument``.
  ///   - text: The text of the document.
  /// - Throws: `duplicateKey` when the index has the document; `invalidValue` for a number above
  ///   ``PostingList/maximumDocument``.
  /// - Complexity: O(n) in the length of the text, and for each term O(m) in the documents behind the new one.
  public mutating func insert(_ document: UInt64, _ text: String) throws(StorageError) {
    if lengths[document] != nil { throw StorageError(.duplicateKey, "the index has document \(document)") }
    let (terms, length) = positions(of: text)
    guard document <= PostingList.maximumDocument else {
      throw StorageError(.invalidValue, "the number \(document) of a document is above \(PostingList.maximumDocument)")
    }
    for (term, positions) in terms { try lists[term, default: PostingList()].insert(document, positions) }
    lengths[document] = length
    self.length += UInt64(length)
  }

  /// Removes a document.
  ///
  /// - Parameters:
  ///   - document: The number of the document.
  ///   - text: The text with which it was added.
  /// - Throws: `notFound` when the index has no such document; `corrupt` when it was added with another text. The index is
  ///   unchanged then.
  /// - Complexity: O(n) in the length of the text, and for each term O(m) in its documents.
  public mutating func remove(_ document: UInt64, _ text: String) throws(StorageError) {
    guard let length = lengths[document] else { throw StorageError(.notFound, "the index has no document \(document)") }
    let (terms, words) = positions(of: text)
    let isWhole = terms.allSatisfy { term, positions in
      guard let list = lists[term], let index = list.index(of: document) else { return false }
      return list.positions(index).elementsEqual(positions)
    }
    guard isWhole, words == length else {
      throw StorageError(.corrupt, "the index has other words for document \(document)")
    }
    for term in terms.keys {
      lists[term]?.remove(document)
      if lists[term]?.isEmpty ?? false { lists[term] = nil }
    }
    lengths[document] = nil
    self.length -= UInt64(length)
  }

  /// Adds the documents of another index.
  ///
  /// - Parameter other: An index of the same language, with other documents.
  /// - Throws: `duplicateKey` when both have a document, and `invalidValue` when they are of different languages. The index is
  ///   unchanged then.
  /// - Complexity: O(n + m).
  public mutating func merge(_ other: PostingsIndex) throws(StorageError) {
    guard language == other.language else {
      throw StorageError(.invalidValue, "indexes of different languages cannot be merged")
    }
    if let document = other.lengths.keys.first(where: { lengths[$0] != nil }) {
      throw StorageError(.duplicateKey, "both indexes have document \(document)")
    }
    for (term, list) in other.lists { lists[term] = try self.list(term).merging(list) }
    lengths.merge(other.lengths) { first, _ in first }
    length += other.length
  }

  /// The positions of each term of a text, and the number of its words.
  private func positions(of text: String) -> (terms: [[UInt8]: [UInt32]], length: UInt32) {
    var terms: [[UInt8]: [UInt32]] = [:]
    let length = Tokenizer(language: language).forEachToken(of: text) { term, _, _, position in
      terms[Array(term), default: []].append(position)
      return true
    }
    return (terms, length)
  }
}
