/// A report as Markdown.
public struct MarkdownReport {
  private let report: BenchmarkReport

  public init(_ report: BenchmarkReport) {
    self.report = report
  }

  public func text() -> String {
    let tables = ReportTables(report)
    var text = "# Benchmark\n\n"
    for (name, value) in tables.circumstances { text += "- **\(name)**: \(Self.escaped(value))\n" }
    for failure in report.failures {
      text += "- **Failed**: \(failure.workload) on \(failure.engine) at \(Format.count(failure.size)): "
      text += Self.escaped(failure.message) + "\n"
    }
    if let recommendation = report.data?.recommendation {
      text += "\n## Recommendation\n\n" + Self.escaped(recommendation.summary) + "\n\n"
      for engine in recommendation.engines ?? [] { text += Self.escaped(engine.text) + "\n\n" }
      for point in recommendation.points { text += "- \(Self.escaped(point))\n" }
    }
    let goals = tables.goals
    if goals.count > 1 { text += "\n## Goals\n\n" + Self.table(goals) }
    for size in report.sizes {
      text += "\n## Throughput at \(Format.count(size)) objects\n\n"
      text += "Median of the rounds, ± the median distance from it"
      text += report.data == nil ? "; × is to the engine's peer.\n\n" : ".\n\n"
      text += Self.table(tables.throughput(size, showsSpread: true))
    }
    for size in report.sizes {
      let latencies = tables.latencies(size)
      guard latencies.count > 1 else { continue }
      text += "\n## Latency at \(Format.count(size)) objects\n\n" + Self.table(latencies)
    }
    if report.sizes.count > 1 { text += "\n## Cost of an operation by size\n\n" + Self.table(tables.growth) }
    if !report.footprints.isEmpty { text += "\n## Size\n\n" + Self.table(tables.footprints) }
    text += "\n## The workloads\n\n"
    for work in report.workloads { text += "- **\(work.title)** (`\(work.id)`): \(Self.escaped(work.explanation))\n" }
    return text
  }

  static func table(_ rows: [[String]]) -> String {
    guard let head = rows.first else { return "" }
    var text = "| " + head.map { escaped($0) }.joined(separator: " | ") + " |\n"
    text += "|" + head.indices.map { $0 == 0 ? "---" : "---:" }.joined(separator: "|") + "|\n"
    for row in rows.dropFirst() { text += "| " + row.map { escaped($0) }.joined(separator: " | ") + " |\n" }
    return text
  }

  static func escaped(_ text: String) -> String {
    String(text.flatMap { "\\`*_|<>".contains($0) ? "\\\($0)" : $0 == "\n" ? " " : "\($0)" })
  }
}
