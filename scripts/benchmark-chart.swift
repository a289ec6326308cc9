import Foundation

// Draws the README's picture from the benchmark's report: Quarry and GRDB on SQLite as shares of SQLite's C interface, and Quarry
// on LMDB as a share of LMDB's. See scripts/benchmark-chart.

struct Report: Decodable {
  struct Workload: Decodable {
    let id: String
    let title: String
  }

  struct Result: Decodable {
    struct Rates: Decodable {
      let values: [Double]
    }

    let engine: String
    let workload: String
    let size: Int
    let rates: Rates?
  }

  let workloads: [Workload]
  let results: [Result]

  /// The median rate of an engine in a workload.
  func rate(_ engine: String, _ workload: String, _ size: Int) -> Double? {
    let result = results.first { $0.engine == engine && $0.workload == workload && $0.size == size }
    guard let values = result?.rates?.values.sorted(), !values.isEmpty else { return nil }
    return values[values.count / 2]
  }
}

struct Series {
  let engine: String
  let peer: String
  let name: String
  let color: String
}

let size = 100_000
/// One workload of each kind: writing, reading by key, reading many, querying, changing.
let workloads = [
  "insert-bulk", "insert-single", "get", "get-single", "index-fetch", "scan", "sort-limit", "update-key", "delete-key",
]
let series = [
  Series(engine: "sqlite", peer: "raw-sqlite", name: "Quarry on SQLite", color: "#2f6fde"),
  Series(engine: "lmdb", peer: "raw-lmdb", name: "Quarry on LMDB", color: "#1a9a72"),
  Series(engine: "grdb", peer: "raw-sqlite", name: "GRDB", color: "#d98324"),
]

guard CommandLine.arguments.count == 2 else {
  FileHandle.standardError.write(Data("usage: benchmark-chart REPORT.json\n".utf8))
  exit(64)
}
let report: Report
do {
  report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1])))
} catch {
  FileHandle.standardError.write(Data("error: \(CommandLine.arguments[1]): \(error)\n".utf8))
  exit(1)
}

let (left, width, bar, gap) = (230.0, 420.0, 9.0, 14.0)
/// The greatest share that has room; longer bars end there, and the figure says how long they are.
let most = 1.5
let rowHeight = Double(series.count) * (bar + 2) + gap
let top = 58.0
let height = top + Double(workloads.count) * rowHeight + 34

func text(_ x: Double, _ y: Double, _ content: String, _ attributes: String = "") -> String {
  let escaped = content.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  return "<text x=\"\(number(x))\" y=\"\(number(y))\"\(attributes.isEmpty ? "" : " " + attributes)>\(escaped)</text>"
}

func number(_ value: Double) -> String {
  let rounded = (value * 10).rounded() / 10
  return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
}

/// A share with two decimals.
func share(_ value: Double) -> String {
  let hundredths = Int((value * 100).rounded())
  return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
}

var lines = [
  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 \(number(height))\" role=\"img\" "
    + "aria-label=\"Quarry and GRDB as shares of the C interfaces of SQLite and LMDB, \(size) objects\">",
  "<style>text{font:13px system-ui,sans-serif;fill:#24292f}.small{font-size:11px}.line{stroke:#8c959f;stroke-dasharray:3 3}"
    + "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.line{stroke:#6e7681}}</style>",
]
var x = left
for one in series {
  lines.append("<rect x=\"\(number(x))\" y=\"10\" width=\"11\" height=\"11\" rx=\"2\" fill=\"\(one.color)\"/>")
  lines.append(text(x + 16, 20, one.name))
  x += 150
}
let unit = left + width / most
lines.append(
  "<line class=\"line\" x1=\"\(number(unit))\" y1=\"\(number(top - 12))\" x2=\"\(number(unit))\" y2=\"\(number(height - 26))\"/>"
)
lines.append(text(unit, top - 18, "1.0 = the engine's C interface", "class=\"small\" text-anchor=\"middle\""))

for (index, id) in workloads.enumerated() {
  guard let workload = report.workloads.first(where: { $0.id == id }) else {
    FileHandle.standardError.write(Data("error: the report has no workload \(id)\n".utf8))
    exit(1)
  }
  let y = top + Double(index) * rowHeight
  let middle = y + Double(series.count) * (bar + 2) / 2 + 4
  lines.append(text(left - 12, middle, workload.title, "text-anchor=\"end\""))
  for (place, one) in series.enumerated() {
    guard let own = report.rate(one.engine, id, size), let peer = report.rate(one.peer, id, size), peer > 0 else {
      continue
    }
    let value = own / peer
    let barTop = y + Double(place) * (bar + 2)
    let length = min(value, most) / most * width
    lines.append(
      "<rect x=\"\(number(left))\" y=\"\(number(barTop))\" width=\"\(number(max(length, 1)))\" height=\"\(number(bar))\" rx=\"2\" "
        + "fill=\"\(one.color)\"/>")
    lines.append(text(left + length + 6, barTop + bar - 0.5, share(value), "class=\"small\""))
  }
}
lines.append(
  text(
    left, height - 8, "Rates of \(size / 1_000),000 objects as shares of C with the same engine; longer is faster.",
    "class=\"small\""))
lines.append("</svg>")
print(lines.joined(separator: "\n"))
