import Foundation
import QuarryBackend
import QuarryText

// The rows of an index of words: docs/formats/search.md.

/// The keys of the rows.
enum SearchKey {
  /// The number of documents whose keys are in one row.
  static let documentsOfRow: UInt64 = 128
  /// A longer primary key is found by its first bytes and a hash.
  private static let longestKey = 200

  /// The row of the whole index.
  static let state = Key([0])

  /// The row that has the number of an object.
  static func object(_ key: Key) -> Key {
    guard isLong(key) else { return Key([1] + key.bytes) }
    let hash = key.bytes.withUnsafeBytes { XXH64.checksum($0) }
    return Key([1] + key.bytes[..<(longestKey - 8)] + bigEndian(hash))
  }

  /// Whether several keys may share the row of an object.
  static func isLong(_ key: Key) -> Bool { key.bytes.count >= longestKey }

  /// The row that has the keys of some documents.
  static func documents(_ row: UInt64) -> Key { Key([2] + bigEndian(row)) }

  /// The beginning of the keys of the rows of all terms with a beginning.
  ///
  /// - Parameter term: The term of a property: ``term(_:in:)``.
  static func postings(_ term: some Collection<UInt8>) -> [UInt8] { [3] + term }

  /// The beginning of the keys of a term's rows, up to a number of a document.
  static func whole(_ term: some Collection<UInt8>) -> [UInt8] { postings(term) + [0] }

  /// The row of a term with the documents up to a number, from the end of the row before it.
  static func postings(_ term: some Collection<UInt8>, upTo document: UInt64) -> Key {
    Key(whole(term) + bigEndian(document))
  }

  /// The last row of a term.
  static func lastPostings(_ term: some Collection<UInt8>) -> Key { postings(term, upTo: .max) }

  /// The keys from one to before another.
  static func range(beginningWith bytes: [UInt8]) -> (from: Key, to: Key) {
    var end = bytes
    // The first byte, which says the kind of row, is never 255.
    while end.last == 0xFF { end.removeLast() }
    if let last = end.popLast() { end.append(last + 1) }
    return (Key(bytes), Key(end))
  }

  /// A term of a property, in the order of the index.
  static func term(_ term: UnsafeBufferPointer<UInt8>, in slot: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: term.count + 2) { buffer, count in
      buffer[0] = UInt8(truncatingIfNeeded: slot >> 8)
      buffer[1] = UInt8(truncatingIfNeeded: slot)
      _ = UnsafeMutableBufferPointer(rebasing: buffer[2...]).update(fromContentsOf: term)
      count = term.count + 2
    }
  }

  /// The number that ends the key of a row of documents or postings.
  static func row(of key: UnsafeRawBufferPointer) throws(StorageError) -> UInt64 {
    guard key.count > 8 else { throw SearchBytes.damaged }
    return UInt64(bigEndian: key.loadUnaligned(fromByteOffset: key.count - 8, as: UInt64.self))
  }

  private static func bigEndian(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}

/// Reads the numbers and bytes of a row.
struct SearchBytes {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0

  static let damaged = StorageError(.corrupt, "a damaged row of an index of words")

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { place == bytes.count }

  mutating func number() throws(StorageError) -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while place < bytes.count, shift < 64 {
      let byte = bytes[place]
      place += 1
      guard shift < 63 || byte <= 1 else { break }
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return result }
      shift += 7
    }
    throw Self.damaged
  }

  mutating func count() throws(StorageError) -> Int {
    let number = try number()
    guard number <= UInt64(bytes.count - place) else { throw Self.damaged }
    return Int(number)
  }

  mutating func part() throws(StorageError) -> UnsafeRawBufferPointer {
    let count = try count()
    defer { place += count }
    return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
  }

  static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  static func append(_ part: [UInt8], to bytes: inout [UInt8]) {
    append(UInt64(part.count), to: &bytes)
    bytes.append(contentsOf: part)
  }
}

/// The row of the whole index.
struct SearchState: Equatable {
  /// The version of the rows.
  static let format: UInt64 = 2

  /// The language of a searched property, and the version of its rules.
  struct Language: Equatable {
    var name: [UInt8]
    var version: UInt64

    init(_ language: SearchLanguage) { (name, version) = (Array(language.name.utf8), language.version) }

    /// - Throws: `corrupt`; `schemaTooNew` for rules of a later version.
    init?(reading reader: inout SearchBytes) throws(StorageError) {
      name = Array(try reader.part())
      if name.isEmpty { return nil }
      version = try reader.number()
      guard let known = SearchLanguage(name: String(decoding: name, as: UTF8.self)), version > known.version else {
        return
      }
      throw StorageError(
        .schemaTooNew,
        "the index of words has \(known) stems of version \(version), and this version of Quarry knows \(known.version)"
      )
    }
  }

  /// The version of the rows that are stored. Those of an earlier version are built again.
  var format = Self.format
  /// The version of the tokenizer that made the terms.
  var tokenizer = UInt64(Tokenizer.version)
  /// The searched slots, ascending.
  var slots: [Int]
  /// The number of the next document.
  var next: UInt64 = 0
  /// The number of documents.
  var count: UInt64 = 0
  /// The number of words of each searched property in all documents.
  var lengths: [UInt64]
  /// The language of each searched property.
  var languages: [Language?]

  init(_ model: SearchedModel) {
    slots = model.slots
    lengths = [UInt64](repeating: 0, count: slots.count)
    languages = model.languages.map { $0.map(Language.init) }
  }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    for number in [format, tokenizer, UInt64(slots.count)] { SearchBytes.append(number, to: &bytes) }
    for (place, slot) in slots.enumerated() {
      SearchBytes.append(UInt64(slot), to: &bytes)
      SearchBytes.append(lengths[place], to: &bytes)
      SearchBytes.append(languages[place]?.name ?? [], to: &bytes)
      if let language = languages[place] { SearchBytes.append(language.version, to: &bytes) }
    }
    SearchBytes.append(next, to: &bytes)
    SearchBytes.append(count, to: &bytes)
    return bytes
  }

  /// - Throws: `schemaTooNew` for the index of a later version, `corrupt`.
  init(decoding bytes: UnsafeRawBufferPointer) throws(StorageError) {
    var reader = SearchBytes(bytes)
    format = try reader.number()
    tokenizer = try reader.number()
    guard format <= Self.format, tokenizer <= UInt64(Tokenizer.version) else {
      throw StorageError(
        .schemaTooNew,
        "the index of words has format \(format) and words of version \(tokenizer), and this version of Quarry knows "
          + "\(Self.format) and \(Tokenizer.version)")
    }
    guard format > 0 else { throw SearchBytes.damaged }
    (slots, lengths, languages) = ([], [], [])
    // The rest of an earlier format is of no use.
    if format < Self.format { return }
    for _ in 0..<(try reader.count()) {
      slots.append(Int(truncatingIfNeeded: try reader.number()))
      lengths.append(try reader.number())
      languages.append(try Language(reading: &reader))
    }
    next = try reader.number()
    count = try reader.number()
    guard reader.isAtEnd, next == 0 || count <= next, next <= PostingList.maximumDocument else {
      throw SearchBytes.damaged
    }
  }

  /// Whether the index has the words of these slots as this version divides them, with the stems of their languages.
  func isOf(_ model: SearchedModel) -> Bool {
    format == Self.format && tokenizer == UInt64(Tokenizer.version) && slots == model.slots
      && languages == model.languages.map { $0.map(Language.init) }
  }
}

extension ModelSchema {
  /// The rows of an index with keys in a range, in the order of their keys.
  func rows(from start: Key, to end: Key) -> BoundQuery {
    var query = BoundQuery(everyRowOf: self)
    query.predicate = .and([
      .compare(slot: 0, .greaterOrEqual, .data(Data(start.bytes))), .compare(slot: 0, .less, .data(Data(end.bytes))),
    ])
    return query
  }
}
