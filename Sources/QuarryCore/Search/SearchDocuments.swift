import QuarryBackend
import QuarryText

// The documents of an index of words: docs/formats/search.md.

/// How the documents of an index are numbered.
enum SearchNumbering: Equatable {
  /// The primary key is an integer of that many bytes in the key format, and its bytes are the number.
  case keys(byteCount: Int)
  /// In the order in which the objects come; the index has the number of each key and the key of each number.
  case assigned

  init(_ type: PropertyType) {
    self = type.isInteger ? .keys(byteCount: type.fixedWidth) : .assigned
  }

  /// The number that a key is; nil for numbers that are assigned.
  func number(of key: Key) -> UInt64? {
    self == .assigned ? nil : key.bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The key that a number is; nil for numbers that are assigned.
  func key(of number: UInt64) -> Key? {
    guard case .keys(let count) = self else { return nil }
    return withUnsafeBytes(of: number.bigEndian) { Key(copying: UnsafeRawBufferPointer(rebasing: $0.suffix(count))) }
  }

  /// The key as the row of a document has it.
  func stored(_ key: Key) -> Key { self == .assigned ? key : Key([]) }
}

/// A row that has the keys of some documents, by their numbers, and the numbers of their words.
struct SearchDocuments {
  struct Document {
    /// Without bytes where the number is the key.
    var key: Key
    /// The number of words of each searched property.
    var lengths: [UInt64]
  }

  /// By their numbers less the row's first.
  var documents: [UInt64: Document] = [:]

  init() {}

  init(decoding bytes: UnsafeRawBufferPointer, of model: SearchedModel) throws(StorageError) {
    var reader = DocumentReader(bytes, model)
    while try reader.next() {
      documents[reader.number] = Document(key: Key(copying: reader.key), lengths: reader.lengths)
    }
  }

  func encoded(_ numbering: SearchNumbering) -> [UInt8] {
    var bytes: [UInt8] = []
    for (number, document) in documents.sorted(by: { $0.key < $1.key }) {
      SearchBytes.append(number, to: &bytes)
      if numbering == .assigned { SearchBytes.append(document.key.bytes, to: &bytes) }
      for length in document.lengths { SearchBytes.append(length, to: &bytes) }
    }
    return bytes
  }
}

/// Reads the documents of a row one by one.
struct DocumentReader {
  private var reader: SearchBytes
  private let hasKeys: Bool
  private var isFirst = true
  /// The number of the document less the row's first.
  private(set) var number: UInt64 = 0
  /// The key; without bytes where the number is the key.
  private(set) var key = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The number of words of each searched property.
  private(set) var lengths: [UInt64]

  init(_ bytes: UnsafeRawBufferPointer, _ model: SearchedModel) {
    reader = SearchBytes(bytes)
    hasKeys = model.numbering == .assigned
    lengths = [UInt64](repeating: 0, count: model.slots.count)
  }

  /// Reads the next document.
  ///
  /// - Returns: False behind the last.
  mutating func next() throws(StorageError) -> Bool {
    if reader.isAtEnd { return false }
    let next = try reader.number()
    guard next < SearchKey.documentsOfRow, isFirst || next > number else { throw SearchBytes.damaged }
    (number, isFirst) = (next, false)
    if hasKeys { key = try reader.part() }
    for place in lengths.indices { lengths[place] = try reader.number() }
    return true
  }
}

/// The row that has the number of an object, or of several with long keys.
struct SearchObjects {
  var numbers: [(key: Key, number: UInt64)] = []

  init() {}

  init(decoding bytes: UnsafeRawBufferPointer) throws(StorageError) {
    var reader = SearchBytes(bytes)
    while !reader.isAtEnd {
      let number = try reader.number()
      numbers.append((Key(copying: try reader.part()), number))
    }
  }

  /// The number of an object, whose key the row does not have if the key of the row is enough.
  func number(of key: Key) -> UInt64? {
    SearchKey.isLong(key) ? numbers.first { $0.key == key }?.number : numbers.first?.number
  }

  mutating func set(_ key: Key, _ number: UInt64?) {
    let stored = SearchKey.isLong(key) ? key : Key([])
    numbers.removeAll { $0.key == stored }
    if let number { numbers.append((stored, number)) }
  }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    for (key, number) in numbers {
      SearchBytes.append(number, to: &bytes)
      SearchBytes.append(key.bytes, to: &bytes)
    }
    return bytes
  }
}
