import QuarryBackend
import QuarryData

/// Writes records for people with one value on each line, behind a line with the number of the record.
struct VerticalWriter: RecordWriter {
  private let sink: ByteSink
  private var names: [String] = []
  private var rows = 0

  init(_ sink: ByteSink) {
    self.sink = sink
  }

  mutating func begin(_ columns: [String]) throws {
    names = columns.map(\.escapedForDisplay)
    let width = names.map(DisplayWidth.of).max() ?? 0
    names = names.map { $0 + String(repeating: " ", count: width - DisplayWidth.of($0)) }
  }

  mutating func write(_ values: [Value]) throws {
    try write(cells: values.map(TableWriter.cell))
  }

  /// Writes a record whose values are text for the terminal already.
  mutating func write(cells: [String]) throws {
    rows += 1
    try sink.write("-- row \(rows) --\n")
    for (name, cell) in zip(names, cells) { try sink.write(cell.isEmpty ? "\(name)  \n" : "\(name)  \(cell)\n") }
  }

  mutating func finish() throws {
    try sink.flush()
  }
}
