public import Foundation

/// Which case found which fault.
public struct FaultReport: Sendable {
  private let verdicts: [FaultTrial.Verdict]
  /// What each case of the kit finds; nil where that was not looked for.
  private let cases: CaseFindings?

  init(_ verdicts: [FaultTrial.Verdict], _ cases: [CaseTrial.Verdict]? = nil) {
    self.verdicts = verdicts
    self.cases = cases.map { CaseFindings($0) }
  }

  /// The faults that no case has found.
  public var survivors: [PlantedFault] { verdicts.filter { $0.killer == nil }.map(\.fault) }

  /// One line.
  public var summary: String {
    "\(verdicts.count) planted faults, \(verdicts.count - survivors.count) found, \(survivors.count) not found"
  }

  public var markdown: String {
    var lines = [
      "# Planted faults", "",
      "Backends that are wrong on purpose, each with one fault, and the first case of the conformance kit that finds it.",
      "A fault counts as found only by a case that cites a clause which the fault breaks. Made by",
      "`scripts/planted-faults`.", "", "\(summary).", "",
    ]
    for group in verdicts.map(\.fault.group).reduce(into: [String](), { if !$0.contains($1) { $0.append($1) } }) {
      lines += ["## \(group)", "", "| fault | what is wrong | breaks | found by |", "|---|---|---|---|"]
      for verdict in verdicts where verdict.fault.group == group {
        let fault = verdict.fault
        let engine = verdict.engineKiller.map { "; \($0)" } ?? ""
        let killer = verdict.killer.map { $0.name + ($0.clauses.isEmpty ? "" : engine) } ?? "**nothing**"
        let summary = fault.summary.replacing("|", with: "\\|").replacing("*", with: "\\*").replacing("_", with: "\\_")
        lines.append(
          "| \(fault.id) | \(summary) | \(fault.clauses.joined(separator: ", ")) | \(killer) |")
      }
      lines.append("")
    }
    if let cases { lines += cases.markdown }
    return lines.joined(separator: "\n")
  }

  private struct Entry: Codable {
    var fault: String
    var clauses: [String]
    var killer: String?
    var engineCase: String?
    var message: String?
  }

  private struct Document: Codable {
    var format = "planted-faults/2"
    var faults: [Entry]
    /// How many cases of each area came to what.
    var cases: [String: [String: Int]]?
    var casesWithOtherFault: [String]?
    var casesWithoutFault: [String]?
  }

  /// The cases that have found the faults in an earlier report, by the ids of the faults; empty when there is none.
  static func killers(inFileAt path: String) -> [String: String] {
    guard let data = FileManager.default.contents(atPath: path),
      let document = try? JSONDecoder().decode(Document.self, from: data)
    else { return [:] }
    return document.faults.reduce(into: [:]) { killers, entry in
      killers[entry.fault] = entry.killer.map { String($0.prefix { $0 != " " }) }
    }
  }

  /// The report for programs: each fault with the case that found it and the beginning of what that said.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let entries = verdicts.map { verdict in
      Entry(
        fault: verdict.fault.id, clauses: verdict.fault.clauses, killer: verdict.killer?.name,
        engineCase: verdict.engineKiller, message: verdict.killer.map { Self.shortened($0.message) })
    }
    return try encoder.encode(
      Document(
        faults: entries, cases: cases?.counts, casesWithOtherFault: cases?.withOther,
        casesWithoutFault: cases?.without))
  }

  /// The beginning of what a case said, without the places of stores, which differ from run to run.
  private static func shortened(_ message: String) -> String {
    let limit = 300
    let message = message.replacing(#/\S*quarry-fault-[0-9A-F-]{36}/#, with: "TEMP")
    let start = String(decoding: message.utf8.prefix(limit), as: UTF8.self)
    return message.utf8.count <= limit ? message : start + "…"
  }
}
