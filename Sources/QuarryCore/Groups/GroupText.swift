import QuarryBackend

/// Texts that name figures of groups.
package enum GroupText {
  /// The parts between commas, outside of parentheses and back quotes.
  package static func split(_ text: String) throws(StorageError) -> [String] {
    var parts: [[UInt8]] = [[]]
    var depth = 0
    var isQuoted = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "`"): isQuoted.toggle()
      case UInt8(ascii: "(") where !isQuoted: depth += 1
      case UInt8(ascii: ")") where !isQuoted: depth -= 1
      case UInt8(ascii: ",") where !isQuoted && depth == 0:
        parts.append([])
        continue
      default: break
      }
      guard depth >= 0 else { throw StorageError(.invalidQuery, "\(text.shortened) has one ')' too many") }
      parts[parts.count - 1].append(byte)
    }
    guard !isQuoted else {
      throw StorageError(.invalidQuery, "\(text.shortened) has a name in back quotes that is not closed")
    }
    guard depth == 0 else { throw StorageError(.invalidQuery, "\(text.shortened) has a '(' that is not closed") }
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The names between commas, without their back quotes.
  package static func names(_ text: String) throws(StorageError) -> [String] {
    try split(text).map { plain($0.trimmingBlanks) }
  }

  /// The place of the word `as`, with the blanks around it.
  static func alias(in text: String) -> Range<String.Index>? {
    var isQuoted = false
    var depth = 0
    for index in text.indices {
      switch text[index] {
      case "`": isQuoted.toggle()
      case "(": depth += 1
      case ")": depth -= 1
      case " " where !isQuoted && depth == 0:
        let rest = text[index...]
        if rest.lowercased().hasPrefix(" as ") { return index..<text.index(index, offsetBy: 4) }
      default: break
      }
    }
    return nil
  }

  /// A name without its back quotes.
  package static func plain(_ text: String) -> String {
    let mark = UInt8(ascii: "`")
    guard text.utf8.count >= 2, text.utf8.first == mark, text.utf8.last == mark else { return text }
    return text.dropFirst().dropLast().split(separator: "``", omittingEmptySubsequences: false).joined(separator: "`")
  }

  /// The name in back quotes, as conditions and orders read any name.
  package static func quoted(_ name: String) -> String {
    "`" + name.split(separator: "`", omittingEmptySubsequences: false).joined(separator: "``") + "`"
  }

  /// A condition or an order over groups with each term and name of a column in back quotes.
  ///
  /// - Parameters:
  ///   - names: The names of the columns that are there.
  ///   - terms: Receives the terms that are in the text and not among the columns; their names are those in the text.
  static func quoting(
    _ text: String, names: [String], terms: inout [GroupTerm]
  ) throws(StorageError) -> String {
    let known = Set(names.map { ByteString($0) })
    var result: [UInt8] = []
    let bytes = Array(text.utf8)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "`") {
        let end = Self.end(ofQuoteAt: index, bytes)
        result += bytes[index..<end]
        index = end
        continue
      }
      guard isNameStart(byte), index == 0 || !isNamePart(bytes[index - 1]) else {
        result.append(byte)
        index += 1
        continue
      }
      var end = index
      while end < bytes.count, isNamePart(bytes[end]) { end += 1 }
      let word = String(decoding: bytes[index..<end], as: UTF8.self)
      if end < bytes.count, bytes[end] == UInt8(ascii: "("), let close = Self.end(ofParenthesisAt: end, bytes) {
        let call = String(decoding: bytes[index..<close], as: UTF8.self)
        let isTerm = word == "percentile" || GroupFunction(name: word) != nil
        if isTerm || known.contains(ByteString(call)) {
          result += quoted(isTerm ? try name(of: GroupTerm(call), &terms) : call).utf8
          index = close
          continue
        }
      }
      if known.contains(ByteString(word)) {
        result += quoted(word).utf8
      } else if word == "count" {
        result += quoted(try name(of: GroupTerm(word), &terms)).utf8
      } else {
        result += bytes[index..<end]
      }
      index = end
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func name(of term: GroupTerm, _ terms: inout [GroupTerm]) throws(StorageError) -> String {
    if let known = terms.first(where: { $0.isSame(as: term) }) { return known.name }
    terms.append(term)
    return term.name
  }

  private static func end(ofQuoteAt start: Int, _ bytes: [UInt8]) -> Int {
    var index = start + 1
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\\"), bytes[start] != UInt8(ascii: "`") {
        index += 2
        continue
      }
      index += 1
      if bytes[index - 1] == bytes[start] { return index }
    }
    return bytes.count
  }

  private static func end(ofParenthesisAt start: Int, _ bytes: [UInt8]) -> Int? {
    var depth = 0
    var isQuoted = false
    for index in start..<bytes.count {
      if bytes[index] == UInt8(ascii: "`") { isQuoted.toggle() }
      if isQuoted { continue }
      if bytes[index] == UInt8(ascii: "(") { depth += 1 }
      if bytes[index] == UInt8(ascii: ")") {
        depth -= 1
        if depth == 0 { return index + 1 }
      }
    }
    return nil
  }

  private static func isNameStart(_ byte: UInt8) -> Bool {
    byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || byte == UInt8(ascii: "_") || byte >= 0x80
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    isNameStart(byte) || byte.isDigit || byte == UInt8(ascii: ".")
  }
}

extension StringProtocol {
  /// The text without blanks at its ends.
  package var trimmingBlanks: String {
    String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
