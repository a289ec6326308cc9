extension ConformanceReport {
  /// What was claimed and proven, in words: `L2`, `L3, Secure`, `L2, 1 deviation`, `not awarded`.
  var claim: String {
    let level = ([levelAwarded?.description ?? "no level"] + (profiles ?? [])).joined(separator: ", ")
    switch deviations.count {
    case 0: return level
    case 1: return "\(level), 1 deviation"
    default: return "\(level), \(deviations.count) deviations"
    }
  }

  private var verdict: String {
    switch status {
    case .awarded: "\(claim) awarded"
    case .failed: "\(claim) awarded, \(failures.count) of \(runs.count) runs failed\(ending)"
    case .incomplete: "\(claim) awarded, not complete\(ending)"
    case .suiteError: "the suite could not judge"
    }
  }

  /// That the run ended early.
  private var ending: String {
    stopped.map { "; stopped by \($0) after \(runs.count) of \(plan.runs) runs" } ?? ""
  }

  /// A case that failed, in one variant or several.
  private struct FailedCase {
    let first: Run
    let variants: [String]

    /// `CRUD.delete (fresh, frozen) CRUD-3`
    var title: String {
      let known = first.clauses.isEmpty ? "" : " " + first.clauses.joined(separator: " ")
      return "\(first.id) (\(variants.joined(separator: ", ")))\(known)"
    }
  }

  /// The cases that failed, each once, in the order of their areas and ids.
  private var failedCases: [(area: String, cases: [FailedCase])] {
    Dictionary(grouping: failures, by: \.area).sorted { $0.key < $1.key }.map { area, runs in
      let cases = Dictionary(grouping: runs, by: \.id).sorted { $0.key < $1.key }.compactMap { _, runs in
        runs.first.map { FailedCase(first: $0, variants: runs.map(\.variant)) }
      }
      return (area, cases)
    }
  }

  /// A line for each level that was asked for, whether or not it was awarded: `L1: 310 passed, 2 failed`.
  private var levelLines: [String] {
    ConformanceLevel.allCases.filter { $0 <= levelAsked }.map { level in
      let isAwarded = levelAwarded.map { level <= $0 } ?? false
      return "\(level): \(counts(levels[level.description] ?? [:]))\(isAwarded ? ", awarded" : "")"
    }
  }

  private func counts(_ totals: Totals) -> String {
    let parts = ConformanceOutcome.names.compactMap { name in totals[name].map { "\($0) \(name)" } }
    return parts.isEmpty ? "nothing run" : parts.joined(separator: ", ")
  }

  private var areaNames: [String] {
    var names: [String] = []
    for run in runs where !names.contains(run.area) { names.append(run.area) }
    return names.sorted()
  }

  /// The refused capabilities, each with its reason.
  private var refusals: [(name: String, reason: String)] {
    manifest.capabilities.compactMap { name, support in
      support.hasPrefix("unsupported: ") ? (name, String(support.dropFirst(13))) : nil
    }.sorted { $0.name < $1.name }
  }

  /// One screen for a terminal.
  public var summary: String {
    var lines = ["\(harness): \(verdict)", "  \(counts(totals))"] + levelLines.map { "  \($0)" }
    lines += problems.map { "  problem: \($0)" }
    if let firstBlocking { lines.append("  first blocking: \(firstBlocking)") }
    for (area, cases) in failedCases {
      lines.append("  \(area): \(cases.count) \(cases.count == 1 ? "case" : "cases") failed")
      for failed in cases {
        let run = failed.first
        lines.append("    \(run.outcome): \(failed.title)")
        lines.append("      \(run.location ?? "?"): \(Self.shortened(run.message ?? "", 300))")
        if let reproducer = run.reproducer { lines.append("      again: \(reproducer)") }
      }
    }
    if !uncoveredClauses.isEmpty {
      lines.append("  clauses without a case: \(uncoveredClauses.joined(separator: ", "))")
    }
    if !unprovokedErrors.isEmpty { lines.append("  errors never met: \(unprovokedErrors.joined(separator: ", "))") }
    return lines.joined(separator: "\n")
  }

  static func shortened(_ text: String, _ count: Int) -> String {
    text.utf8.count <= count ? text : String(text.prefix(count)) + "…"
  }

  /// One screen of Markdown, for a README or the summary of a job.
  public var markdown: String {
    var lines = [
      "## \(Self.escaped(harness)): \(Self.escaped(verdict))", "",
      "Quarry conformance \(manifest.contract), kit \(kit); \(Self.escaped(manifest.name)) "
        + "\(Self.escaped(manifest.engineVersion)); Swift \(environment.swift), \(Self.escaped(environment.system)) "
        + "(\(environment.architecture)); \(plan.cases) cases in \(plan.runs) runs, plan `\(plan.hash)`, seed \(seed).",
      "",
    ]
    lines += problems.map { "- problem: \(Self.escaped($0))" }
    let names = ConformanceOutcome.names.filter { totals[$0] != nil }
    if !runs.isEmpty {
      lines.append("| area | " + names.joined(separator: " | ") + " |")
      lines.append("|---" + String(repeating: "|--:", count: names.count) + "|")
      for area in areaNames {
        let row = names.map { areas[area]?[$0].map(String.init) ?? "" }
        lines.append("| \(area) | " + row.joined(separator: " | ") + " |")
      }
      lines.append("| all | " + names.map { totals[$0].map(String.init) ?? "" }.joined(separator: " | ") + " |")
      lines.append("")
    }
    for failed in failedCases.flatMap(\.cases) {
      let run = failed.first
      let message = Self.escaped(Self.shortened(run.message ?? "", 200))
      let variants = failed.variants.joined(separator: ", ")
      lines.append("- \(run.outcome): `\(run.id)` (\(variants); \(run.clauses.joined(separator: ", "))): \(message)")
    }
    for deviation in deviations {
      lines.append("- deviation: `\(deviation.caseID)`: \(Self.escaped(deviation.reason))")
    }
    if !refusals.isEmpty {
      lines.append("Refused, as declared: " + refusals.map { "\($0.name)" }.joined(separator: ", ") + ".")
    }
    lines.append("Limits: \(limitsText). Durability: \(manifest.durability.rawValue).")
    if !command.isEmpty { lines.append("Again: `\(command)`") }
    return lines.joined(separator: "\n") + "\n"
  }

  private var limitsText: String {
    let limits = manifest.limits
    let parts = [
      ("key bytes", limits.keyBytes), ("row bytes", limits.rowBytes), ("properties", limits.properties),
      ("open snapshots", limits.openSnapshots),
    ].compactMap { name, limit in limit.map { "\(name) \($0)" } }
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }

  /// Text that Markdown does not read as its own, on one line.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "|", "*", "_", "`", "<", "[", "]", "\\": result += "\\\(character)"
      case "\n", "\r", "\r\n": result += " "
      default: result.append(character)
      }
    }
    return result
  }
}
