package import QuarryBackend
import QuarryCore
package import QuarryData
import QuarryQuery

/// A format of exported objects.
package enum ExportFormat: String, CaseIterable, Sendable {
  case csv, json, jsonl

  /// The name of the format for people.
  package var words: String {
    switch self {
    case .csv: "CSV"
    case .json: "JSON"
    case .jsonl: "JSON Lines"
    }
  }

  func writer(_ sink: ByteSink) -> any RecordWriter {
    switch self {
    case .csv: CSVWriter(sink)
    case .json: JSONWriter(sink, layout: .array)
    case .jsonl: JSONWriter(sink, layout: .lines)
    }
  }
}

extension StoreInspector {
  /// Writes the objects of a request to a file: those of all pages, in its order and with its columns.
  ///
  /// - Returns: The number of objects.
  /// - Throws: As ``page(_:until:)``; `full`, `io` for the file.
  /// - Complexity: O(n) in the number of objects; memory of one object at a time.
  package func export(
    _ request: PageRequest, as format: ExportFormat, to file: SpooledInput, until deadline: Deadline = .never
  ) throws -> Int {
    let sink = ByteSink(descriptor: file.descriptor, name: file.name)
    return try store.read { tx in
      let model = try tx.model(named: request.model)
      let query = try checked(request, tx)
      let columns = request.columns ?? model.liveProperties.map(\.name)
      var writer = format.writer(sink)
      var count = 0
      try writer.begin(columns)
      try tx.records.forEach(query, columns: columns) { record in
        if count % 256 == 0 { try deadline.requireTime() }
        try writer.write(record.values)
        count += 1
      }
      try writer.finish()
      return count
    }
  }
}
