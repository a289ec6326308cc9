import Foundation

/// What became of all mutants of a run, for people and for programs.
struct MutantReport: WrittenReport {
  static let name = "mutants"

  var format = "mutants/1"
  var seed: UInt64
  var count: Int
  /// How many mutants were chosen and refused by the compiler.
  var refused: Int
  /// Whether survivors of the quick plan were tried with the whole one.
  var isFull: Bool
  var results: [MutantResult]

  /// What found the same change of the same line, in a file of the same name: files may have been moved since.
  func finding(like other: MutantResult) -> Trial? {
    let name = URL(fileURLWithPath: other.file).lastPathComponent
    return found.first {
      $0.lineText == other.lineText && $0.change == other.change
        && URL(fileURLWithPath: $0.file).lastPathComponent == name
    }?.finding
  }

  var quick: [MutantResult] { results.filter { $0.finding?.plan == "quick" } }
  var found: [MutantResult] { results.filter(\.isFound) }
  /// Mutants whose trials have not come to an end, because the run was interrupted or goes on.
  var untried: [MutantResult] { results.filter { !$0.isFound && !$0.tried.contains(isFull ? "full" : "quick") } }
  var survivors: [MutantResult] { results.filter { !$0.isFound && $0.tried.contains(isFull ? "full" : "quick") } }
  var unexplained: [MutantResult] { survivors.filter { $0.argument == nil && $0.test == nil } }
  /// Those that no case of the kit finds, but a test of the package.
  var tested: [MutantResult] { survivors.filter { $0.test != nil } }
  var argued: [MutantResult] { survivors.filter { $0.argument != nil } }

  /// Figures on a few lines.
  var summary: String {
    let tried = results.count - untried.count
    let effective = tried - argued.count
    var lines = [
      "\(results.count) mutants: \(found.count) found, \(argued.count) argued to be without effect, "
        + "\(tested.count) found by a test of the package alone, \(unexplained.count) survivors without an argument"
        + (untried.isEmpty ? "" : ", \(untried.count) not tried to the end"),
      "found by the quick plan: \(quick.count) of \(effective) with an effect, \(Self.percent(quick.count, effective)); "
        + "\(Self.percent(quick.count, tried)) of all",
    ]
    // What is found soon is tried to the end first: a share of it would be too great.
    guard untried.isEmpty else { return lines[0] }
    if isFull {
      lines.append(
        "found by the whole plan: \(found.count) of \(effective) with an effect, "
          + "\(Self.percent(found.count, effective)); \(Self.percent(found.count, tried)) of all")
    }
    return lines.joined(separator: "\n")
  }

  private static func percent(_ part: Int, _ whole: Int) -> String {
    guard whole > 0 else { return "-" }
    return String(format: "%.1f %%", Double(part) * 100 / Double(whole))
  }

  var markdown: String {
    var text = """
      # Mutants

      One-line changes of the engines' own code, chosen by a program with a seed, and what found each: the first case of
      the conformance kit that failed, a crash, or a run that did not end. Made by
      `scripts/mutants --seed \(seed) --count \(count)\(isFull ? " --full" : "")`, which plants all of them in one build of a
      copy and runs the cases of the kit that come to the changed place, once for each.
      \(untried.isEmpty ? "" : "\n**This is a part: \(untried.count) of \(results.count) mutants have not been tried to the end.**\n")
      Left alone are texts, assertions, attributes, patterns, hints of capacity and the release of memory. Code that all
      engines share is tried in memory, on SQLite and in one file, that of the ordered trees in memory, in one file and on
      LMDB, and an engine's code on that engine. A failure counts when it comes again. What is argued to be without effect
      is tried with the cases that are nearest only. What the compiler refused is not counted (\(refused)).

      \(summary.split(separator: "\n").map { "- \($0)" }.joined(separator: "\n"))

      | module | mutants | found by the quick plan | found by the whole plan | found by a test | without effect | unexplained |
      |---|---:|---:|---:|---:|---:|---:|

      """
    for (module, group) in Dictionary(grouping: results, by: Self.module).sorted(by: { $0.key < $1.key }) {
      let part = MutantReport(seed: seed, count: count, refused: 0, isFull: isFull, results: group)
      text += "| \(module) | \(group.count) | \(part.quick.count) | \(part.found.count - part.quick.count) "
      text += "| \(part.tested.count) | \(part.argued.count) | \(part.unexplained.count) |\n"
    }
    text += "\n## Survivors without an argument\n\n"
    text += unexplained.isEmpty ? "None.\n" : Self.table(unexplained, "tried") { Self.tried($0) }
    text += "\n## Found by tests of the package alone\n\n"
    text += tested.isEmpty ? "None.\n" : Self.table(tested, "test") { $0.test.map { "`\($0)`" } ?? "" }
    text += "\n## Survivors without effect\n\n"
    text += argued.isEmpty ? "None.\n" : Self.table(argued, "why") { $0.argument ?? "" }
    text += "\n## Found\n\n"
    text += Self.table(found, "found by") { result in
      guard let finding = result.finding else { return "" }
      return "\(finding.finder), \(finding.engine)\(finding.plan == "full" ? ", whole plan" : "")"
    }
    if !untried.isEmpty {
      text += "\n## Not tried\n\n" + untried.map(\.id).sorted().joined(separator: ", ") + "\n"
    }
    return text
  }

  private static func module(_ result: MutantResult) -> String {
    String(result.file.split(separator: "/").dropFirst().first ?? "")
  }

  private static func tried(_ result: MutantResult) -> String {
    let reached = result.trials.filter { $0.end != .unreached }
    var engines: [String] = []
    for trial in reached where !engines.contains("\(trial.engine) \(trial.plan)") {
      engines.append("\(trial.engine) \(trial.plan)")
    }
    return engines.isEmpty ? "not reached" : engines.joined(separator: ", ")
  }

  private static func table(
    _ results: [MutantResult], _ last: String, _ text: (MutantResult) -> String
  ) -> String {
    var lines = ["| id | place | change | \(last) |", "|---|---|---|---|"]
    for result in results.sorted(by: { ($0.file, $0.line, $0.id) < ($1.file, $1.line, $1.id) }) {
      let place = "\(result.file.dropFirst("Sources/".count)):\(result.line)"
      lines.append("| \(result.id) | \(place) | \(code(result.change)) | \(escaped(text(result))) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func code(_ change: String) -> String {
    let parts = change.components(separatedBy: " => ")
    let shown = parts.map { $0.count > 100 ? $0.prefix(97) + "..." : $0[...] }
    return shown.map { "`\(escaped(String($0)).replacingOccurrences(of: "`", with: "'"))`" }.joined(separator: " to ")
  }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "|", with: "\\|").replacingOccurrences(of: "\n", with: " ")
  }
}
