import Foundation
import MutantPlanting

/// What became of all semantic faults, for people and for programs.
struct FaultReport: WrittenReport {
  static let name = "faults"

  struct Entry: Codable {
    var area: String
    var clauses: [String]
    var breaks: String
    /// Why no case of the kit is expected to find it.
    var missed: String?
    /// Whether it was known before cases for it were written.
    var isListed: Bool
    var isRefused: Bool
    var result: MutantResult

    var plan: String? { result.finding?.plan }
  }

  var format = "faults/1"
  /// Whether survivors of the quick plan were tried with the whole one.
  var isFull: Bool
  var entries: [Entry]

  /// What found the fault when its change was the same.
  func finding(like other: MutantResult) -> Trial? {
    entries.first { $0.result.id == other.id && $0.result.change == other.change }?.result.finding
  }

  var refused: [Entry] { entries.filter(\.isRefused) }
  private var planted: [Entry] { entries.filter { !$0.isRefused } }
  /// Faults whose trials have not come to an end, because the run was interrupted.
  var untried: [Entry] { planted.filter { !$0.result.isFound && !$0.result.tried.contains(isFull ? "full" : "quick") } }
  var survivors: [Entry] {
    planted.filter { !$0.result.isFound && $0.result.tried.contains(isFull ? "full" : "quick") }
  }
  var unexpected: [Entry] { survivors.filter { $0.missed == nil } }

  /// Figures on a few lines.
  var summary: String {
    let own = planted.filter { !$0.isListed }
    var lines = [
      "\(planted.count) faults, of which \(planted.count - own.count) were known before there were cases for them: "
        + "\(planted.count { $0.result.isFound }) found, \(survivors.count) survivors"
        + (untried.isEmpty ? "" : ", \(untried.count) not tried to the end")
        + (refused.isEmpty ? "" : ", \(refused.count) that the compiler refuses")
    ]
    // What is found soon is tried to the end first: a share of it would be too great.
    guard untried.isEmpty else { return lines[0] }
    lines.append("found by the quick plan: \(Self.share(own) { $0.plan == "quick" }) of those that were not known")
    if isFull {
      lines.append("found by the whole plan: \(Self.share(own) { $0.plan != nil }) of those that were not known")
    }
    return lines.joined(separator: "\n")
  }

  private static func share(_ entries: [Entry], _ isMeant: (Entry) -> Bool) -> String {
    let count = entries.count(where: isMeant)
    guard !entries.isEmpty else { return "none of none" }
    return "\(count) of \(entries.count), " + String(format: "%.1f %%", Double(count) * 100 / Double(entries.count))
  }

  var markdown: String {
    var text = """
      # Semantic faults

      Faults that a developer could plausibly make, written by hand in `ConformanceSuite/Mutants/Faults`: a rule left out, a
      second case forgotten, two steps in the wrong order. `scripts/semantic-faults\(isFull ? " --full" : "")` plants all of
      them in one build of a copy of the package, switches each on in turn and runs the cases of the kit that come to its
      place, and those of the clauses that it breaks, with losses of power. The tables show the first case that failed,
      with its variant, its engine and its plan. A failure counts when it occurs a second time; when the sources have
      changed, the case that found a fault before is tried first, and once.
      Faults marked with * were known before cases for them were written; the shares leave them out.
      \(untried.isEmpty ? "" : "\n**This is a part: \(untried.count) faults have not been tried to the end.**\n")
      \(summary.split(separator: "\n").map { "- \($0)" }.joined(separator: "\n"))

      | area | faults | found by the quick plan | found by the whole plan alone | survivors | not tried to the end |
      |---|---:|---:|---:|---:|---:|

      """
    let areas = Dictionary(grouping: entries, by: \.area).sorted { $0.key < $1.key }
    for (area, group) in areas {
      let part = FaultReport(isFull: isFull, entries: group)
      text += "| \(area) | \(group.count) | \(group.count { $0.plan == "quick" }) "
      text += "| \(group.count { $0.plan == "full" }) | \(part.survivors.count) | \(part.untried.count) |\n"
    }
    text += "\n## Survivors\n\n" + (survivors.isEmpty ? "None.\n" : Self.table(survivors, "why", Self.reason))
    for (area, group) in areas {
      text += "\n## \(area)\n\n" + Self.table(group, "found by", Self.finder)
    }
    return text
  }

  private static func reason(_ entry: Entry) -> String {
    entry.missed ?? (entry.result.isReached ? "no case looks at it" : "no case reaches it")
  }

  private static func finder(_ entry: Entry) -> String {
    if entry.isRefused { return "refused by the compiler" }
    guard let finding = entry.result.finding else { return entry.result.tried.isEmpty ? "not tried to the end" : "" }
    return "\(finding.finder), \(finding.engine), \(finding.plan)"
  }

  private static func table(_ entries: [Entry], _ last: String, _ text: (Entry) -> String) -> String {
    var lines = ["| fault | place | breaks | \(last) |", "|---|---|---|---|"]
    for entry in entries.sorted(by: { $0.result.id < $1.result.id }) {
      let place = "\(entry.result.file.dropFirst("Sources/".count)):\(entry.result.line)"
      let breaks = "\(entry.clauses.joined(separator: ", ")): \(entry.breaks)".replacing("|", with: "\\|")
      lines.append("| \(entry.result.id)\(entry.isListed ? " *" : "") | \(place) | \(breaks) | \(text(entry)) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
