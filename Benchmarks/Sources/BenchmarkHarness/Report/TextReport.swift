/// A report as tables for the terminal.
public struct TextReport {
  private let report: BenchmarkReport

  public init(_ report: BenchmarkReport) {
    self.report = report
  }

  public func text() -> String {
    let machine = report.machine
    var text = "\(machine.processor), \(machine.cores) cores; stores on \(machine.fileSystem)\n"
    for size in report.sizes {
      text += "\n\(Format.count(size)) objects: median of \(report.run.rounds) rounds"
      text += report.data == nil ? "; × is to the engine's peer\n\n" : "\n\n"
      text += table(size)
    }
    if report.data != nil, let size = report.sizes.first {
      text += "\n" + Self.aligned(ReportTables(report).latencies(size))
    }
    let footprints = report.footprints.filter { $0.diskBytes != nil || $0.memory != nil }
    if !footprints.isEmpty {
      text += "\n" + Self.aligned(ReportTables(report).footprints)
    }
    let goals = ReportTables(report).goals
    if goals.count > 1 { text += "\n" + Self.aligned(goals) }
    if let noise = ReportTables(report).noise { text += "\n" + Self.wrapped(noise + ".", indent: "") }
    for failure in report.failures {
      text +=
        "\nFAILED: \(failure.workload) on \(failure.engine) at \(Format.count(failure.size)): \(failure.message)\n"
    }
    if let recommendation = report.data?.recommendation {
      text += "\n" + Self.wrapped(recommendation.summary, indent: "")
      for engine in recommendation.engines ?? [] { text += "\n" + Self.wrapped(engine.text, indent: "") }
      if !recommendation.points.isEmpty { text += "\n" }
      for point in recommendation.points { text += Self.wrapped("- " + point, indent: "  ") }
    } else if report.data != nil {
      text += "\nNo recommendation: not every engine ended a round.\n"
    }
    if !report.isComplete { text += "\nInterrupted: this is only a part.\n" }
    return text
  }

  private func table(_ size: Int) -> String {
    Self.aligned(ReportTables(report).throughput(size, showsSpread: false))
  }

  /// A paragraph of lines that a terminal is wide enough for.
  static func wrapped(_ text: String, indent: String) -> String {
    var lines = ""
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > 96 {
        lines += line + "\n"
        line = indent + word
      } else {
        line += (line.isEmpty ? "" : " ") + word
      }
    }
    return lines + line + "\n"
  }

  /// Columns side by side, the first to the left and the others to the right.
  static func aligned(_ rows: [[String]]) -> String {
    let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).enumerated().map { column, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + padding : padding + cell.0
      }
      return cells.joined(separator: "  ") + "\n"
    }.joined()
  }
}
