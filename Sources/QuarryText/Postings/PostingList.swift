public import QuarryBackend

/// Where one term stands: the documents that have it, by their numbers in ascending order, and its positions in each.
public struct PostingList: Hashable, Sendable {
  /// The largest number of a document: the deltas of larger ones do not fit into the format.
  public static let maximumDocument: UInt64 = 1 << 62 - 1

  /// The numbers of the documents, ascending.
  public internal(set) var documents: [UInt64] = []
  /// The end of each document's positions in ``positions``.
  var ends: [Int] = []
  /// The positions of all documents, ascending in each.
  var positions: [UInt32] = []

  /// Creates an empty list.
  public init() {}

  /// The number of documents.
  public var count: Int { documents.count }
  /// Whether no document has the term.
  public var isEmpty: Bool { documents.isEmpty }

  func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

  /// How often the document at an index of ``documents`` has the term.
  public func frequency(_ index: Int) -> Int { range(index).count }

  /// The positions in the document at an index of ``documents``, ascending.
  public func positions(_ index: Int) -> ArraySlice<UInt32> { positions[range(index)] }

  /// The index of a document in ``documents``; nil when it has not the term.
  ///
  /// - Complexity: O(log n).
  public func index(of document: UInt64) -> Int? {
    let index = place(of: document)
    return index < documents.count && documents[index] == document ? index : nil
  }

  /// The index of the first document with this number or a larger one.
  private func place(of document: UInt64) -> Int {
    var (low, high) = (0, documents.count)
    while low < high {
      let middle = (low + high) / 2
      if documents[middle] < document { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds a document.
  ///
  /// - Parameters:
  ///   - document: The number of the document.
  ///   - positions: The positions of the term in it, ascending.
  /// - Throws: `duplicateKey` when the list has the document; `invalidValue` for a number above ``maximumDocument``, and for
  ///   positions that are none or do not ascend.
  /// - Complexity: O(n); for a document behind all others, O(1) in the number of documents.
  public mutating func insert(_ document: UInt64, _ positions: some Collection<UInt32>) throws(StorageError) {
    guard document <= Self.maximumDocument else {
      throw StorageError(.invalidValue, "the number \(document) of a document is above \(Self.maximumDocument)")
    }
    guard !positions.isEmpty, zip(positions, positions.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw StorageError(.invalidValue, "the positions of document \(document) do not ascend")
    }
    let index = place(of: document)
    if index < documents.count, documents[index] == document {
      throw StorageError(.duplicateKey, "the list has document \(document)")
    }
    let start = index == 0 ? 0 : ends[index - 1]
    documents.insert(document, at: index)
    ends.insert(start + positions.count, at: index)
    if start == self.positions.count {
      self.positions.append(contentsOf: positions)
    } else {
      self.positions.insert(contentsOf: positions, at: start)
      for later in index + 1..<ends.count { ends[later] += positions.count }
    }
  }

  /// Removes a document.
  ///
  /// - Parameter document: The number of the document.
  /// - Returns: False when the list has not the document.
  /// - Complexity: O(n).
  @discardableResult
  public mutating func remove(_ document: UInt64) -> Bool {
    guard let index = index(of: document) else { return false }
    let range = range(index)
    positions.removeSubrange(range)
    documents.remove(at: index)
    ends.remove(at: index)
    for later in index..<ends.count { ends[later] -= range.count }
    return true
  }

  /// The documents of this list and of another one.
  ///
  /// - Parameter other: A list of the same term.
  /// - Throws: `duplicateKey` when both have a document.
  /// - Complexity: O(n + m).
  public func merging(_ other: PostingList) throws(StorageError) -> PostingList {
    if other.isEmpty { return self }
    var result = PostingList()
    result.documents.reserveCapacity(count + other.count)
    result.ends.reserveCapacity(count + other.count)
    result.positions.reserveCapacity(positions.count + other.positions.count)
    var (left, right) = (0, 0)
    while left < count || right < other.count {
      let takesLeft = right == other.count || left < count && documents[left] < other.documents[right]
      if !takesLeft, left < count, documents[left] == other.documents[right] {
        throw StorageError(.duplicateKey, "both lists have document \(documents[left])")
      }
      if takesLeft {
        result.append(documents[left], positions(left))
        left += 1
      } else {
        result.append(other.documents[right], other.positions(right))
        right += 1
      }
    }
    return result
  }

  /// Adds the documents of a list, which are all behind the present ones.
  package mutating func append(_ other: PostingList) {
    let end = ends.last ?? 0
    documents.append(contentsOf: other.documents)
    ends.append(contentsOf: other.ends.lazy.map { $0 + end })
    positions.append(contentsOf: other.positions)
  }

  /// Removes documents, which ascend.
  ///
  /// - Returns: The documents that the list has not.
  package mutating func remove(contentsOf removed: [UInt64]) -> [UInt64] {
    guard removed.count > 1 else { return removed.filter { !remove($0) } }
    var (rest, missing) = (PostingList(), [UInt64]())
    var place = 0
    for (index, document) in documents.enumerated() {
      while place < removed.count, removed[place] < document {
        missing.append(removed[place])
        place += 1
      }
      if place < removed.count, removed[place] == document {
        place += 1
      } else {
        rest.append(document, positions(index))
      }
    }
    missing += removed[place...]
    self = rest
    return missing
  }

  /// Adds a position of the last document, or of one behind all others. A position that is there counts once.
  package mutating func append(_ document: UInt64, position: UInt32) {
    if documents.last == document {
      if positions.last == position { return }
      ends[ends.count - 1] += 1
    } else {
      documents.append(document)
      ends.append((ends.last ?? 0) + 1)
    }
    positions.append(position)
  }

  /// Adds a document behind all others.
  package mutating func append(_ document: UInt64, _ positions: some Collection<UInt32>) {
    documents.append(document)
    self.positions.append(contentsOf: positions)
    ends.append(self.positions.count)
  }
}
