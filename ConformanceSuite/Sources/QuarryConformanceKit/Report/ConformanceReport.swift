import Foundation
public import QuarryBackend

/// What a run came to: the one document from which all other forms are made.
public struct ConformanceReport: Codable, Sendable, Equatable {
  /// The name of the format of reports.
  public static let format = "conformance-report/1"

  /// How a run ended, as the exit code of a command.
  public enum Status: Int32, Sendable {
    /// Everything that was due was run and proven.
    case awarded = 0
    /// A case failed.
    case failed = 1
    /// Nothing failed, but not all that is due was run, or something deviates.
    case incomplete = 2
    /// The harness or the suite itself is wrong: the results say nothing.
    case suiteError = 3
  }

  /// The manifest of the engine, as the report states it.
  public struct Manifest: Codable, Sendable, Equatable {
    /// The version of the contract.
    public var contract: String
    /// The name of the engine.
    public var name: String
    /// The version of the engine or its library.
    public var engineVersion: String
    /// `native`, `emulated` or `unsupported: reason` for each capability.
    public var capabilities: [String: String]
    /// The declared limits.
    public var limits: BackendManifest.Limits
    /// The declared isolation of transactions.
    public var isolation: BackendManifest.Isolation
    /// What a commit survives.
    public var durability: BackendManifest.Durability
    /// Who can share a store.
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

  /// The plan that the report is about.
  public struct Plan: Codable, Sendable, Equatable {
    /// The number of runs.
    public var runs: Int
    /// The number of cases.
    public var cases: Int
    /// CRC-32C of the planned runs' names.
    public var hash: String
  }

  /// One run and its outcome.
  public struct Run: Codable, Sendable, Equatable {
    /// The id of the case.
    public var id: String
    /// The name of the variant.
    public var variant: String
    /// The name of the area.
    public var area: String
    /// The level that the case belongs to.
    public var level: ConformanceLevel
    /// The clauses that the case proves.
    public var clauses: [String]
    /// One of ``ConformanceOutcome/names``.
    public var outcome: String
    /// The duration of the run in milliseconds.
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

  /// The name of the format of the report.
  public var format: String
  /// The version of the kit.
  public var kit: String
  /// The name of the harness.
  public var harness: String
  /// Whether stores of the engine outlive their process.
  public var isPersistent: Bool
  /// The manifest of the engine.
  public var manifest: Manifest
  /// The plan of the run.
  public var plan: Plan
  /// The system on which the kit ran.
  public var environment: ConformanceEnvironment
  /// The seed of the random cases.
  public var seed: UInt64
  /// The command that made the report.
  public var command: String
  /// All runs, in the order of the plan.
  public var runs: [Run]
  /// The numbers of all runs by outcome.
  public var totals: Totals
  /// The numbers of runs of each area.
  public var areas: [String: Totals]
  /// The numbers of runs of each level.
  public var levels: [String: Totals]
  /// What the engine declares to do otherwise.
  public var deviations: [ConformanceDeviation]
  /// Whether all that the levels up to the one that was asked for need was run.
  public var isComplete: Bool
  /// The level that was asked for.
  public var levelAsked: ConformanceLevel
  /// The highest level whose runs, and those of all levels below it, passed or were refused as declared.
  ///
  /// Nil when not even the first level is awarded, or when only a part of the suite was run.
  public var levelAwarded: ConformanceLevel?
  /// What was proven beside the level.
  ///
  /// `Secure`, when all of the area ENC, and every case on a sealed store, passed or was refused as declared. Nil in reports of
  /// kits before 0.3.
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

  /// The result of the whole run, which is the exit code of the command.
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
