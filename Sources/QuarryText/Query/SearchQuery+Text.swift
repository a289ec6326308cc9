public import QuarryBackend

extension SearchQuery: CustomStringConvertible {
  /// The canonical text of the query, which ``init(parsing:)`` reads: `all("swift", prefix("conc"), not("java"))`.
  public var description: String {
    switch node {
    case .words(let text): Self.quoted(text)
    case .prefix(let text): "prefix(\(Self.quoted(text)))"
    case .near(let words, let distance):
      "near(\(([String(distance)] + words.map(Self.quoted)).joined(separator: ", ")))"
    case .all(let parts): "all(\(parts.map(\.description).joined(separator: ", ")))"
    case .any(let parts): "any(\(parts.map(\.description).joined(separator: ", ")))"
    case .not(let query): "not(\(query.description))"
    case .excess(let what, let limit, let actual): "excess(\(what): \(actual) of \(limit))"
    }
  }

  private static func quoted(_ text: SearchText) -> String {
    var result = "\""
    for scalar in text.text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" {
        result.unicodeScalars.append("\\")
        result.unicodeScalars.append(scalar)
      } else if scalar.value < 0x20 || scalar.value == 0x7F {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Creates the query of a canonical text. For the text that a user typed, see ``init(typed:)``.
  ///
  /// - Parameter text: A text that ``description`` of a query returned.
  /// - Throws: `invalidQuery` for another text; `limitExceeded` for a query that is deeper or larger than allowed.
  /// - Complexity: O(n).
  public init(parsing text: String) throws(StorageError) {
    var reader = SearchTextReader(text)
    self = try reader.query(depth: 1)
    try reader.end()
    if let excess { throw excess }
  }
}

extension SearchQuery: Codable {
  /// Writes the canonical text.
  ///
  /// - Throws: `limitExceeded` for a query that is deeper or larger than allowed.
  public func encode(to encoder: any Encoder) throws {
    if let excess { throw excess }
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Reads the canonical text.
  ///
  /// - Throws: `DecodingError` for another text; `limitExceeded` for a query that is deeper or larger than allowed.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do throws(StorageError) {
      try self.init(parsing: text)
    } catch {
      guard error.code == .invalidQuery else { throw error }
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
    }
  }
}

/// Reads the canonical text of a query.
private struct SearchTextReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  private func invalid(_ what: String) -> StorageError {
    StorageError(.invalidQuery, "\(what) at byte \(place) of the search")
  }

  private mutating func skipSpaces() {
    while place < bytes.count, bytes[place] == UInt8(ascii: " ") { place += 1 }
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    skipSpaces()
    guard place < bytes.count, bytes[place] == byte else { return false }
    place += 1
    return true
  }

  private mutating func expect(_ byte: UInt8) throws(StorageError) {
    guard skip(byte) else { throw invalid("a missing '\(Character(Unicode.Scalar(byte)))'") }
  }

  mutating func end() throws(StorageError) {
    skipSpaces()
    guard place == bytes.count else { throw invalid("unexpected text") }
  }

  mutating func query(depth: Int) throws(StorageError) -> SearchQuery {
    guard depth <= SearchQuery.maximumDepth else {
      throw StorageError.limitExceeded("depth of a search", limit: SearchQuery.maximumDepth, actual: depth)
    }
    skipSpaces()
    if place < bytes.count, bytes[place] == UInt8(ascii: "\"") { return .phrase(try string()) }
    let start = place
    while place < bytes.count, bytes[place] &- 97 < 26 { place += 1 }
    let name = String(decoding: bytes[start..<place], as: UTF8.self)
    try expect(UInt8(ascii: "("))
    let result: SearchQuery
    switch name {
    case "prefix": result = .prefix(try string())
    case "not": result = .not(try query(depth: depth + 1))
    case "near":
      let distance = try number()
      var words: [String] = []
      while skip(UInt8(ascii: ",")) { words.append(try string()) }
      result = .near(words, within: distance)
    case "all": result = .all(try queries(depth: depth + 1))
    case "any": result = .any(try queries(depth: depth + 1))
    default: throw invalid("an unknown kind of query")
    }
    try expect(UInt8(ascii: ")"))
    return result
  }

  private mutating func queries(depth: Int) throws(StorageError) -> [SearchQuery] {
    var result: [SearchQuery] = []
    skipSpaces()
    if place < bytes.count, bytes[place] == UInt8(ascii: ")") { return result }
    repeat {
      guard result.count <= SearchQuery.maximumWords else {
        throw StorageError.limitExceeded("words of a search", limit: SearchQuery.maximumWords, actual: result.count)
      }
      result.append(try query(depth: depth))
    } while skip(UInt8(ascii: ","))
    return result
  }

  private mutating func number() throws(StorageError) -> Int {
    skipSpaces()
    let start = place
    while place < bytes.count, bytes[place] &- 48 < 10 { place += 1 }
    guard let number = Int32(String(decoding: bytes[start..<place], as: UTF8.self)) else {
      throw invalid("a missing distance")
    }
    return Int(number)
  }

  private mutating func string() throws(StorageError) -> String {
    try expect(UInt8(ascii: "\""))
    var text: [UInt8] = []
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      try escape(to: &text)
    }
    throw invalid("a missing closing quote")
  }

  /// What follows a backslash: a quote, a backslash, or `u{HEX}`.
  private mutating func escape(to text: inout [UInt8]) throws(StorageError) {
    guard place < bytes.count else { throw invalid("an invalid escape") }
    let byte = bytes[place]
    place += 1
    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
      text.append(byte)
      return
    }
    guard byte == UInt8(ascii: "u"), place < bytes.count, bytes[place] == UInt8(ascii: "{"),
      let close = bytes[place...].prefix(8).firstIndex(of: UInt8(ascii: "}")),
      let value = UInt32(String(decoding: bytes[place + 1..<close], as: UTF8.self), radix: 16),
      let scalar = Unicode.Scalar(value)
    else { throw invalid("an invalid escape") }
    text.append(contentsOf: String(scalar).utf8)
    place = close + 1
  }
}
