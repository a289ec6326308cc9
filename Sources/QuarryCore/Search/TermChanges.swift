import QuarryBackend

/// The words of some texts that are to be added to an index or taken from it: each term once, and 16 bytes for each place.
struct TermChanges: ~Copyable {
  /// A place of a term in a document.
  struct Place {
    var term: UInt32
    var position: UInt32
    var document: UInt64
  }

  /// The changes of one term.
  struct Change {
    /// The term with its slot: ``TermChanges/text(_:)``.
    var term: UInt32
    /// In the order of their documents and positions; a place that is named twice is here twice.
    var added: Range<Int>
    /// In the order of their documents.
    var removed: [UInt64] = []
  }

  /// The terms one after the other, each with its slot in front in two bytes, as the keys of an index have them.
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  /// The hash table: numbers of terms plus 1, or 0.
  private var table: [UInt32] = []
  private var hashes: [UInt32] = []
  private(set) var added: [Place] = []
  private var removed: [(term: UInt32, document: UInt64)] = []

  init() {}

  var isEmpty: Bool { added.isEmpty && removed.isEmpty }

  /// About the bytes that the changes take in memory, while they are put in order, too.
  var byteCount: Int { bytes.count + 24 * ends.count + 32 * added.count + 32 * removed.count }

  /// Removes all changes and keeps the memory of the terms.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    hashes.removeAll(keepingCapacity: true)
    for place in table.indices { table[place] = 0 }
    added.removeAll(keepingCapacity: added.count < 1 << 20)
    removed = []
  }

  // MARK: Terms

  private func range(_ term: UInt32) -> Range<Int> { (term == 0 ? 0 : ends[Int(term) - 1])..<ends[Int(term)] }

  /// The bytes of a term, with its slot in front.
  func text(_ term: UInt32) -> ArraySlice<UInt8> { bytes[range(term)] }

  /// The number of a term.
  mutating func number(_ term: UnsafeBufferPointer<UInt8>, in slot: Int) -> UInt32 {
    let (high, low) = (UInt8(truncatingIfNeeded: slot >> 8), UInt8(truncatingIfNeeded: slot))
    // FNV-1a: terms are short.
    var hash: UInt32 = 2_166_136_261
    hash = (hash ^ UInt32(high)) &* 16_777_619
    hash = (hash ^ UInt32(low)) &* 16_777_619
    for byte in term { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    if 2 * ends.count >= table.count { grow() }
    var place = Int(hash) & (table.count - 1)
    while table[place] != 0 {
      let number = table[place] - 1
      if hashes[Int(number)] == hash, isTerm(number, term, high, low) { return number }
      place = (place + 1) & (table.count - 1)
    }
    let number = UInt32(ends.count)
    bytes.append(high)
    bytes.append(low)
    bytes.append(contentsOf: term)
    ends.append(bytes.count)
    hashes.append(hash)
    table[place] = number + 1
    return number
  }

  private func isTerm(_ number: UInt32, _ term: UnsafeBufferPointer<UInt8>, _ high: UInt8, _ low: UInt8) -> Bool {
    let range = range(number)
    guard range.count == term.count + 2, bytes[range.lowerBound] == high, bytes[range.lowerBound + 1] == low else {
      return false
    }
    return bytes.withUnsafeBufferPointer { bytes in
      bytes[(range.lowerBound + 2)..<range.upperBound].elementsEqual(term)
    }
  }

  private mutating func grow() {
    table = [UInt32](repeating: 0, count: max(1_024, 2 * table.count))
    for (number, hash) in hashes.enumerated() {
      var place = Int(hash) & (table.count - 1)
      while table[place] != 0 { place = (place + 1) & (table.count - 1) }
      table[place] = UInt32(number) + 1
    }
  }

  // MARK: Changes

  mutating func add(_ term: UInt32, _ document: UInt64, _ position: UInt32) {
    added.append(Place(term: term, position: position, document: document))
  }

  mutating func remove(_ term: UInt32, _ document: UInt64) { removed.append((term, document)) }

  /// Calls the body with the changes of each term, in the order of the terms' bytes, and with all added places.
  func forEach(_ body: (Change, [Place]) throws(StorageError) -> Void) throws(StorageError) {
    var counts = [Int](repeating: 0, count: ends.count + 1)
    for place in added { counts[Int(place.term) + 1] += 1 }
    for number in 1..<max(1, counts.count) { counts[number] += counts[number - 1] }
    let starts = counts
    var places = [Place](repeating: Place(term: 0, position: 0, document: 0), count: added.count)
    for place in added {
      places[counts[Int(place.term)]] = place
      counts[Int(place.term)] += 1
    }
    var taken: [UInt32: [UInt64]] = [:]
    for (term, document) in removed where taken[term]?.last != document { taken[term, default: []].append(document) }
    for term in order() {
      var change = Change(term: term, added: starts[Int(term)]..<counts[Int(term)])
      // The objects of one call come in the order of their keys.
      let isSorted = zip(change.added, change.added.dropFirst()).allSatisfy { !Self.precedes(places[$1], places[$0]) }
      if !isSorted { places[change.added].sort(by: Self.precedes) }
      if let documents = taken[term] { change.removed = documents.sorted() }
      if change.added.isEmpty && change.removed.isEmpty { continue }
      try body(change, places)
    }
  }

  private static func precedes(_ left: Place, _ right: Place) -> Bool {
    (left.document, left.position) < (right.document, right.position)
  }

  /// The terms in the order of their bytes.
  private func order() -> [UInt32] {
    bytes.withUnsafeBytes { bytes in
      (0..<UInt32(ends.count)).sorted {
        UnsafeRawBufferPointer(rebasing: bytes[range($0)]).precedes(UnsafeRawBufferPointer(rebasing: bytes[range($1)]))
      }
    }
  }
}
