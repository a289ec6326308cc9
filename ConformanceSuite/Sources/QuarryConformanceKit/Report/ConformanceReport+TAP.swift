extension ConformanceReport {
  /// The report as TAP 14, the areas as subtests.
  public var tap: String {
    let groups = Dictionary(grouping: runs, by: \.area).sorted { $0.key < $1.key }
    var lines = ["TAP version 14", "1..\(groups.count)", "# plan \(plan.hash), seed \(seed)"]
    for problem in problems { lines.append("Bail out! \(Self.line(problem))") }
    guard problems.isEmpty else { return lines.joined(separator: "\n") + "\n" }
    for (number, group) in groups.enumerated() {
      lines.append("# Subtest: \(group.key)")
      lines.append("    1..\(group.value.count)")
      for (place, run) in group.value.enumerated() {
        lines += Self.point(run, place + 1).map { "    \($0)" }
      }
      let isOK = !group.value.contains { $0.outcome == "failed" || $0.outcome == "unexpectedPass" }
      lines.append("\(isOK ? "ok" : "not ok") \(number + 1) - \(group.key)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func point(_ run: Run, _ number: Int) -> [String] {
    let name = line(run.variant == "fresh" ? run.id : "\(run.id) [\(run.variant)]")
    let message = line(run.message ?? "")
    switch run.outcome {
    case "passed": return ["ok \(number) - \(name)"]
    case "refused":
      return ["ok \(number) - \(name)", "  ---", "  outcome: refused", "  message: \(quoted(run))", "  ..."]
    case "deviated": return ["not ok \(number) - \(name) # TODO \(message)"]
    case "notRun": return ["ok \(number) - \(name) # SKIP \(message)"]
    default:
      return [
        "not ok \(number) - \(name)", "  ---", "  outcome: \(run.outcome)", "  message: \(quoted(run))",
        "  at: \(run.location ?? "")", "  again: \"\(escaped(run.reproducer ?? ""))\"", "  ...",
      ]
    }
  }

  private static func quoted(_ run: Run) -> String { "\"\(escaped(run.message ?? ""))\"" }

  /// Text between double quotes in YAML.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}":
        let digits = String(scalar.value, radix: 16)
        result += "\\x" + (digits.utf8.count == 1 ? "0" : "") + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Text on one line in which nothing is a directive.
  private static func line(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "#": result += "\\#"
      case "\\": result += "\\\\"
      case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}": result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
