import Foundation
public import QuarryBackend

/// What a run came to: the one document from which all other forms are made.
public struct ConformanceReport: Codable, Sendable, Equatable {
  public static let format = "conformance-report/1"

  /// How a run ended, as the exit code of a command.
  public enum Status: Int32, Sendable {
    /// Everything that was due was run and proven.
    case awarded = 0
    case failed = 1
    /// Nothing failed, but not all that is due was run, or something deviates.
    case incomplete = 2
    /// The harness or the suite itself is wrong: the results say nothing.
    case suiteError = 3
  }

  public struct Manifest: Codable, Sendable, Equatable {
    public var contract: String
    public var name: String
    public var engineVersion: String
    /// `native`, `emulated` or `unsupported: reason` for each capability.
    public var capabilities: [String: String]
    public var limits: BackendManifest.Limits
    public var isolation: BackendManifest.Isolation
    public var durability: BackendManifest.Durability
    public var sharing: BackendManifest.Sharing

    init(_ manifest: BackendManifest) {
      contract = manifest.contract
      name = manifest.name
      engineVersion = manifest.engineVersion
      capabilities = Dictionary(
        uniqueKeysWithValues: manifest.capabilities.map { capability, support in
          switch support {
          case .native: (capability.rawValue, "native")
          case .emulated: (capability.rawValue, "emulated")
          case .unsupported(let reason): (capability.rawValue, "unsupported: \(reason)")
          }
        })
      limits = manifest.limits
      isolation = manifest.isolation
      durability = manifest.durability
      sharing = manifest.sharing
    }
  }

  public struct Plan: Codable, Sendable, Equatable {
    public var runs: Int
    public var cases: Int
    /// CRC-32C of the planned runs' names.
    public var hash: String
  }

  public struct Run: Codable, Sendable, Equatable {
    public var id: String
    public var variant: String
    public var area: String
    public var level: ConformanceLevel
    public var clauses: [String]
    /// One of ``ConformanceOutcome/names``.
    public var outcome: String
    public var milliseconds: Double
    /// Why, for every outcome but passed.
    public var message: String?
    /// Where the kit found it, `file:line`.
    public var location: String?
    /// The command that runs this alone, for every outcome that fulfils no level.
    public var reproducer: String?
  }

  /// How many runs there were of each outcome; outcomes that did not occur are left out.
  public typealias Totals = [String: Int]

  public var format: String
  public var kit: String
  public var harness: String
  public var isPersistent: Bool
  public var manifest: Manifest
  public var plan: Plan
  public var environment: ConformanceEnvironment
  public var seed: UInt64
  public var command: String
  public var runs: [Run]
  public var totals: Totals
  public var areas: [String: Totals]
  public var levels: [String: Totals]
  public var deviations: [ConformanceDeviation]
  /// Whether all that the levels up to the one that was asked for need was run.
  public var isComplete: Bool
  public var levelAsked: ConformanceLevel
  /// The highest level whose runs, and those of all levels below it, passed or were refused as declared; nil when not
  /// even the first is, or when only a part of the suite was run.
  public var levelAwarded: ConformanceLevel?
  /// What was proven beside the level: `Secure`, when all of the area ENC, and every case on a sealed store, passed or was
  /// refused as declared. Nil in reports of kits before 0.3.
  public var profiles: [String]?
  /// The first run that stands between the level that was awarded and the next one.
  public var firstBlocking: String?
  /// What is wrong with the harness or the suite. When it is not empty, nothing else counts.
  public var problems: [String]
  /// Why the run ended before all of its plan was run, such as `SIGTERM`; nil where it did not, and in reports of kits
  /// before 0.4.
  public var stopped: String?
  /// Clauses of the contract that no case of the kit cites.
  public var uncoveredClauses: [String]
  /// Codes of errors that no run has provoked, of those that are due.
  public var unprovokedErrors: [String]

  init(
    harness: any ConformanceHarness, plan: ConformancePlan, selection: ConformanceSelection,
    results: [ConformanceResult], problems: [String], stopped: String? = nil, cases: [ConformanceCase],
    command: String
  ) {
    format = Self.format
    kit = ConformanceSuite.version
    self.harness = harness.name
    isPersistent = harness.isPersistent
    manifest = Manifest(harness.manifest)
    self.plan = Plan(runs: plan.count, cases: Set(plan.runs.map(\.testCase.id)).count, hash: plan.hash)
    environment = .current
    seed = selection.seed
    self.command = command.isEmpty ? "" : command + selection.options
    deviations = harness.deviations
    levelAsked = selection.level
    self.problems = problems
    self.stopped = stopped
    runs = results.map { Run($0, command: command, seed: selection.seed) }
    totals = Self.totals(runs)
    areas = Dictionary(grouping: runs, by: \.area).mapValues(Self.totals)
    levels = Dictionary(grouping: runs, by: \.level.description).mapValues(Self.totals)
    isComplete =
      problems.isEmpty && !selection.isPartial && results.count == plan.count && (totals["notRun"] ?? 0) == 0
    uncoveredClauses = ContractClauses.uncovered(by: cases)
    let isWhole = !selection.isPartial && !results.isEmpty && selection.level >= .durable
    unprovokedErrors =
      isWhole ? ContractClauses.unprovoked(ProvokedErrors.all, harness) : []
    // What was not run proves nothing, whatever level it is of.
    if problems.isEmpty, !selection.isPartial, stopped == nil { award(results, harness.isPersistent) }
    profiles = isWhole && problems.isEmpty && stopped == nil && Self.isSecure(results) ? ["Secure"] : []
  }

  private static func isSecure(_ results: [ConformanceResult]) -> Bool {
    let sealed = results.filter { $0.run.variant == .encrypted || $0.run.testCase.area == .encryption }
    return sealed.allSatisfy(\.outcome.fulfils)
      && sealed.contains { $0.run.variant == .encrypted && $0.outcome == .passed }
      && sealed.contains { $0.run.testCase.area == .encryption && $0.outcome == .passed }
  }

  private mutating func award(_ results: [ConformanceResult], _ isPersistent: Bool) {
    for level in ConformanceLevel.allCases where level <= levelAsked {
      // What was refused everywhere was not proven: a store that does not last is not durable.
      if level >= .durable, !isPersistent { return }
      let runs = results.filter { $0.run.testCase.level == level }
      if let blocking = runs.first(where: { !$0.outcome.fulfils }) {
        firstBlocking = blocking.run.description
        return
      }
      guard runs.contains(where: { $0.outcome == .passed }) else { return }
      levelAwarded = level
    }
  }

  private static func totals(_ runs: [Run]) -> Totals {
    runs.reduce(into: [:]) { $0[$1.outcome, default: 0] += 1 }
  }

  /// The highest level that can be due: without persistence nothing durable is.
  public var levelDue: ConformanceLevel { isPersistent ? levelAsked : min(levelAsked, .transactional) }

  public var status: Status {
    if !problems.isEmpty { return .suiteError }
    if failures.isEmpty {
      return isComplete && levelAwarded == levelDue ? .awarded : .incomplete
    }
    return .failed
  }

  /// The runs that failed, and those that passed though a deviation says that they fail.
  public var failures: [Run] { runs.filter { $0.outcome == "failed" || $0.outcome == "unexpectedPass" } }
}

extension ConformanceReport.Run {
  init(_ result: ConformanceResult, command: String, seed: UInt64) {
    let testCase = result.run.testCase
    id = testCase.id
    variant = result.run.variant.rawValue
    area = testCase.area.name
    level = testCase.level
    clauses = testCase.clauses
    outcome = result.outcome.name
    // Hundredths are more than the clock is good for, and whole numbers of them have a short form in JSON.
    milliseconds = (result.milliseconds * 100).rounded() / 100
    switch result.outcome {
    case .passed: break
    case .failed(let failure):
      // Errors name files, and reports name no place of the machine.
      message = failure.message.replacingOccurrences(of: FileManager.default.temporaryDirectory.path, with: "TEMP")
      location = "\(failure.file):\(failure.line)"
    case .refused(let capabilities): message = "refused as declared: \(capabilities.joined(separator: ", "))"
    case .deviated(let reason): message = reason
    case .unexpectedPass: message = "a deviation says that it fails, but it passed"
    case .notRun(let environment): message = environment
    }
    guard !result.outcome.fulfils else { return }
    location = location ?? "\(testCase.file):\(testCase.line)"
    reproducer = Self.reproducer(command, id, variant, seed)
  }

  private static func reproducer(_ command: String, _ id: String, _ variant: String, _ seed: UInt64) -> String? {
    guard !command.isEmpty else { return nil }
    return "\(command) --case \(id) --variant \(variant)" + (seed == 0 ? "" : " --seed \(seed)")
  }
}
