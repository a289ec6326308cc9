import QuarryBackend

/// Parses one JSON text (RFC 8259) strictly, without losing anything of its numbers.
///
/// Foundation's decoders give numbers as doubles or decimals and keep one of two members of the same name; here numbers
/// stay text until their column's type is known, and a name that comes twice is an error.
struct JSONParser {
  /// Arrays and objects inside each other.
  static let depthLimit = 128

  private let text: [UInt8]
  private var index = 0
  /// The line of the file that the text is, for messages.
  private let line: Int

  /// - Parameter text: UTF-8; it is checked before anything else.
  static func parse(_ text: [UInt8], line: Int) throws(StorageError) -> JSONValue {
    var parser = JSONParser(text: text, line: line)
    if let invalid = text.firstInvalidUTF8 {
      parser.index = invalid
      throw parser.failure("the text is not UTF-8")
    }
    parser.skipSpace()
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.index == text.count else { throw parser.failure("there is more after the value") }
    return value
  }

  private init(text: [UInt8], line: Int) {
    self.text = text
    self.line = line
  }

  private func failure(_ message: String) -> StorageError {
    StorageError(.invalidValue, "line \(line), byte \(index + 1): \(message)")
  }

  private var next: UInt8? { index < text.count ? text[index] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    index += 1
    return true
  }

  private mutating func value(depth: Int) throws(StorageError) -> JSONValue {
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth + 1)
    case UInt8(ascii: "["): return try array(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), .some(0x30...0x39): return .number(try number())
    case nil: throw failure("a value is missing")
    default: throw failure("this is no JSON value")
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(StorageError) -> JSONValue {
    let bytes = word.description.utf8
    guard text[index...].starts(with: bytes) else { throw failure("this is no JSON value") }
    index += bytes.count
    return value
  }

  private mutating func number() throws(StorageError) -> String {
    let start = index
    while let byte = next {
      switch byte {
      case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        index += 1
        continue
      default: break
      }
      break
    }
    guard NumberForm(text[start..<index]) != nil else {
      index = start
      throw failure("this is no JSON number")
    }
    return String(decoding: text[start..<index], as: UTF8.self)
  }

  private func checkDepth(_ depth: Int) throws(StorageError) {
    guard depth <= Self.depthLimit else {
      throw .limitExceeded("line \(line): depth of arrays and objects", limit: Self.depthLimit, actual: depth)
    }
  }

  private mutating func array(depth: Int) throws(StorageError) -> JSONValue {
    try checkDepth(depth)
    index += 1
    var elements: [JSONValue] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array([]) }
    while true {
      skipSpace()
      elements.append(try value(depth: depth))
      skipSpace()
      if take(UInt8(ascii: ",")) { continue }
      guard take(UInt8(ascii: "]")) else { throw failure("a comma or ] is missing") }
      return .array(elements)
    }
  }

  private mutating func object(depth: Int) throws(StorageError) -> JSONValue {
    try checkDepth(depth)
    index += 1
    var members: [JSONValue.Member] = []
    var names: Set<ByteString> = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object([]) }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw failure("a member's name is missing") }
      let start = index
      let name = try string()
      guard isNew(name, members, &names) else {
        index = start
        throw failure("the object has the name \(name.excerpt) twice")
      }
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw failure("a colon is missing") }
      skipSpace()
      members.append(JSONValue.Member(name: name, value: try value(depth: depth)))
      skipSpace()
      if take(UInt8(ascii: ",")) { continue }
      guard take(UInt8(ascii: "}")) else { throw failure("a comma or } is missing") }
      return .object(members)
    }
  }

  /// Whether the name is not among the members: compared with each while there are few, looked up when there are many.
  private func isNew(_ name: String, _ members: [JSONValue.Member], _ names: inout Set<ByteString>) -> Bool {
    if members.count < 16 { return !members.contains { $0.name.utf8.elementsEqual(name.utf8) } }
    if names.isEmpty { names = Set(members.map { ByteString($0.name) }) }
    return names.insert(ByteString(name)).inserted
  }

  private mutating func string() throws(StorageError) -> String {
    index += 1
    let start = index
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { index += 1 }
    if next == UInt8(ascii: "\"") {
      defer { index += 1 }
      return String(decoding: text[start..<index], as: UTF8.self)
    }
    var bytes = Array(text[start..<index])
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        return String(decoding: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"):
        try escape(&bytes)
      case 0..<0x20:
        throw failure("a control character in a string is not escaped")
      default:
        bytes.append(byte)
        index += 1
      }
    }
    throw failure("the string is never closed")
  }

  private mutating func escape(_ bytes: inout [UInt8]) throws(StorageError) {
    index += 1
    guard let byte = next else { throw failure("the string is never closed") }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "u"):
      try unicodeEscape(&bytes)
      return
    default: throw failure("a backslash with this character means nothing")
    }
    index += 1
  }

  private mutating func unicodeEscape(_ bytes: inout [UInt8]) throws(StorageError) {
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
    guard let scalar = Unicode.Scalar(code) else {
      index = start
      throw failure("half of a surrogate pair")
    }
    bytes.append(contentsOf: String(Character(scalar)).utf8)
  }

  private mutating func fourDigits() throws(StorageError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw failure("four hexadecimal digits are missing")
      }
      code = code << 4 | UInt32(digit)
      index += 1
    }
    return code
  }
}
