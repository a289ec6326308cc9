public import ArgumentParser
import Foundation
public import QuarryConformance

/// The options of every command that runs the suite.
public struct ConformanceArguments: ParsableArguments {
  /// The highest level that is run.
  @Option(help: "The highest level to run, L0 to L4; L3 when it is left out.", transform: Self.level)
  public var level: ConformanceLevel = .durable

  /// The areas that are run; empty for all.
  @Option(
    help: ArgumentHelp(
      "Only this area. May be repeated. The areas: \(ConformanceArea.all.map(\.name).joined(separator: ", ")).",
      valueName: "area"))
  public var area: [String] = []

  /// The ids of the cases that are run; empty for all.
  @Option(
    name: .customLong("case"), help: ArgumentHelp("Only the case with this id. May be repeated.", valueName: "id"))
  public var cases: [String] = []

  @Option(help: ArgumentHelp("Only the cases whose ids are the lines of this file.", valueName: "file"))
  var casesIn: String?

  /// The variants that are run; empty for all.
  @Option(help: "Only this variant. May be repeated.", transform: Self.variant)
  public var variant: [ConformanceVariant] = []

  /// The seed of the random cases.
  @Option(help: "Is mixed into the seeds of the random cases.")
  public var seed: UInt64 = 0

  /// The number of processes that each case with killed processes kills.
  @Option(help: "How many processes each case that kills processes kills; 25 when it is left out, 3 with --quick.")
  public var kills: Int?

  /// The number of cases that run at once.
  @Option(help: "How many cases run at once; two for each processor when it is left out.")
  public var jobs: Int?

  /// The factor by which the time limits are multiplied.
  @Option(help: "Every case's time limit is multiplied by this.")
  public var patience = 1

  /// Whether each case runs fresh, and one in four in one more variant.
  @Flag(help: "Each case fresh, and one in four in one more variant; as durably as in a full run.")
  public var quick = false

  /// Whether the plan is printed and nothing is run.
  @Flag(help: "Prints what would be run, NAME RUNS PLAN, and runs nothing.")
  public var plan = false

  /// Whether the first failure ends the run.
  @Flag(help: "Begins no further case after one that failed.")
  public var failFast = false

  /// The file of the report in JSON.
  @Option(help: ArgumentHelp("Writes the whole report.", valueName: "file"))
  public var json: String?
  /// The file of the report in JUnit XML.
  @Option(help: ArgumentHelp("Writes the report as JUnit XML.", valueName: "file"))
  public var junit: String?
  /// The file of the report in TAP.
  @Option(help: ArgumentHelp("Writes the report as TAP 14.", valueName: "file"))
  public var tap: String?
  /// The file of the report in Markdown.
  @Option(help: ArgumentHelp("Writes the summary.", valueName: "file"))
  public var markdown: String?
  /// The file of the badge in JSON.
  @Option(help: ArgumentHelp("Writes the badge for shields.io.", valueName: "file"))
  public var badge: String?
  /// Whether existing reports are replaced.
  @Flag(help: "Replaces the files of reports that are there. A store, a file beside one and a key are never replaced.")
  public var force = false

  public init() {}

  /// What the options choose.
  public var selection: ConformanceSelection {
    var selection = ConformanceSelection()
    selection.level = level
    selection.areas = area.isEmpty ? nil : Set(area.map { $0.uppercased() })
    selection.cases = cases.isEmpty ? nil : Set(cases)
    if let casesIn {
      // What cannot be read is no list of cases: the empty one, which runs nothing and says so.
      let text = (try? String(contentsOfFile: casesIn, encoding: .utf8)) ?? ""
      selection.cases = Set(cases).union(text.split(whereSeparator: \.isNewline).map(String.init))
    }
    if !variant.isEmpty { selection.variants = Set(variant) }
    selection.isQuick = quick
    selection.seed = seed
    selection.killCount = kills
    // A case on a disk waits for half of its time. No two cases share a store, and what concerns a whole process, such as
    // a limit or a kill, happens in a process of the case's own.
    selection.jobs = jobs ?? 2 * ProcessInfo.processInfo.activeProcessorCount
    selection.patience = patience
    selection.stopsAtFirstFailure = failFast
    return selection
  }

  @Sendable private static func level(_ text: String) throws -> ConformanceLevel {
    guard let level = ConformanceLevel(text) else { throw ValidationError("\(text) is no level; they are L0 to L4") }
    return level
  }

  @Sendable private static func variant(_ text: String) throws -> ConformanceVariant {
    guard let variant = ConformanceVariant(rawValue: text) else {
      let known = ConformanceVariant.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("\(text) is no variant; they are \(known)")
    }
    return variant
  }

  public func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs is at least 1") }
    if let kills, kills < 1 { throw ValidationError("--kills is at least 1") }
    if patience < 1 { throw ValidationError("--patience is at least 1") }
  }
}
