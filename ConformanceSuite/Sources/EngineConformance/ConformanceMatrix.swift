import QuarryConformance

/// The levels that engines were awarded, as a table in Markdown.
enum ConformanceMatrix {
  static func text(_ reports: [ConformanceReport]) -> String {
    var lines = [
      "| engine | level | cases | runs passed | refused, as declared | other | plan |", "|---|---|--:|--:|--:|--:|---|",
    ]
    for report in reports {
      let passed = report.totals["passed"] ?? 0
      let refused = report.totals["refused"] ?? 0
      let cells = [
        report.manifest.name,
        ([report.levelAwarded.map { "\($0)" } ?? "none"] + (report.profiles ?? [])).joined(separator: ", "),
        "\(report.plan.cases)", "\(passed)",
        "\(refused)", "\(report.plan.runs - passed - refused)", "`\(report.plan.hash)`",
      ]
      lines.append("| " + cells.joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
