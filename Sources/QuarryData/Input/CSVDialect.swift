import QuarryBackend

/// The delimiter between the cells of a row.
package enum CSVDialect {
  package static let comma = UInt8(ascii: ",")
  static let candidates = [comma, UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")]
  /// The number of rows that are sampled.
  private static let sample = 100

  /// The delimiter of a text: one ASCII character that is no quote and no line end, `tab` or `\t`.
  package static func delimiter(_ text: String) -> UInt8? {
    if text == "tab" || text == "\\t" { return UInt8(ascii: "\t") }
    guard text.utf8.count == 1, let byte = text.utf8.first, byte < 0x80, byte != 0 else { return nil }
    return byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") ? nil : byte
  }

  static func words(_ delimiter: UInt8) -> String {
    switch delimiter {
    case comma: "a comma"
    case UInt8(ascii: ";"): "a semicolon"
    case UInt8(ascii: "\t"): "a tab"
    default: String(decoding: [delimiter], as: UTF8.self).excerpt
    }
  }

  /// Finds the delimiter that splits the header into the most columns, and the rows after it into as many cells.
  ///
  /// - Returns: The delimiter, and the reason for it; no reason where it is the comma and nothing else fits.
  static func infer(
    _ encoding: TextEncoding, _ open: () throws(StorageError) -> ByteSource
  ) throws(StorageError) -> (delimiter: UInt8, reason: String?) {
    var best: (delimiter: UInt8, columns: Int, rows: Int)?
    var others = false
    for candidate in candidates {
      guard let found = try columns(CSVReader(unread: open(), candidate, encoding)), found.columns > 1 else { continue }
      if best != nil { others = true }
      if found.columns > best?.columns ?? 1 { best = (candidate, found.columns, found.rows) }
    }
    guard let best else { return (comma, nil) }
    if best.delimiter == comma, !others { return (comma, nil) }
    let rows =
      switch best.rows {
      case 0: ""
      case 1: ", and so has the first row"
      default: ", and so has each of the first \(best.rows) rows"
      }
    return (
      best.delimiter,
      "the delimiter is \(words(best.delimiter)): with it the header has \(best.columns) columns\(rows) "
        + "(--delimiter says otherwise)"
    )
  }

  /// The number of columns of the header, and of rows that have as many; nil where a row has another number.
  private static func columns(_ reader: CSVReader) throws(StorageError) -> (columns: Int, rows: Int)? {
    do throws(StorageError) {
      guard try reader.readRow() else { return nil }
      let columns = reader.count
      var rows = 0
      while rows < sample, try reader.readRow() {
        if reader.count != columns { return nil }
        rows += 1
      }
      return (columns, rows)
    } catch {
      // A row that is wrong with this delimiter may be right with another.
      if error.code == .invalidValue { return nil }
      throw error
    }
  }
}
