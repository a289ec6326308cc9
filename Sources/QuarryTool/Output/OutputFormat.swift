import QuarryData

/// The format of printed records.
enum OutputFormat: String, CaseIterable, Sendable {
  case table, vertical, json, jsonl, csv

  /// Whether people read it: it is shortened where a terminal shows it.
  var isForPeople: Bool { self == .table || self == .vertical }

  /// - Parameter width: The width of a line; nil for no limit.
  func writer(_ sink: ByteSink, width: Int?) -> any RecordWriter {
    switch self {
    case .table: TableWriter(sink, width: width)
    case .vertical: VerticalWriter(sink)
    case .json: JSONWriter(sink, layout: .array)
    case .jsonl: JSONWriter(sink, layout: .lines)
    case .csv: CSVWriter(sink)
    }
  }
}
