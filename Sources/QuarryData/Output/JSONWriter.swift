package import QuarryBackend

/// Writes records as JSON objects, all columns in each of them: an array of them, or one on each line.
package struct JSONWriter: RecordWriter {
  package enum Layout { case array, lines }

  private let sink: ByteSink
  private let layout: Layout
  /// The columns' names as JSON, with the colon.
  private var names: [[UInt8]] = []
  private var count = 0
  private var line: [UInt8] = []

  package init(_ sink: ByteSink, layout: Layout) {
    self.sink = sink
    self.layout = layout
  }

  package mutating func begin(_ columns: [String]) throws {
    names = columns.map { name in
      var bytes: [UInt8] = []
      ExactText.append(name, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      return bytes
    }
  }

  package mutating func write(_ values: [Value]) throws {
    line.removeAll(keepingCapacity: true)
    if layout == .array { line.append(contentsOf: (count == 0 ? "[\n" : ",\n").utf8) }
    line.append(UInt8(ascii: "{"))
    for (index, value) in values.enumerated() {
      if index > 0 { line.append(UInt8(ascii: ",")) }
      line.append(contentsOf: names[index])
      ExactText.append(value, to: &line)
    }
    line.append(UInt8(ascii: "}"))
    if layout == .lines { line.append(UInt8(ascii: "\n")) }
    count += 1
    try sink.write(line)
  }

  package mutating func finish() throws {
    if layout == .array { try sink.write(count == 0 ? "[]\n" : "\n]\n") }
    try sink.flush()
  }
}
