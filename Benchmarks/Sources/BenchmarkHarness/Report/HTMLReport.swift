/// A report as one HTML page that needs nothing beside itself: text, tables and pictures, for wide and narrow screens,
/// light and dark.
public struct HTMLReport {
  private let report: BenchmarkReport
  private let charts: Charts
  private let tables: ReportTables

  /// How many colours there are for engines.
  static let colors = 8

  public init(_ report: BenchmarkReport) {
    self.report = report
    charts = Charts(report: report)
    tables = ReportTables(report)
  }

  public func text() -> String {
    var body = "<h1>Benchmark</h1>\n"
    if let recommendation = report.data?.recommendation { body += advice(recommendation) }
    body += circumstances
    if !report.failures.isEmpty { body += failures }
    body += legend
    body += navigation
    let goals = tables.goals
    for size in report.sizes {
      let note =
        "<p>The median of the rounds. \(report.data == nil ? "× is the rate over that of the engine’s peer. " : "")"
        + "Longer bars are quicker; where milliseconds are given, shorter ones are.</p>"
      body += section("throughput-\(size)", "Throughput at \(Format.count(size)) objects", note + throughput(size))
    }
    for size in report.sizes {
      let pictures = grid { charts.latencies($0, size) }
      guard !pictures.isEmpty else { continue }
      let note =
        "<p>Single operations by how rare they are\(report.data == nil ? ", in a pass of their own" : ""). Down is "
        + "better; peers are dashed. Each contains about 50 ns of reading the clock.</p>"
      let figures = "<details><summary>Figures</summary>\(table(tables.latencies(size)))</details>"
      body += section("latency-\(size)", "Latency at \(Format.count(size)) objects", note + pictures + figures)
    }
    if report.sizes.count > 1 {
      let note = "<p>What one operation costs as the store grows. Flat is better; peers are dashed.</p>"
      let figures = "<details><summary>Figures</summary>\(table(tables.growth))</details>"
      body += section("growth", "Growth", note + grid { charts.growth($0) } + figures)
    }
    if !report.footprints.isEmpty { body += section("size", "Size", sizes) }
    if goals.count > 1 { body += section("goals", "Goals", table(goals)) }
    body += section("workloads", "The workloads", explanations)
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>Quarry benchmark</title>
      <style>
      \(Self.style)
      </style>
      </head>
      <body>
      \(body)</body>
      </html>

      """
  }

  private func section(_ id: String, _ title: String, _ content: String) -> String {
    "<section id=\"\(id)\">\n<h2>\(HTML.escaped(title))</h2>\n\(content)\n</section>\n"
  }

  private var circumstances: String {
    "<dl>"
      + tables.circumstances.map { "<dt>\(HTML.escaped($0.0))</dt><dd>\(HTML.escaped($0.1))</dd>" }.joined()
      + "</dl>\n"
  }

  private func advice(_ recommendation: Recommendation) -> String {
    let points = recommendation.points.map { "<li>\(HTML.escaped($0))</li>" }
    let engines = (recommendation.engines ?? []).map { "<p>\(HTML.escaped($0.text))</p>" }
    return "<section class=\"advice\"><h2>Recommendation</h2><p>\(HTML.escaped(recommendation.summary))</p>"
      + engines.joined() + "<ul>\(points.joined())</ul></section>\n"
  }

  private var failures: String {
    let items = report.failures.map {
      "<li>\(HTML.escaped("\($0.workload) on \($0.engine) at \(Format.count($0.size)): \($0.message)"))</li>"
    }
    return "<section class=\"failures\"><h2>Failures</h2><ul>\(items.joined())</ul></section>\n"
  }

  private var legend: String {
    "<p class=\"legend\">"
      + report.engines.map {
        "<span><i class=\"\($0.isQuarry ? "" : "peer")\" style=\"border-color:var(--e\(charts.color($0.name)))\"></i>"
          + HTML.escaped($0.name) + "</span>"
      }.joined() + "</p>\n"
  }

  private var navigation: String {
    var links = report.sizes.map { ("throughput-\($0)", "Throughput, \(Format.count($0))") }
    let timed = report.sizes.filter { tables.latencies($0).count > 1 }
    links += timed.map { ("latency-\($0)", "Latency, \(Format.count($0))") }
    if report.sizes.count > 1 { links.append(("growth", "Growth")) }
    if !report.footprints.isEmpty { links.append(("size", "Size")) }
    if tables.goals.count > 1 { links.append(("goals", "Goals")) }
    links.append(("workloads", "The workloads"))
    return "<nav>" + links.map { "<a href=\"#\($0.0)\">\($0.1)</a>" }.joined() + "</nav>\n"
  }

  private func figure(_ title: String, _ picture: String) -> String {
    "<figure><figcaption>\(HTML.escaped(title))</figcaption>\(picture)</figure>\n"
  }

  /// A picture of each workload that has one.
  private func grid(_ picture: (BenchmarkReport.Work) -> String?) -> String {
    let figures = report.workloads.compactMap { work in picture(work).map { figure(work.title, $0) } }
    return figures.isEmpty ? "" : "<div class=\"grid\">\n\(figures.joined())</div>\n"
  }

  private func throughput(_ size: Int) -> String {
    grid { charts.rates($0, size) }
      + "<details><summary>Figures</summary>\(table(tables.throughput(size, showsSpread: true)))</details>"
  }

  private var sizes: String {
    let figures = report.sizes.flatMap { size -> [String] in
      let objects = Format.count(size) + " objects"
      let disk = charts.footprints(size, "Bytes on disk, \(objects)") { $0.diskBytes }
      let memory = charts.footprints(size, "Peak memory, \(objects)") { $0.memory?.peakBytes }
      return [
        disk.map { figure("On disk, \(objects)", $0) }, memory.map { figure("Peak memory, \(objects)", $0) },
      ].compactMap(\.self)
    }
    let note =
      "<p>Files after a bulk insert and a clean close. Memory of a process that fills, scans and reads the store, above "
      + "what it had before; pages of mapped files count, though the system can take them back at any time.</p>"
    return note + "<div class=\"grid\">\n\(figures.joined())</div>\n" + table(tables.footprints)
  }

  private var explanations: String {
    "<dl class=\"workloads\">"
      + report.workloads.map {
        "<dt>\(HTML.escaped($0.title)) <code>\($0.id)</code></dt><dd>\(HTML.escaped($0.explanation))</dd>"
      }.joined() + "</dl>"
  }

  private func table(_ rows: [[String]]) -> String {
    guard let head = rows.first else { return "" }
    func cells(_ row: [String], _ tag: String) -> String {
      "<tr>" + row.map { "<\(tag)>\(HTML.escaped($0))</\(tag)>" }.joined() + "</tr>"
    }
    return "<div class=\"table\"><table><thead>\(cells(head, "th"))</thead><tbody>"
      + rows.dropFirst().map { cells($0, "td") }.joined() + "</tbody></table></div>\n"
  }

  private static let style = """
    :root { --ground: #ffffff; --panel: #f5f6f8; --ink: #1a1d21; --faint: #5c6670; --rule: #d9dde2; --link: #1d5fbf;
      --e0: #2a6fdb; --e1: #c8433f; --e2: #2c8a57; --e3: #d98200; --e4: #7a4fc4; --e5: #00838c; --e6: #8a6b3a;
      --e7: #c13f8b; }
    @media (prefers-color-scheme: dark) {
      :root { --ground: #14171a; --panel: #1d2125; --ink: #e6e9ec; --faint: #9aa4ae; --rule: #343a41; --link: #7fb0ff;
        --e0: #6aa3ff; --e1: #ff7f78; --e2: #5cc98c; --e3: #ffb454; --e4: #b695ff; --e5: #4fc7d0; --e6: #cfae74;
        --e7: #ff86c3; }
    }
    * { box-sizing: border-box; }
    body { margin: 0 auto; padding: 16px; max-width: 1180px; background: var(--ground); color: var(--ink);
      font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
    h1 { font-size: 24px; margin: 8px 0 12px; }
    h2 { font-size: 19px; margin: 32px 0 8px; }
    p { margin: 8px 0 12px; color: var(--faint); }
    a { color: var(--link); }
    nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 12px 0; }
    dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 12px; margin: 0 0 12px;
      font-size: 14px; }
    dt { color: var(--faint); }
    dd { margin: 0; overflow-wrap: anywhere; }
    dl.workloads { display: block; }
    dl.workloads dt { color: var(--ink); margin-top: 8px; }
    dl.workloads dd { color: var(--faint); }
    .legend { display: flex; flex-wrap: wrap; gap: 4px 16px; color: var(--ink); position: sticky; top: 0;
      background: var(--ground); padding: 8px 0; border-bottom: 1px solid var(--rule); z-index: 1; }
    .legend span { white-space: nowrap; }
    .legend i { display: inline-block; width: 20px; border-top: 3px solid; margin-right: 6px; vertical-align: middle; }
    .legend i.peer { border-top-style: dashed; }
    .grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr)); gap: 12px; }
    figure { margin: 0; padding: 10px 12px; background: var(--panel); border-radius: 8px; }
    figcaption { font-weight: 600; font-size: 14px; margin-bottom: 4px; }
    svg { display: block; width: 100%; height: auto; }
    svg text { font-size: 11px; fill: var(--ink); }
    svg .axis, svg .name { fill: var(--faint); }
    svg .grid { stroke: var(--rule); stroke-width: 1; }
    svg polyline { stroke-width: 1.8; stroke-linejoin: round; }
    .table { overflow-x: auto; margin: 8px 0; }
    table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
    th, td { padding: 4px 10px; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
    th:first-child, td:first-child { text-align: left; }
    th { color: var(--faint); font-weight: 600; }
    details { margin: 12px 0; }
    summary { cursor: pointer; color: var(--link); }
    .advice { border-left: 4px solid var(--e0); padding-left: 12px; margin-bottom: 16px; }
    .advice p { color: var(--ink); font-weight: 600; }
    .advice h2, .failures h2 { margin-top: 16px; }
    .advice ul, .failures ul { padding-left: 20px; margin: 8px 0; }
    .advice li { margin: 4px 0; }
    .failures { border-left: 4px solid var(--e1); padding-left: 12px; }
    @media (max-width: 520px) { dl { grid-template-columns: minmax(0, 1fr); } dd { margin-bottom: 4px; } }
    """
}
