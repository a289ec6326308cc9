extension ConformanceReport {
  /// The report as JUnit XML: a suite for each area, a test case for each run.
  ///
  /// What was refused counts as passed, with its outcome as a property; what was not run or deviates counts as skipped and says
  /// why.
  public var junit: String {
    var lines = [#"<?xml version="1.0" encoding="UTF-8"?>"#]
    let groups = Dictionary(grouping: runs, by: \.area).sorted { $0.key < $1.key }
    let errors = problems.count
    let counts = Self.counts(runs, name: "Quarry conformance: \(harness)", errors: errors)
    lines.append("<testsuites \(counts)>")
    if !problems.isEmpty {
      lines.append("  <testsuite \(Self.counts([], name: "suite", errors: errors))>")
      for problem in problems {
        lines.append(#"    <testcase classname="suite" name="harness" time="0">"#)
        lines.append("      <error message=\"\(Self.attribute(problem))\"/>")
        lines.append("    </testcase>")
      }
      lines.append("  </testsuite>")
    }
    for (area, runs) in groups {
      lines.append("  <testsuite \(Self.counts(runs, name: area))>")
      lines.append("    <properties>")
      lines.append("      <property name=\"complete\" value=\"\(isComplete)\"/>")
      lines.append("      <property name=\"plan\" value=\"\(plan.hash)\"/>")
      lines.append("    </properties>")
      for run in runs { lines += Self.testCase(run) }
      lines.append("  </testsuite>")
    }
    lines.append("</testsuites>")
    return lines.joined(separator: "\n") + "\n"
  }

  /// - Parameter errors: Problems of the suite itself, each of which is a test case.
  private static func counts(_ runs: [Run], name: String, errors: Int = 0) -> String {
    let failures = runs.filter { $0.outcome == "failed" || $0.outcome == "unexpectedPass" }.count
    let skipped = runs.filter { $0.outcome == "notRun" || $0.outcome == "deviated" }.count
    let time = seconds(runs.reduce(0) { $0 + $1.milliseconds })
    return "name=\"\(attribute(name))\" tests=\"\(runs.count + errors)\" failures=\"\(failures)\" errors=\"\(errors)\" "
      + "skipped=\"\(skipped)\" time=\"\(time)\""
  }

  /// Seconds with five places. XML's decimals have no exponent.
  static func seconds(_ milliseconds: Double) -> String {
    let all = Int((max(0, min(milliseconds, 1e12)) * 100).rounded())
    let places = String(all % 100_000)
    return "\(all / 100_000)." + String(repeating: "0", count: 5 - places.utf8.count) + places
  }

  private static func testCase(_ run: Run) -> [String] {
    let name = run.variant == "fresh" ? run.id : "\(run.id) [\(run.variant)]"
    let opening =
      "    <testcase classname=\"\(attribute(run.area))\" name=\"\(attribute(name))\" "
      + "time=\"\(seconds(run.milliseconds))\""
    let message = attribute(run.message ?? "")
    switch run.outcome {
    case "passed": return [opening + "/>"]
    case "refused":
      return [
        opening + ">", "      <properties><property name=\"outcome\" value=\"refused\"/></properties>",
        "      <system-out>\(message)</system-out>", "    </testcase>",
      ]
    case "deviated":
      return [opening + ">", "      <skipped message=\"DEVIATION \(message)\"/>", "    </testcase>"]
    case "notRun": return [opening + ">", "      <skipped message=\"\(message)\"/>", "    </testcase>"]
    default:
      return [
        opening + ">",
        "      <failure message=\"\(message)\" type=\"\(run.outcome)\">\(attribute(run.location ?? ""))</failure>",
        "    </testcase>",
      ]
    }
  }

  /// Text as XML 1.0 has it in attributes and elements. Scalars that XML has no form for become U+FFFD.
  static func attribute(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\r", "\t": result += "&#\(scalar.value);"
      case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
