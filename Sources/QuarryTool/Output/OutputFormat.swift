import QuarryData

/// The format of printed records.
enum OutputFormat: String, CaseIterable, Sendable {
  case table, json, jsonl, csv

  /// - Parameter width: The terminal's width, nil where the output is no terminal.
  func writer(_ sink: ByteSink, width: Int?) -> any RecordWriter {
    switch self {
    case .table: TableWriter(sink, width: width)
    case .json: JSONWriter(sink, layout: .array)
    case .jsonl: JSONWriter(sink, layout: .lines)
    case .csv: CSVWriter(sink)
    }
  }
}
