import QuarryBackend
import QuarryConformance

/// What the cases of the kit find among the planted faults, counted and listed.
struct CaseFindings: Sendable {
  private let verdicts: [CaseTrial.Verdict]

  init(_ verdicts: [CaseTrial.Verdict]) {
    self.verdicts = verdicts
  }

  /// The cases that find no fault at all.
  var without: [String] { ids(.none) }
  /// The cases that find faults of clauses alone which they do not cite.
  var withOther: [String] { ids(.other) }

  private func ids(_ finding: CaseTrial.Finding) -> [String] {
    verdicts.filter { $0.finding == finding }.map(\.testCase.id).sorted()
  }

  /// For each area how many cases came to what.
  var counts: [String: [String: Int]] {
    verdicts.reduce(into: [:]) { $0[$1.testCase.area.name, default: [:]][$1.finding.rawValue, default: 0] += 1 }
  }

  /// The section of the report.
  var markdown: [String] {
    var lines = [
      "## What the cases find", "",
      "Each case, run on the faults until it finds one. *Own* are the cases that find a fault of a clause which they",
      "cite, *other* those that find faults of other clauses alone.", "",
      "| area | cases | own | other | none |", "|---|--:|--:|--:|--:|",
    ]
    func row(_ name: String, _ counts: [String: Int]) -> String {
      let parts = CaseTrial.Finding.allCases.map { String(counts[$0.rawValue] ?? 0) }
      return "| \(name) | \(counts.values.reduce(0, +)) | \(parts.joined(separator: " | ")) |"
    }
    lines += counts.sorted { $0.key < $1.key }.map { row($0.key, $0.value) }
    lines.append(row("all", counts.values.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }))
    lines.append("")
    lines += section("Cases that find only faults of other clauses", withOther)
    lines += section("Cases that find none of these faults", without)
    return lines
  }

  /// A line for each family, with the reason where there is one, and a line for the rest of each area.
  private func section(_ title: String, _ ids: [String]) -> [String] {
    var lines = ["### \(title)", ""]
    if ids.isEmpty { lines.append("None.") }
    var rest = ids
    for family in CaseFamily.all {
      let members = rest.filter { family.has($0) }
      rest.removeAll { members.contains($0) }
      if !members.isEmpty {
        lines.append("- \(family.reason) \(members.count): \(Self.folded(members))")
      }
    }
    for (area, members) in Dictionary(grouping: rest, by: { String($0.prefix { $0 != "." }) }).sorted(by: {
      $0.key < $1.key
    }) {
      lines.append("- \(area), \(members.count): \(Self.folded(members))")
    }
    lines.append("")
    return lines
  }

  private static let types = Set(PropertyType.allCases.map(\.name))

  /// The ids, those that differ in the type of a property alone as one.
  private static func folded(_ ids: [String]) -> String {
    let families = Dictionary(grouping: ids) { id in
      id.split(separator: ".").map { types.contains(String($0)) ? "TYPE" : String($0) }.joined(separator: ".")
    }
    return families.sorted { $0.key < $1.key }.map { name, ids in
      ids.count == 1 ? "`\(ids[0])`" : "`\(name)` (\(ids.count))"
    }.joined(separator: ", ")
  }
}
