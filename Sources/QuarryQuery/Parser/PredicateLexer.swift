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

  /// What an argument's place in the text says of it.
  enum Argument {
    /// `%@`.
    case any
    /// `%d`, `%i`, `%u`, and longer ones.
    case integer
    /// `%f`, `%e`, `%g`.
    case number
  }

  enum Symbol: String {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case assign = "="
    case and = "&&"
    case or = "||"
    case not = "!"
    case leftParenthesis = "("
    case rightParenthesis = ")"
    case leftBrace = "{"
    case rightBrace = "}"
    case leftBracket = "["
    case rightBracket = "]"
    case comma = ","
    case colon = ":"
    case dot = "."
    case at = "@"
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divide = "/"
    case remainder = "%"
    case plusAssign = "+="
    case minusAssign = "-="
    case timesAssign = "*="
  }

  /// The longest text that is read.
  static let maximumBytes = 1 << 20

  private let bytes: [UInt8]
  /// Where the current token begins and ends.
  private(set) var start = 0
  private(set) var end = 0
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
    return PredicateText.shortened(tokenText)
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

  private func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }

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
    guard !Self.isNameStart(byte(end)) else { throw error("this is no number, and names do not begin with a digit") }
    return .number(number)
  }

  private mutating func symbol() throws(StorageError) -> Token {
    func symbol(_ symbol: Symbol, _ length: Int) -> Token {
      end = start + length
      return .symbol(symbol)
    }
    let second = byte(start + 1)
    let isBeforeEqual = second == UInt8(ascii: "=")
    switch bytes[start] {
    case UInt8(ascii: "="):
      if isBeforeEqual { return symbol(.equal, 2) }
      if second == UInt8(ascii: "<") { return symbol(.lessOrEqual, 2) }
      if second == UInt8(ascii: ">") { return symbol(.greaterOrEqual, 2) }
      return symbol(.assign, 1)
    case UInt8(ascii: "!"): return isBeforeEqual ? symbol(.notEqual, 2) : symbol(.not, 1)
    case UInt8(ascii: "<"):
      if isBeforeEqual { return symbol(.lessOrEqual, 2) }
      return second == UInt8(ascii: ">") ? symbol(.notEqual, 2) : symbol(.less, 1)
    case UInt8(ascii: ">"): return isBeforeEqual ? symbol(.greaterOrEqual, 2) : symbol(.greater, 1)
    case UInt8(ascii: "&") where second == UInt8(ascii: "&"): return symbol(.and, 2)
    case UInt8(ascii: "|") where second == UInt8(ascii: "|"): return symbol(.or, 2)
    case UInt8(ascii: "("): return symbol(.leftParenthesis, 1)
    case UInt8(ascii: ")"): return symbol(.rightParenthesis, 1)
    case UInt8(ascii: "{"): return symbol(.leftBrace, 1)
    case UInt8(ascii: "}"): return symbol(.rightBrace, 1)
    case UInt8(ascii: "["): return symbol(.leftBracket, 1)
    case UInt8(ascii: "]"): return symbol(.rightBracket, 1)
    case UInt8(ascii: ","): return symbol(.comma, 1)
    case UInt8(ascii: ":"): return symbol(.colon, 1)
    case UInt8(ascii: "."): return symbol(.dot, 1)
    case UInt8(ascii: "@"): return symbol(.at, 1)
    case UInt8(ascii: "+"): return isBeforeEqual ? symbol(.plusAssign, 2) : symbol(.plus, 1)
    case UInt8(ascii: "-"): return isBeforeEqual ? symbol(.minusAssign, 2) : symbol(.minus, 1)
    case UInt8(ascii: "/"): return symbol(.divide, 1)
    case UInt8(ascii: "*"): return isBeforeEqual ? symbol(.timesAssign, 2) : symbol(.times, 1)
    default:
      end = start + 1
      throw error("the character \(PredicateText.shortened(String(UnicodeScalar(bytes[start])))) means nothing here")
    }
  }

  private mutating func string(quote: UInt8) throws(StorageError) -> String {
    var content: [UInt8] = []
    var index = start + 1
    while index < bytes.count {
      // Runs without an escape are copied whole.
      let run = index
      while index < bytes.count, bytes[index] != quote, bytes[index] != UInt8(ascii: "\\") { index += 1 }
      content.append(contentsOf: bytes[run..<index])
      guard index < bytes.count else { break }
      if bytes[index] == quote {
        end = index + 1
        return String(decoding: content, as: UTF8.self)
      }
      content.append(contentsOf: try escape(&index))
    }
    end = bytes.count
    throw error("the string has no end")
  }

  /// The bytes that an escape stands for; the index is moved past it.
  private func escape(_ index: inout Int) throws(StorageError) -> [UInt8] {
    let start = index
    index += 2
    switch byte(start + 1) {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "0"): return [0]
    case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): return [byte(start + 1)]
    case UInt8(ascii: "u"): break
    default: throw error("unknown escape in a string: a backslash itself is written \\\\", at: start)
    }
    var code: UInt32?
    if byte(index) == UInt8(ascii: "{") {
      let digits = bytes[(index + 1)...].prefix { $0 != UInt8(ascii: "}") }.prefix(9)
      index = digits.endIndex + 1
      if digits.count <= 8, byte(digits.endIndex) == UInt8(ascii: "}") { code = Self.hexadecimal(digits) }
    } else {
      code = unit(at: &index)
      // Two units of UTF-16 are one scalar.
      if let high = code, (0xD800...0xDBFF).contains(high), byte(index) == UInt8(ascii: "\\"),
        byte(index + 1) == UInt8(ascii: "u")
      {
        index += 2
        if let low = unit(at: &index), (0xDC00...0xDFFF).contains(low) {
          code = 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
        }
      }
    }
    guard let code, let scalar = Unicode.Scalar(code) else {
      throw error("expected \\u{…} or \\uXXXX with the number of a Unicode scalar", at: start)
    }
    return Array(String(Character(scalar)).utf8)
  }

  private func unit(at index: inout Int) -> UInt32? {
    guard index + 4 <= bytes.count else { return nil }
    let digits = bytes[index..<(index + 4)]
    index += 4
    return Self.hexadecimal(digits)
  }

  private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt32? {
    guard !digits.isEmpty else { return nil }
    var value: UInt32 = 0
    for digit in digits {
      guard let digit = digit.hexDigit else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// A name in back quotes, in which two stand for one.
  private mutating func quotedName() throws(StorageError) -> String {
    var content: [UInt8] = []
    var index = start + 1
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "`") {
        guard byte(index + 1) == UInt8(ascii: "`") else {
          end = index + 1
          return String(decoding: content, as: UTF8.self)
        }
        index += 1
      }
      content.append(bytes[index])
      index += 1
    }
    end = bytes.count
    throw error("the name in back quotes has no end")
  }
}
