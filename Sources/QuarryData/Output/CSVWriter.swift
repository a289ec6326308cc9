package import QuarryBackend

/// Writes records as CSV that an import reads back as the same values.
///
/// Nil is an empty cell, the empty text a quoted one. Text is quoted where it would otherwise be cut or be taken for a
/// number or a Bool; numbers are never quoted.
package struct CSVWriter: RecordWriter {
  private let sink: ByteSink
  private var line: [UInt8] = []

  package init(_ sink: ByteSink) {
    self.sink = sink
  }

  package mutating func begin(_ columns: [String]) throws {
    line.removeAll(keepingCapacity: true)
    for (index, name) in columns.enumerated() {
      if index > 0 { line.append(UInt8(ascii: ",")) }
      append(name, isQuoted: Self.needsQuotes(name))
    }
    try endLine()
  }

  package mutating func write(_ values: [Value]) throws {
    line.removeAll(keepingCapacity: true)
    for (index, value) in values.enumerated() {
      if index > 0 { line.append(UInt8(ascii: ",")) }
      switch value {
      case .null: break
      case .bool, .int, .uint, .float, .double, .decimal, .uuid, .date:
        line.append(contentsOf: ExactText.text(value).utf8)
      case .string, .data, .url, .array, .object:
        let text = ExactText.text(value)
        append(text, isQuoted: Self.needsQuotes(text) || ScalarText.isScalar(text))
      }
    }
    try endLine()
  }

  package mutating func finish() throws {
    try sink.flush()
  }

  private mutating func endLine() throws {
    line.append(UInt8(ascii: "\n"))
    try sink.write(line)
  }

  private mutating func append(_ text: String, isQuoted: Bool) {
    guard isQuoted else {
      line.append(contentsOf: text.utf8)
      return
    }
    line.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") { line.append(byte) }
      line.append(byte)
    }
    line.append(UInt8(ascii: "\""))
  }

  /// Besides what RFC 4180 demands: spaces at the ends, which some readers cut off, and a byte order mark.
  private static func needsQuotes(_ text: String) -> Bool {
    guard let first = text.utf8.first, let last = text.utf8.last else { return true }
    if first <= 0x20 || last <= 0x20 || first == 0xEF { return true }
    return text.utf8.contains {
      $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
    }
  }
}
