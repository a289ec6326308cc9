/// The target of a JSON parse: the values, the accepted numbers, the maximum depth, and the errors for an invalid text.
package protocol JSONTarget {
  associatedtype Node
  /// The members of an object that is being read.
  associatedtype Members: JSONMembers<Node>

  /// Whether a number may begin with a point or a plus sign, which JSON does not have.
  static var takesLooseNumbers: Bool { get }
  /// Whether a value has too many arrays and objects around it.
  ///
  /// - Parameter depth: Their number.
  func isTooDeep(_ depth: Int, isArrayOrObject: Bool) -> Bool

  static var null: Node { get }
  static func bool(_ value: Bool) -> Node
  static func string(_ value: String) -> Node
  static func array(_ elements: [Node]) -> Node
  /// The number of a text of digits, signs, points and letters e; nil where it is none.
  static func number(_ text: Slice<UnsafeRawBufferPointer>) -> Node?

  /// The error for a wrong text.
  ///
  /// - Parameter offset: The place of what is wrong in the text.
  func failure(_ defect: JSONDefect, at offset: Int) -> StorageError
}

/// The members of a JSON object, in the order of the text.
package protocol JSONMembers<Node> {
  associatedtype Node
  init()
  /// Whether a member may have that name.
  mutating func takes(_ name: String) -> Bool
  mutating func append(_ name: String, _ value: Node)
  consuming func object() throws(StorageError) -> Node
}

/// A defect of a JSON text.
package enum JSONDefect {
  case notUTF8, moreAfterValue, noValue, noSuchValue, noNumber, tooDeep(Int)
  case noCommaOrBracket, noCommaOrBrace, noName, noColon, nameTwice(String)
  case controlCharacter, noEndOfString, meaninglessEscape, noHexadecimalDigits, halfOfPair
}

/// Reads one JSON text (RFC 8259): no trailing commas, no comments, no name twice, no half of a surrogate pair.
package struct JSONReader<Target: JSONTarget> {
  @usableFromInline let text: UnsafeRawBufferPointer
  @usableFromInline var index = 0
  @usableFromInline let target: Target

  @inlinable
  init(_ text: UnsafeRawBufferPointer, _ target: Target) {
    self.text = text
    self.target = target
  }

  /// The value of a whole text.
  @inlinable
  package static func read(_ text: UnsafeRawBufferPointer, into target: Target) throws(StorageError) -> Target.Node {
    var reader = JSONReader(text, target)
    reader.skipSpace()
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.index == text.count else { throw reader.failure(.moreAfterValue) }
    return value
  }

  @inlinable
  func failure(_ defect: JSONDefect) -> StorageError { target.failure(defect, at: index) }

  @inlinable var next: UInt8? { index < text.count ? text[index] : nil }

  @inlinable
  mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
  }

  @inlinable
  mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    index += 1
    return true
  }

  // MARK: Values

  /// - Parameter depth: The arrays and objects around the value.
  @inlinable
  mutating func value(depth: Int) throws(StorageError) -> Target.Node {
    let first = next
    let isArrayOrObject = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    if target.isTooDeep(depth, isArrayOrObject: isArrayOrObject) { throw failure(.tooDeep(depth + 1)) }
    switch first {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return Target.string(try string())
    case UInt8(ascii: "t"): return try word("true", Target.bool(true))
    case UInt8(ascii: "f"): return try word("false", Target.bool(false))
    case UInt8(ascii: "n"): return try word("null", Target.null)
    case UInt8(ascii: "-"), .some(0x30...0x39): return try number()
    case UInt8(ascii: "+") where Target.takesLooseNumbers, UInt8(ascii: ".") where Target.takesLooseNumbers:
      return try number()
    case nil: throw failure(.noValue)
    default: throw failure(.noSuchValue)
    }
  }

  @inlinable
  mutating func word(_ word: StaticString, _ value: Target.Node) throws(StorageError) -> Target.Node {
    let end = index + word.utf8CodeUnitCount
    guard end <= text.count else { throw failure(.noSuchValue) }
    for place in 0..<word.utf8CodeUnitCount where text[index + place] != word.utf8Start[place] {
      throw failure(.noSuchValue)
    }
    index = end
    return value
  }

  @inlinable
  mutating func number() throws(StorageError) -> Target.Node {
    let start = index
    scan: while let byte = next {
      switch byte {
      case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        index += 1
      default: break scan
      }
    }
    guard let number = Target.number(text[start..<index]) else {
      index = start
      throw failure(.noNumber)
    }
    return number
  }

  @inlinable
  mutating func array(depth: Int) throws(StorageError) -> Target.Node {
    index += 1
    var elements: [Target.Node] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return Target.array([]) }
    while true {
      skipSpace()
      elements.append(try value(depth: depth + 1))
      skipSpace()
      if take(UInt8(ascii: ",")) { continue }
      guard take(UInt8(ascii: "]")) else { throw failure(.noCommaOrBracket) }
      return Target.array(elements)
    }
  }

  @inlinable
  mutating func object(depth: Int) throws(StorageError) -> Target.Node {
    index += 1
    var members = Target.Members()
    skipSpace()
    if !take(UInt8(ascii: "}")) {
      repeat {
        skipSpace()
        guard next == UInt8(ascii: "\"") else { throw failure(.noName) }
        let start = index
        let name = try string()
        guard members.takes(name) else { throw target.failure(.nameTwice(name), at: start) }
        skipSpace()
        guard take(UInt8(ascii: ":")) else { throw failure(.noColon) }
        skipSpace()
        members.append(name, try value(depth: depth + 1))
        skipSpace()
      } while take(UInt8(ascii: ","))
      guard take(UInt8(ascii: "}")) else { throw failure(.noCommaOrBrace) }
    }
    return try members.object()
  }

  // MARK: Strings

  @inlinable
  mutating func string() throws(StorageError) -> String {
    index += 1
    let start = index
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { index += 1 }
    if next == UInt8(ascii: "\"") {
      guard let string = String(validating: text[start..<index], as: UTF8.self) else {
        throw target.failure(.notUTF8, at: start)
      }
      index += 1
      return string
    }
    return try escapedString(start)
  }

  /// The rest of a string from the first byte on that is not as it stands.
  @inlinable
  mutating func escapedString(_ start: Int) throws(StorageError) -> String {
    var bytes = Array(text[start..<index])
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: bytes, as: UTF8.self) else {
          throw target.failure(.notUTF8, at: start)
        }
        index += 1
        return string
      case UInt8(ascii: "\\"):
        index += 1
        try escape(&bytes)
      case 0..<0x20:
        throw failure(.controlCharacter)
      default:
        bytes.append(byte)
        index += 1
      }
    }
    throw failure(.noEndOfString)
  }

  @inlinable
  mutating func escape(_ bytes: inout [UInt8]) throws(StorageError) {
    guard let byte = next else { throw failure(.noEndOfString) }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "u"): return try unicodeEscape(&bytes)
    default: throw failure(.meaninglessEscape)
    }
    index += 1
  }

  @inlinable
  mutating func unicodeEscape(_ bytes: inout [UInt8]) throws(StorageError) {
    let start = index
    index += 1
    var code = try fourDigits()
    if (0xD800..<0xDC00).contains(code), next == UInt8(ascii: "\\"), index + 1 < text.count,
      text[index + 1] == UInt8(ascii: "u")
    {
      index += 2
      let low = try fourDigits()
      if (0xDC00..<0xE000).contains(low) { code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00) }
    }
    guard let scalar = Unicode.Scalar(code) else { throw target.failure(.halfOfPair, at: start) }
    bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  @inlinable
  mutating func fourDigits() throws(StorageError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = next?.hexDigit else { throw failure(.noHexadecimalDigits) }
      code = code << 4 | UInt32(digit)
      index += 1
    }
    return code
  }
}
