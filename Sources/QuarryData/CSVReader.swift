package import QuarryBackend

/// Reads comma-separated values as RFC 4180 has them, row by row and in place, in memory bounded by the longest row.
///
/// Lines end in LF, CRLF or CR; text is UTF-8. Quotes are strict: a quote inside an unquoted cell, or anything but a
/// delimiter or a line's end after the closing quote, is an error, because a file that has them was cut or written
/// wrongly. Blank lines are skipped, except in a file of one column, where they are rows.
///
/// The unsafe part is the memory of the cells, which grows before a cell is added, and what the buffer lends: the bytes of
/// cells are valid until the next row is read.
package final class CSVReader {
  /// A cell of the current row: a range of the buffer.
  struct Cell {
    var start: Int
    var end: Int
    var isQuoted = false
    /// Whether quotes in it are still written twice.
    var hasEscapes = false
    /// Whether it has line ends.
    var hasLines = false

    /// Whether nothing is between its delimiters, not even quotes.
    @inline(__always) var isBlank: Bool { start == end && !isQuoted }
  }

  /// A row may not be longer than this, so that a missing quote in a huge file does not fill the memory.
  static let rowLimit = 1 << 28

  /// The names in the header row.
  package private(set) var names: [String] = []
  /// Whether every name in the header row was quoted.
  private(set) var isHeaderQuoted = false
  /// The line on which the current row begins, from 1.
  package private(set) var line = 0
  /// The number of cells of the current row.
  @exclusivity(unchecked) private(set) var count = 0
  var bytesRead: Int64 { buffer.source.bytesRead }

  private let buffer: TextBuffer
  let delimiter: UInt8
  /// For each byte whether it ends the plain part of a cell without quotes, or with them.
  private let plainEnds: UnsafeMutablePointer<Bool>
  @exclusivity(unchecked) private var cells: UnsafeMutablePointer<Cell>
  @exclusivity(unchecked) private var capacity = 64
  @exclusivity(unchecked) private var nextLine = 1
  /// The last byte was a CR, so that an LF now belongs to the same line end.
  @exclusivity(unchecked) private var isAfterReturn = false
  @exclusivity(unchecked) private var isAtEnd = false
  @exclusivity(unchecked) private var hasLines = false

  /// Opens a file and reads its header.
  ///
  /// - Throws: `invalidValue` with line and column for a header that is missing, has an empty name or a name twice.
  package convenience init(
    _ source: ByteSource, delimiter: UInt8 = CSVDialect.comma, encoding: TextEncoding = .utf8
  ) throws(StorageError) {
    self.init(unread: source, delimiter, encoding)
    guard try readRow() else { throw StorageError(.invalidValue, "\(source.path) is empty: it has no header row") }
    isHeaderQuoted = (0..<count).allSatisfy { cells[$0].isQuoted }
    names = (0..<count).map { String(decoding: bytes($0), as: UTF8.self) }
    try checkNames()
  }

  /// A reader that has not read the header.
  init(unread source: ByteSource, _ delimiter: UInt8, _ encoding: TextEncoding) {
    buffer = TextBuffer(TextDecoder(source, encoding))
    self.delimiter = delimiter
    cells = .allocate(capacity: capacity)
    plainEnds = .allocate(capacity: 256)
    plainEnds.initialize(repeating: false, count: 256)
    for byte in [delimiter, UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\"")] { plainEnds[Int(byte)] = true }
  }

  deinit {
    cells.deallocate()
    plainEnds.deallocate()
  }

  /// A cell of the current row.
  @inline(__always)
  subscript(column: Int) -> Cell { cells[column] }

  /// The bytes of a cell, without quotes, which are valid UTF-8; lent until the next row is read.
  @inline(__always)
  func bytes(_ column: Int) -> UnsafeRawBufferPointer {
    let cell = cells[column]
    return UnsafeRawBufferPointer(start: buffer.base + cell.start, count: cell.end &- cell.start)
  }

  /// Moves to the next row and returns whether there is one.
  ///
  /// - Throws: `invalidValue` with line and column for wrong quotes, wrong UTF-8 and a wrong number of cells; `limitExceeded`;
  ///   `io`.
  func next() throws(StorageError) -> Bool {
    guard try readRow() else { return false }
    guard count == names.count else {
      throw StorageError(
        .invalidValue,
        "line \(line), column \(min(count, names.count) + 1): the row has \(count) "
          + "\(count == 1 ? "cell" : "cells"), the header \(names.count)")
    }
    return true
  }

  /// The line on which a cell of the current row begins.
  func line(_ column: Int) -> Int {
    guard hasLines else { return line }
    return (0..<column).reduce(line) { $0 + bytes($1).lineEnds }
  }

  /// The place of a cell of the current row, for messages.
  func place(_ column: Int) -> String {
    "line \(line(column)), column \(column + 1) (\(names[column].escapedForDisplay))"
  }

  private func checkNames() throws(StorageError) {
    var seen: [ByteString: Int] = [:]
    for (column, name) in names.enumerated() {
      let line = line(column)
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

  // MARK: Rows

  private enum Found { case row, blank, part }

  /// Reads a row of however many cells.
  func readRow() throws(StorageError) -> Bool {
    while true {
      if buffer.count == 0 {
        guard !isAtEnd, try buffer.more() else { return false }
      }
      if isAfterReturn {
        isAfterReturn = false
        if buffer.base[buffer.start] == UInt8(ascii: "\n") {
          buffer.start += 1
          continue
        }
      }
      line = nextLine
      switch try scan() {
      case .row: return true
      case .blank: continue
      case .part:
        if buffer.count > Self.rowLimit { throw tooLong(buffer.count) }
        isAtEnd = try !buffer.more()
      }
    }
  }

  /// Finds the cells of the row at the beginning of the buffer. The cells of a partial row are found again later.
  private func scan() throws(StorageError) -> Found {
    let (base, end) = (buffer.base, buffer.end)
    var place = buffer.start
    // The bits of all bytes, which are below 0x80 where all is ASCII.
    var bits: UInt8 = 0
    count = 0
    hasLines = false
    while true {
      if place == end {
        guard isAtEnd else { return .part }
        // A delimiter at the end of the file is followed by one more, empty, cell.
        append(Cell(start: end, end: end))
        break
      }
      if base[place] == UInt8(ascii: "\"") {
        guard let after = try quotedCell(place, &bits) else { return .part }
        place = after
      } else {
        var next = place
        while !plainEnds[Int(base[next])] {
          bits |= base[next]
          next &+= 1
        }
        if next == end {
          guard isAtEnd else { return .part }
        } else if base[next] == UInt8(ascii: "\"") {
          throw wrong(next, "a quote inside a cell that is not quoted")
        }
        append(Cell(start: place, end: next))
        place = next
      }
      if place == end { break }
      let byte = base[place]
      place &+= 1
      if byte == delimiter { continue }
      isAfterReturn = byte == UInt8(ascii: "\r")
      nextLine += 1
      if count == 1, cells[0].isBlank, names.count != 1 {
        buffer.start = place
        return .blank
      }
      break
    }
    let length = place - buffer.start
    if length > Self.rowLimit { throw tooLong(length) }
    buffer.start = place
    if hasLines { nextLine += (0..<count).reduce(0) { $0 + (cells[$1].hasLines ? bytes($1).lineEnds : 0) } }
    try finish(isASCII: bits < 0x80)
    return .row
  }

  /// Finds the end of a cell that begins with a quote.
  ///
  /// - Returns: The place after the closing quote; nil where the buffer ends before it is known.
  private func quotedCell(_ start: Int, _ bits: inout UInt8) throws(StorageError) -> Int? {
    let (base, end) = (buffer.base, buffer.end)
    var cell = Cell(start: start + 1, end: start + 1, isQuoted: true)
    var next = start + 1
    while true {
      while base[next] != UInt8(ascii: "\"") {
        let byte = base[next]
        bits |= byte
        if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { cell.hasLines = true }
        next &+= 1
      }
      if next == end {
        guard isAtEnd else { return nil }
        throw wrong(start, "the quote is never closed")
      }
      // The sentinel behind the end is a quote, too.
      if next + 1 == end {
        guard isAtEnd else { return nil }
      } else if base[next + 1] == UInt8(ascii: "\"") {
        cell.hasEscapes = true
        next &+= 2
        continue
      }
      break
    }
    cell.end = next
    if cell.hasLines { hasLines = true }
    append(cell)
    next += 1
    if next < end, base[next] != delimiter, base[next] != UInt8(ascii: "\n"), base[next] != UInt8(ascii: "\r") {
      count -= 1
      throw wrong(
        next, "after a closing quote must come \(CSVDialect.words(delimiter)) or the end of the line")
    }
    return next
  }

  @inline(__always)
  private func append(_ cell: Cell) {
    if count == capacity { grow() }
    cells[count] = cell
    count &+= 1
  }

  private func grow() {
    let larger = UnsafeMutablePointer<Cell>.allocate(capacity: capacity * 2)
    larger.update(from: cells, count: count)
    cells.deallocate()
    cells = larger
    capacity *= 2
  }

  /// Checks the text of a complete row, and replaces doubled quotes by single ones.
  private func finish(isASCII: Bool) throws(StorageError) {
    if !isASCII {
      for column in 0..<count {
        guard let place = bytes(column).firstInvalidUTF8 else { continue }
        let line = line(column) + UnsafeRawBufferPointer(rebasing: bytes(column)[..<place]).lineEnds
        throw StorageError(.invalidValue, "line \(line), column \(column + 1): the text is not UTF-8")
      }
    }
    for column in 0..<count where cells[column].hasEscapes { unescape(column) }
  }

  private func unescape(_ column: Int) {
    let base = buffer.base
    let cell = cells[column]
    var target = cell.start
    var source = cell.start
    while source < cell.end {
      base[target] = base[source]
      source += base[source] == UInt8(ascii: "\"") ? 2 : 1
      target += 1
    }
    cells[column].end = target
  }

  // MARK: Errors

  private func wrong(_ place: Int, _ what: String) -> StorageError {
    let line = line + buffer.bytes(buffer.start..<place).lineEnds
    return StorageError(.invalidValue, "line \(line), column \(count + 1): \(what)")
  }

  private func tooLong(_ bytes: Int) -> StorageError {
    .limitExceeded("the row that begins in line \(line), in bytes", limit: Self.rowLimit, actual: bytes)
  }
}
