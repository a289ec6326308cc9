import Foundation
import QuarryBackend

/// Cuts the text of a predicate into tokens. Works on UTF-8 bytes: all that means something is ASCII, and the rest
/// belongs to names and strings as it is.
struct PredicateLexer {
  enum Token {
    case end
    /// A bare name or keyword.
    case word(String)
    /// A name in back quotes or after `#`, which is never a keyword.
    case name(String)
    case string(String)
    case number(NumberText)
    /// `%@`, or `%d`, `%f` and the like, which say more of the argument.
    case argument(Argument)
    /// `%K`.
    case keyArgument
    /// An operator or bracket.
    case symbol(Symbol)
  }

  /// The meaning of an argument's place in the text.
  enum Argument {
    /// `%@`.
    case any
    /// `%d`, `%i`, `%u`, and longer ones.
    case integer
    /// `%f`, `%e`, `%g`.
    case number
  }

  /// The longest text that is read.
  static let maximumBytes = 1 << 20

  let bytes: [UInt8]
  /// Where the current token begins and ends.
  private(set) var start = 0
  var end = 0
  /// Where the token before the current one ends.
  private(set) var previousEnd = 0
  private(set) var token: Token = .end
  /// Whether a sign belongs to the number after it: where a value is read, and not where one is calculated.
  var readsSigns = true

  init(_ text: String) throws(StorageError) {
    bytes = Array(text.utf8)
    guard bytes.count <= Self.maximumBytes else {
      throw .limitExceeded("bytes of the text of a query", limit: Self.maximumBytes, actual: bytes.count)
    }
    try advance()
  }

  // MARK: Errors

  /// An error at the current token.
  func error(_ message: String) -> StorageError {
    error(message, at: start)
  }

  func error(_ message: String, at offset: Int) -> StorageError {
    let column = String(decoding: bytes[..<min(offset, bytes.count)], as: UTF8.self).count + 1
    return StorageError(.invalidQuery, "at column \(column): \(message)")
  }

  /// An error that says what was expected and what is there.
  func expected(_ what: String) -> StorageError {
    error("expected \(what), found \(found)")
  }

  private var found: String {
    if case .end = token { return "the end" }
    return tokenText.shortened
  }

  /// The current token as it is written.
  var tokenText: String { String(decoding: bytes[start..<end], as: UTF8.self) }

  // MARK: Reading

  /// The byte after the current token and white space, without reading on.
  var next: UInt8 {
    var index = end
    while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
    return byte(index)
  }

  func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }

  static func isNameStart(_ byte: UInt8) -> Bool {
    (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A) || byte == 0x5F || byte >= 0x80
  }

  static func isNamePart(_ byte: UInt8) -> Bool { isNameStart(byte) || byte.isDigit }

  /// Whether a value ends with the current token, so that a sign after it is an operator.
  private var endsValue: Bool {
    switch token {
    case .end: false
    case .word(let word): PredicateText.Keyword(word: word)?.isValue ?? true
    case .name, .string, .number, .argument, .keyArgument: true
    case .symbol(let symbol): symbol == .rightParenthesis || symbol == .rightBrace
    }
  }

  mutating func advance() throws(StorageError) {
    let isSignOperator = !readsSigns || endsValue
    previousEnd = end
    start = end
    while start < bytes.count, Self.isSpace(bytes[start]) { start += 1 }
    end = start
    guard start < bytes.count else {
      token = .end
      return
    }
    let first = bytes[start]
    switch first {
    case _ where Self.isNameStart(first):
      token = .word(word())
    case 0x30...0x39: token = try number()
    case UInt8(ascii: "-"), UInt8(ascii: "+"):
      token = !isSignOperator && byte(start + 1).isDigit ? try number() : try symbol()
    case UInt8(ascii: "'"), UInt8(ascii: "\""): token = .string(try string(quote: first))
    case UInt8(ascii: "`"): token = .name(try quotedName())
    case UInt8(ascii: "#"):
      end += 1
      guard Self.isNameStart(byte(end)) else { throw error("expected a name after #") }
      token = .name(word())
    case UInt8(ascii: "%"): token = try placeholder()
    case UInt8(ascii: "<")
    where bytes[start...].prefix(6).map({ $0 | 0x20 }).elementsEqual("<null>".utf8.map { $0 | 0x20 }):
      // As Foundation writes nil.
      end += 6
      token = .word("null")
    default: token = try symbol()
    }
  }

  /// `%@` and the like, or the operator that a lone percent sign is.
  private mutating func placeholder() throws(StorageError) -> Token {
    end = start + 1
    guard byte(end) != UInt8(ascii: "@") else {
      end += 1
      return .argument(.any)
    }
    guard Self.isNameStart(byte(end)) else { return .symbol(.remainder) }
    switch word() {
    case "K": return .keyArgument
    case "d", "i", "u", "hd", "hi", "hu", "ld", "li", "lu", "lld", "lli", "llu", "qd", "qi", "qu", "zd", "zu":
      return .argument(.integer)
    case "f", "e", "g", "lf", "le", "lg": return .argument(.number)
    default: throw error("expected %@, %K, %d or %f (a remainder is written with a space, as in id % 2)")
    }
  }

  private mutating func word() -> String {
    let from = end
    while end < bytes.count, Self.isNamePart(bytes[end]) { end += 1 }
    return String(decoding: bytes[from..<end], as: UTF8.self)
  }

  private mutating func number() throws(StorageError) -> Token {
    guard let number = NumberText(prefix: bytes[start...], end: &end) else { throw error("expected a number") }
    guard !Self.isNameStart(byte(end)) else { throw error("this is not a number, and names cannot begin with a digit") }
    return .number(number)
  }
}
