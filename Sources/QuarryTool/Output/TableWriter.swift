import QuarryBackend
import QuarryData

/// Writes records as a table for people: columns aligned, numbers to the right, control characters escaped, nil as
/// `nil`. On a terminal columns are cut so that a line fits.
///
/// The widths come from the first rows, so that a long result is printed in bounded memory; a later cell that is wider
/// moves the rest of its line.
struct TableWriter: RecordWriter {
  /// The number of rows that are measured before the first is printed.
  static let sampleSize = 1000
  private static let gap = 2
  /// A column is not cut below this while another can be.
  private static let least = 4

  private struct Column {
    var name: String
    var width: Int
    var isNumeric = true
    var hasValue = false
  }

  private let sink: ByteSink
  private let lineWidth: Int?
  private var columns: [Column] = []
  private var sample: [[String]] = []
  private var isStreaming = false

  /// - Parameter width: The terminal's width; nil does not cut.
  init(_ sink: ByteSink, width: Int?) {
    self.sink = sink
    lineWidth = width
  }

  mutating func begin(_ columns: [String]) throws {
    self.columns = columns.map {
      let name = $0.escapedForDisplay
      return Column(name: name, width: DisplayWidth.of(name))
    }
  }

  mutating func write(_ values: [Value]) throws {
    var cells: [String] = []
    cells.reserveCapacity(values.count)
    for (index, value) in values.enumerated() {
      let text = value.isNull ? "nil" : ValueText.string(value).escapedForDisplay
      cells.append(text)
      if isStreaming { continue }
      columns[index].width = max(columns[index].width, DisplayWidth.of(text))
      if value.isNull { continue }
      columns[index].hasValue = true
      if !value.isNumber { columns[index].isNumeric = false }
    }
    if isStreaming { return try writeLine(cells) }
    sample.append(cells)
    if sample.count >= Self.sampleSize { try startStreaming() }
  }

  mutating func finish() throws {
    if !isStreaming { try startStreaming() }
    try sink.flush()
  }

  private mutating func startStreaming() throws {
    isStreaming = true
    fit()
    try writeLine(columns.map(\.name))
    try writeLine(columns.map { String(repeating: "-", count: $0.width) })
    for cells in sample { try writeLine(cells) }
    sample = []
  }

  /// Cuts the widest columns until a line fits the terminal.
  private mutating func fit() {
    guard let lineWidth else { return }
    let available = lineWidth - Self.gap * max(0, columns.count - 1)
    var cap = columns.map(\.width).max() ?? 0
    while cap > Self.least, columns.reduce(0, { $0 + min($1.width, cap) }) > available { cap -= 1 }
    for index in columns.indices where columns[index].width > cap { columns[index].width = cap }
  }

  private func writeLine(_ cells: [String]) throws {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let column = columns[index]
      var text = cell
      var width = DisplayWidth.of(text)
      if lineWidth != nil, width > column.width {
        text = DisplayWidth.prefix(text, column.width - 1) + "…"
        width = DisplayWidth.of(text)
      }
      if index > 0 { line += String(repeating: " ", count: Self.gap) }
      let padding = String(repeating: " ", count: max(0, column.width - width))
      line += column.isNumeric && column.hasValue ? padding + text : text + padding
    }
    while line.last == " " { line.removeLast() }
    // With very many columns even the least widths are too much for the line.
    if let lineWidth, DisplayWidth.of(line) > lineWidth { line = DisplayWidth.prefix(line, lineWidth - 1) + "…" }
    try sink.write(line + "\n")
  }
}

extension Value {
  fileprivate var isNumber: Bool {
    switch self {
    case .int, .uint, .float, .double, .decimal: true
    default: false
    }
  }
}
