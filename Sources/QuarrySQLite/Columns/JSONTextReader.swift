import QuarryBackend

/// Reads JSON into value trees. Integers and Doubles are told apart by a point or a power of ten; a name that comes
/// twice, text after the value and trees that are too deep are refused.
struct JSONTextReader {
  private let text: UnsafeRawBufferPointer
  private var position = 0

  static let damaged = StorageError(.corrupt, "a nested value is not JSON of its type")

  init(_ text: UnsafeRawBufferPointer) {
    self.text = text
  }

  mutating func document() throws(StorageError) -> Value {
    let value = try value(depth: 0)
    skipSpace()
    guard position == text.count else { throw Self.damaged }
    return value
  }

  private var next: UInt8? { position < text.count ? text[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func take(_ expected: UInt8) -> Bool {
    guard next == expected else { return false }
    position += 1
    return true
  }

  private mutating func take(word: StaticString) throws(StorageError) {
    let end = position + word.utf8CodeUnitCount
    guard end <= text.count else { throw Self.damaged }
    for index in 0..<word.utf8CodeUnitCount where text[position + index] != word.utf8Start[index] {
      throw Self.damaged
    }
    position = end
  }

  private mutating func value(depth: Int) throws(StorageError) -> Value {
    guard depth <= NestedCoding.maximumDepth else { throw Self.damaged }
    skipSpace()
    switch next {
    case UInt8(ascii: "n"):
      try take(word: "null")
      return .null
    case UInt8(ascii: "t"):
      try take(word: "true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try take(word: "false")
      return .bool(false)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "["): return .array(try elements(depth: depth))
    case UInt8(ascii: "{"): return .object(try members(depth: depth))
    default: return try number()
    }
  }

  private mutating func elements(depth: Int) throws(StorageError) -> [Value] {
    position += 1
    skipSpace()
    var elements: [Value] = []
    if take(UInt8(ascii: "]")) { return elements }
    while true {
      elements.append(try value(depth: depth + 1))
      skipSpace()
      if take(UInt8(ascii: "]")) { return elements }
      guard take(UInt8(ascii: ",")) else { throw Self.damaged }
    }
  }

  private mutating func members(depth: Int) throws(StorageError) -> [Value.Member] {
    position += 1
    skipSpace()
    var members: [Value.Member] = []
    if take(UInt8(ascii: "}")) { return members }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw Self.damaged }
      let name = try string()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw Self.damaged }
      members.append(Value.Member(name, try value(depth: depth + 1)))
      skipSpace()
      if take(UInt8(ascii: "}")) { break }
      guard take(UInt8(ascii: ",")) else { throw Self.damaged }
    }
    // Quarry writes names in their order; who has edited by hand may not have.
    members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    for (member, following) in zip(members, members.dropFirst())
    where member.name.utf8.elementsEqual(following.name.utf8) {
      throw Self.damaged
    }
    return members
  }

  private mutating func number() throws(StorageError) -> Value {
    let start = position
    var isInteger = true
    scan: while let byte = next {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): break
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"): isInteger = false
      default: break scan
      }
      position += 1
    }
    guard position > start, let digits = String(validating: text[start..<position], as: UTF8.self) else {
      throw Self.damaged
    }
    if isInteger {
      if let value = Int64(digits) { return .int(value) }
      if let value = UInt64(digits) { return .uint(value) }
    } else if let value = Double(digits), value.isFinite {
      return .double(value)
    }
    throw Self.damaged
  }

  private mutating func string() throws(StorageError) -> String {
    position += 1
    var bytes: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: bytes, as: UTF8.self) else { throw Self.damaged }
        return string
      case UInt8(ascii: "\\"): try escape(&bytes)
      case 0..<0x20: throw Self.damaged
      default: bytes.append(byte)
      }
    }
    throw Self.damaged
  }

  private mutating func escape(_ bytes: inout [UInt8]) throws(StorageError) {
    guard let byte = next else { throw Self.damaged }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "u"):
      var code = UInt32(try codeUnit())
      if code & 0xFC00 == 0xD800 {
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw Self.damaged }
        let low = UInt32(try codeUnit())
        guard low & 0xFC00 == 0xDC00 else { throw Self.damaged }
        code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF
      }
      guard let scalar = Unicode.Scalar(code) else { throw Self.damaged }
      bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default: throw Self.damaged
    }
  }

  private mutating func codeUnit() throws(StorageError) -> UInt16 {
    var result: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next else { throw Self.damaged }
      position += 1
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: throw Self.damaged
      }
      result = result << 4 | UInt16(digit)
    }
    return result
  }
}
