import QuarryBackend

/// Reads the objects of a file one after the other, in memory bounded by the longest: one on each line, blank lines
/// skipped, or the elements of one array.
struct JSONObjectReader {
  /// The members of the current object.
  private(set) var members: [JSONValue.Member] = []
  /// The line on which the current object begins, from 1.
  private(set) var line = 0
  var bytesRead: Int64

  private enum Content {
    case lines(LineReader)
    case array(JSONArrayReader)
  }

  private var content: Content

  /// - Parameter isArray: Whether the file is one array.
  init(_ source: ByteSource, _ encoding: TextEncoding, isArray: Bool) {
    content = isArray ? .array(JSONArrayReader(source, encoding)) : .lines(LineReader(source, encoding))
    bytesRead = 0
  }

  /// Moves to the next object and returns whether there is one.
  ///
  /// - Throws: `invalidValue` with the line for text that is not a JSON object; `limitExceeded`; `io`.
  mutating func next() throws(StorageError) -> Bool {
    let value: JSONValue
    switch content {
    case .lines(var lines):
      guard try Self.nextLine(&lines) else { return false }
      line = lines.line
      bytesRead = lines.bytesRead
      value = try JSONParser.parse(lines.text, line: line)
      content = .lines(lines)
    case .array(let array):
      guard let next = try array.next() else { return false }
      line = array.line
      bytesRead = array.bytesRead
      value = next
    }
    guard case .object(let members) = value else {
      throw StorageError(.invalidValue, "line \(line): \(value.kind) where an object is expected")
    }
    self.members = members
    return true
  }

  private static func nextLine(_ lines: inout LineReader) throws(StorageError) -> Bool {
    while try lines.next() {
      if !lines.text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return true }
    }
    return false
  }
}

/// Reads the elements of a JSON array that is a whole file.
final class JSONArrayReader {
  /// The line on which the current element begins.
  private(set) var line = 1
  var bytesRead: Int64 { buffer.source.bytesRead }

  private let buffer: TextBuffer
  private var nextLine = 1
  /// Bytes of the line before the buffer's first.
  private var column = 0
  private var hasBegun = false
  private var hasEnded = false

  init(_ source: ByteSource, _ encoding: TextEncoding) {
    buffer = TextBuffer(TextDecoder(source, encoding))
  }

  /// The next element, or nil at the array's end.
  func next() throws(StorageError) -> JSONValue? {
    if hasEnded { return nil }
    if !hasBegun {
      hasBegun = true
      guard try take("[") else { throw wrong("an array is expected: [ is missing") }
      if try take("]") { return try end() }
    } else if try !take(",") {
      guard try take("]") else { throw wrong("a comma or ] is missing") }
      return try end()
    }
    try skipSpace()
    line = nextLine
    let length = try elementBytes()
    let text = buffer.bytes(buffer.start..<(buffer.start + length))
    let value = try JSONParser.parse(text, line: line, column: column)
    advance(length)
    return value
  }

  private func end() throws(StorageError) -> JSONValue? {
    hasEnded = true
    try skipSpace()
    if buffer.count > 0 { throw wrong("there is more after the array") }
    return nil
  }

  private func wrong(_ what: String) -> StorageError {
    StorageError(.invalidValue, "line \(nextLine), byte \(column + 1): \(what)")
  }

  /// Advances past bytes that were read.
  private func advance(_ count: Int) {
    for byte in buffer.bytes(buffer.start..<(buffer.start + count)) {
      column += 1
      if byte == UInt8(ascii: "\n") {
        nextLine += 1
        column = 0
      }
    }
    buffer.start += count
  }

  private func skipSpace() throws(StorageError) {
    while true {
      var count = 0
      while count < buffer.count, [0x20, 0x09, 0x0A, 0x0D].contains(buffer.base[buffer.start + count]) { count += 1 }
      let isAll = count == buffer.count
      advance(count)
      guard isAll, try buffer.more() else { return }
    }
  }

  private func take(_ character: Unicode.Scalar) throws(StorageError) -> Bool {
    try skipSpace()
    guard buffer.count > 0, UInt32(buffer.base[buffer.start]) == character.value else { return false }
    advance(1)
    return true
  }

  /// The number of bytes of the element at the beginning of the buffer; all remaining bytes where it never ends.
  private func elementBytes() throws(StorageError) -> Int {
    var count = 0
    var depth = 0
    var isInString = false
    var isEscaped = false
    while true {
      while count < buffer.count {
        let byte = buffer.base[buffer.start + count]
        if isInString {
          if isEscaped {
            isEscaped = false
          } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
          } else if byte == UInt8(ascii: "\"") {
            isInString = false
          }
        } else {
          switch byte {
          case UInt8(ascii: "\""): isInString = true
          case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
          case UInt8(ascii: ",") where depth == 0: return count
          case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if depth == 0 { return count }
            depth -= 1
            if depth == 0 { return count + 1 }
          default: break
          }
        }
        count += 1
      }
      if count > LineReader.limit {
        throw .limitExceeded(
          "the element that begins in line \(line), in bytes", limit: LineReader.limit, actual: count)
      }
      guard try buffer.more() else { return count }
    }
  }
}
