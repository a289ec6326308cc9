import QuarryBackend
import QuarryData

/// Writes records as a table for people: columns aligned, numbers to the right, control characters escaped, nil as
/// `nil`.
///
/// With a width every line fits. The widest columns are cut. Where that leaves too little of them, a few rows are printed one
/// value on a line, and of more rows the last columns are left out, and named in a line at the end.
///
/// The widths come from the first rows, so that a long result is printed in bounded memory; a later cell that is wider
/// moves the rest of its line.
struct TableWriter: RecordWriter {
  /// The number of rows that are measured before the first is printed.
  static let sampleSize = 1000
  /// The greatest number of rows that are printed one value on a line in place of a table that does not fit.
  static let verticalRows = 10
  private static let gap = 2
  /// A column is not cut below this.
  private static let least = 8

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
  /// The names of the columns that are left out.
  private var omitted: [String] = []

  /// - Parameter width: The greatest width of a line; nil does not cut.
  init(_ sink: ByteSink, width: Int?) {
    self.sink = sink
    lineWidth = width
  }

  /// The value as it stands in a table.
  static func cell(_ value: Value) -> String {
    value.isNull ? "nil" : ExactText.text(value).escapedForDisplay
  }

  mutating func begin(_ columns: [String]) throws {
    self.columns = columns.map {
      let name = $0.escapedForDisplay
      return Column(name: name, width: DisplayWidth.of(name))
    }
  }

  mutating func write(_ values: [Value]) throws {
    if isStreaming { return try writeLine(values.prefix(columns.count).map(Self.cell)) }
    var cells: [String] = []
    cells.reserveCapacity(values.count)
    for (index, value) in values.enumerated() {
      let text = Self.cell(value)
      cells.append(text)
      columns[index].width = max(columns[index].width, DisplayWidth.of(text))
      if value.isNull { continue }
      columns[index].hasValue = true
      if !value.isNumber { columns[index].isNumeric = false }
    }
    sample.append(cells)
    if sample.count >= Self.sampleSize { try startStreaming() }
  }

  mutating func finish() throws {
    if !isStreaming {
      if !sample.isEmpty, sample.count <= Self.verticalRows, fittingCount < columns.count {
        try writeVertically()
      } else {
        try startStreaming()
      }
    }
    if !omitted.isEmpty { try writeOmitted() }
    try sink.flush()
  }

  private mutating func writeVertically() throws {
    var writer = VerticalWriter(sink)
    try writer.begin(columns.map(\.name))
    for cells in sample { try writer.write(cells: cells) }
    try writer.finish()
  }

  private func writeOmitted() throws {
    let count = omitted.count
    var line = "+\(count) \(count == 1 ? "column" : "columns"): " + omitted.joined(separator: ", ")
    if let lineWidth, DisplayWidth.of(line) > lineWidth { line = DisplayWidth.prefix(line, lineWidth - 1) + "…" }
    try sink.write(line + "\n")
  }

  private mutating func startStreaming() throws {
    isStreaming = true
    let count = fittingCount
    omitted = columns[count...].map(\.name)
    columns.removeSubrange(count...)
    fit()
    try writeLine(columns.map(\.name))
    try writeLine(columns.map { String(repeating: "-", count: $0.width) })
    for cells in sample { try writeLine(Array(cells.prefix(count))) }
    sample = []
  }

  /// The number of columns that a line has room for, at least one.
  private var fittingCount: Int {
    guard let lineWidth else { return columns.count }
    var used = 0
    for (index, column) in columns.enumerated() {
      used += min(column.width, Self.least) + (index > 0 ? Self.gap : 0)
      if used > lineWidth { return max(1, index) }
    }
    return columns.count
  }

  /// Cuts the widest columns until a line fits.
  private mutating func fit() {
    guard let lineWidth else { return }
    let available = max(0, lineWidth - Self.gap * max(0, columns.count - 1))
    // A width of a cell may be as large as a value, and the search goes by halves.
    var (low, high) = (1, max(1, columns.map(\.width).max() ?? 1))
    while low < high {
      let middle = (low + high + 1) / 2
      if columns.reduce(0, { $0 + min($1.width, middle) }) <= available { low = middle } else { high = middle - 1 }
    }
    for index in columns.indices where columns[index].width > low { columns[index].width = low }
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
