import QuarryBackend

/// Operators and brackets.
extension PredicateLexer {
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

  mutating func symbol() throws(StorageError) -> Token {
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
      throw error("the character \(String(UnicodeScalar(bytes[start]))) is not expected here")
    }
  }
}
