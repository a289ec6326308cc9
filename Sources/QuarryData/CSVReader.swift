package import QuarryBackend

/// Reads comma-separated values as RFC 4180 has them, row by row, in memory bounded by the longest row.
///
/// Lines end in LF, CRLF or CR; a byte order mark at the beginning is skipped; text is UTF-8. Quotes are strict: a quote
/// inside an unquoted cell, or anything but a comma or a line's end after the closing quote, is an error, because a file
/// that has them was cut or written wrongly. Blank lines are skipped, except in a file of one column, where they are
/// rows.
package struct CSVReader {
  /// A cell of the current row: a range of ``bytes``.
  struct Cell {
    var start: Int
    var end: Int
    /// The line on which the cell begins, from 1.
    var line: Int
    var isQuoted: Bool
  }

  /// A row may not be longer than this, so that a missing quote in a huge file does not fill the memory.
  static let rowLimit = 1 << 28

  /// The names in the header row.
  package private(set) var names: [String] = []
  /// Whether every name in the header row was quoted.
  private(set) var isHeaderQuoted = false
  /// The contents of the current row's cells without quotes, which are valid UTF-8.
  private(set) var bytes: [UInt8] = []
  private(set) var cells: [Cell] = []
  var bytesRead: Int64 { source.bytesRead }

  private let source: ByteSource
  private var chunk: [UInt8] = []
  private var position = 0
  private var line = 1
  /// The last byte was a CR, so that an LF now belongs to the same line end.
  private var isAfterReturn = false
  private var isAtEnd = false

  /// Opens a file and reads its header.
  ///
  /// - Throws: `invalidValue` with line and column for a header that is missing, has an empty name or a name twice.
  package init(_ source: ByteSource) throws(StorageError) {
    self.source = source
    try skipByteOrderMark()
    guard try readRow() else { throw StorageError(.invalidValue, "\(source.path) is empty: it has no header row") }
    isHeaderQuoted = cells.allSatisfy(\.isQuoted)
    names = cells.map { String(decoding: bytes[$0.start..<$0.end], as: UTF8.self) }
    try checkNames()
  }

  /// Moves to the next row and says whether there is one.
  ///
  /// - Throws: `invalidValue` with line and column for wrong quotes, wrong UTF-8 and a wrong number of cells;
  ///   `limitExceeded`; `io`.
  mutating func next() throws(StorageError) -> Bool {
    guard try readRow() else { return false }
    guard cells.count == names.count else {
      let line = cells.first?.line ?? line
      throw StorageError(
        .invalidValue,
        "line \(line), column \(min(cells.count, names.count) + 1): the row has \(cells.count) "
          + "\(cells.count == 1 ? "cell" : "cells"), the header \(names.count)")
    }
    return true
  }

  /// Where a cell of the current row is, for messages.
  func place(_ column: Int) -> String {
    "line \(cells[column].line), column \(column + 1) (\(names[column].escapedForDisplay))"
  }

  private func checkNames() throws(StorageError) {
    var seen: [ByteString: Int] = [:]
    for (column, name) in names.enumerated() {
      let line = cells[column].line
      if name.isEmpty {
        throw StorageError(.invalidValue, "line \(line), column \(column + 1): the header has an empty name")
      }
      // Names of properties are unique under ASCII case folding.
      let folded = ByteString(name.loweredASCII)
      if let first = seen[folded] {
        throw StorageError(
          .invalidValue,
          "line \(line), column \(column + 1): the header has the name \(name.escapedForDisplay) twice, "
            + "first in column \(first + 1)")
      }
      seen[folded] = column
    }
  }

  private mutating func skipByteOrderMark() throws(StorageError) {
    var start: [UInt8] = []
    while start.count < 3 {
      try source.read(into: &chunk)
      if chunk.isEmpty { break }
      start += chunk
    }
    chunk = start
    position = chunk.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  private mutating func fill() throws(StorageError) -> Bool {
    if isAtEnd { return false }
    try source.read(into: &chunk)
    position = 0
    isAtEnd = chunk.isEmpty
    return !isAtEnd
  }

  private enum State { case cellStart, unquoted, quoted, afterQuote }

  private mutating func readRow() throws(StorageError) -> Bool {
    bytes.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
    var state = State.cellStart
    var cell = Cell(start: 0, end: 0, line: line, isQuoted: false)
    var isASCII = true
    while true {
      if position >= chunk.count, try !fill() {
        if state == .quoted {
          throw StorageError(
            .invalidValue, "line \(cell.line), column \(cells.count + 1): the quote is never closed")
        }
        if state == .cellStart, cells.isEmpty { return false }
        try finish(&cell, isASCII)
        return true
      }
      switch state {
      case .cellStart:
        let byte = chunk[position]
        if isAfterReturn {
          isAfterReturn = false
          if byte == UInt8(ascii: "\n") {
            position += 1
            continue
          }
        }
        cell = Cell(start: bytes.count, end: bytes.count, line: line, isQuoted: byte == UInt8(ascii: "\""))
        isASCII = true
        if cell.isQuoted { position += 1 }
        state = cell.isQuoted ? .quoted : .unquoted
      case .unquoted:
        let end = plainEnd()
        append(end, &isASCII)
        guard position < chunk.count else { break }
        if chunk[position] == UInt8(ascii: "\"") {
          throw StorageError(
            .invalidValue, "line \(line), column \(cells.count + 1): a quote inside a cell that is not quoted")
        }
        if try endCell(&cell, isASCII) { return true }
        state = .cellStart
      case .quoted:
        let end = quotedEnd()
        append(end, &isASCII)
        guard position < chunk.count else { break }
        position += 1
        state = .afterQuote
      case .afterQuote:
        let byte = chunk[position]
        if byte == UInt8(ascii: "\"") {
          bytes.append(byte)
          position += 1
          isAfterReturn = false
          state = .quoted
          continue
        }
        guard byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
          throw StorageError(
            .invalidValue,
            "line \(line), column \(cells.count + 1): after a closing quote comes neither a comma nor the line's end")
        }
        isAfterReturn = false
        if try endCell(&cell, isASCII) { return true }
        state = .cellStart
      }
      if bytes.count > Self.rowLimit {
        throw .limitExceeded(
          "the row that begins in line \(cells.first?.line ?? cell.line), in bytes", limit: Self.rowLimit,
          actual: bytes.count)
      }
    }
  }

  /// Ends the cell at the comma or the line's end that is next, and says whether it was the row's last.
  private mutating func endCell(_ cell: inout Cell, _ isASCII: Bool) throws(StorageError) -> Bool {
    let byte = chunk[position]
    position += 1
    if byte == UInt8(ascii: ",") {
      try finish(&cell, isASCII)
      // A comma at the end of the file is followed by one more, empty, cell.
      if position >= chunk.count, try !fill() {
        cell = Cell(start: bytes.count, end: bytes.count, line: line, isQuoted: false)
        try finish(&cell, true)
        return true
      }
      return false
    }
    isAfterReturn = byte == UInt8(ascii: "\r")
    line += 1
    let isBlank = cells.isEmpty && cell.start == bytes.count && !cell.isQuoted
    if isBlank && names.count != 1 { return false }
    try finish(&cell, isASCII)
    return true
  }

  private mutating func finish(_ cell: inout Cell, _ isASCII: Bool) throws(StorageError) {
    cell.end = bytes.count
    if !isASCII, let error = bytes[cell.start..<cell.end].firstInvalidUTF8 {
      let line = cell.line + bytes[cell.start..<error].lineEnds
      throw StorageError(.invalidValue, "line \(line), column \(cells.count + 1): the text is not UTF-8")
    }
    cells.append(cell)
  }

  /// Takes the bytes of the chunk up to the end into the cell.
  private mutating func append(_ end: Int, _ isASCII: inout Bool) {
    guard end > position else { return }
    if isASCII { isASCII = chunk[position..<end].allSatisfy { $0 < 0x80 } }
    bytes.append(contentsOf: chunk[position..<end])
    position = end
  }

  private func plainEnd() -> Int {
    var index = position
    while index < chunk.count {
      let byte = chunk[index]
      if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
        || byte == UInt8(ascii: "\"")
      {
        break
      }
      index += 1
    }
    return index
  }

  /// Finds the next quote and counts the lines on the way there.
  private mutating func quotedEnd() -> Int {
    var index = position
    while index < chunk.count {
      let byte = chunk[index]
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\n") {
        if !isAfterReturn { line += 1 }
        isAfterReturn = false
      } else if byte == UInt8(ascii: "\r") {
        line += 1
        isAfterReturn = true
      } else {
        isAfterReturn = false
      }
      index += 1
    }
    return index
  }
}
