import Foundation
public import QuarryBackend

/// Runs the laboratory at length, for a command.
public struct CrashLabRun: Sendable {
  /// How many steps a workload has at most; all of at most so many are tried, as far as there are states left.
  public var operations = 3
  /// How many states of lost power are tried; nil for none.
  public var states: Int? = 10_000
  /// How many failing operations are tried; nil for none.
  public var failures: Int? = 1_000
  /// The seed that fixes which workloads and states are tried.
  public var seed: UInt64 = 0
  /// Whether the store is sealed.
  public var isSealed = false
  /// What is done once more: a workload, and its states or its failing operation, as a finding tells them.
  public var workload: String?
  /// The states, or the failing operation, that are tried again with ``workload``.
  public var trail: [String] = []
  /// What the stores are opened for; of less than `powerLoss` what the harness promises is tried.
  public var durability = BackendManifest.Durability.powerLoss
  /// How many findings end the run.
  public var limit = 5

  /// Creates a run with the default settings.
  public init() {}

  /// What a run has tried and found.
  public struct Result: Sendable {
    /// The name of the engine.
    public var engine: String
    /// The number of recorded workloads.
    public var workloads = 0
    /// The number of tried states of a disk after a loss of power.
    public var states = 0
    /// The number of these states that lost their power again while the store recovered.
    public var recoveries = 0
    /// The number of states in which opening set an unreadable end of the file aside.
    public var tails = 0
    /// The number of file operations that were made to fail.
    public var failures = 0
    /// The duration of the run in seconds.
    public var seconds = 0.0
    /// What was wrong, each with the command that shows it again.
    public var findings: [String] = []

    /// The cells of a row of a table in Markdown.
    public var row: String {
      "| \(engine) | \(workloads) | \(states) | \(recoveries) | \(failures) | \(findings.count) | \(Int(seconds)) s |"
    }

    /// The first two lines of a table of results in Markdown.
    public static let header = """
      | engine | workloads recorded | states after a loss of power | of which during recovery | failing operations | failures | time |
      |---|--:|--:|--:|--:|--:|--:|
      """
  }

  /// What the stores are, in words and as options of the command.
  private var kind: String {
    let words = [isSealed ? "encrypted" : nil, durability == .powerLoss ? nil : durability.rawValue].compactMap { $0 }
    return words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"
  }
  private var options: String {
    (isSealed ? " --encrypted" : "") + (durability == .powerLoss ? "" : " --durability \(durability.rawValue)")
  }

  /// Tries the states and failing operations on the engine of a harness.
  ///
  /// - Parameters:
  ///   - harness: The harness of the engine.
  ///   - progress: Is called with what was done so far, now and then.
  /// - Throws: A ``ConformanceFailure`` where the laboratory cannot work on the harness.
  public func run(
    on harness: some ConformanceHarness, progress: (Result) -> Void = { _ in }
  ) throws -> Result {
    let kit = ConformanceContext(harness, isSealed ? .encrypted : .fresh, seed: seed, kills: 25, patience: 3)
    defer { kit.cleanUp() }
    let laboratory = try CrashLaboratory(kit)
    var result = Result(engine: harness.name + kind)
    let start = ContinuousClock.now
    func note() {
      (result.workloads, result.states) = (laboratory.tally.workloads, laboratory.tally.states)
      (result.recoveries, result.tails) = (laboratory.tally.recoveries, laboratory.tally.tails)
      result.failures = laboratory.tally.failures
      result.seconds = (ContinuousClock.now - start) / .seconds(1)
      progress(result)
    }
    func add(_ finding: CrashLaboratory.Finding?) {
      guard let finding else { return }
      let states = finding.trail.map { "--state '\($0)'" }.joined(separator: " ")
      let list = finding.operations.enumerated().map { "  \($0.offset)  \($0.element)" }.joined(separator: "\n")
      result.findings.append(
        "\(finding)\n  again: --workload '\(finding.workload)' \(states)\(options)\n\(list)")
    }
    if let text = workload {
      guard let workload = LabWorkload(text) else {
        throw ConformanceFailure(message: "\(text) is no workload", file: #fileID, line: #line)
      }
      add(try again(laboratory, workload))
      note()
      return result
    }
    var random = kit.random(390)
    let short = LabWorkload.all(of: laboratory.steps, upTo: min(2, operations))
    let long = LabWorkload.all(of: laboratory.steps, upTo: operations).dropFirst(short.count).shuffled(using: &random)
    let workloads = short.shuffled(using: &random) + long
    // Where nothing is promised, nothing is looked for.
    let isPromised = durability == .powerLoss || harness.afterLostPower(durability) != LostPowerPromise()
    if let states, isPromised {
      // The short ones get their share, and what is left goes to others until the number is reached.
      let share = max(20, states / max(1, workloads.count))
      for workload in workloads + workloads.shuffled(using: &random) {
        guard laboratory.tally.states < states, result.findings.count < limit else { break }
        if let finding = try laboratory.losePower(workload, .lostPower(durability), states: share, &random) {
          add(try laboratory.shrunk(finding, .lostPower(durability), states: max(200, share), &random))
        }
        note()
      }
    }
    if let failures {
      let share = max(20, failures / max(1, workloads.count) + 1)
      for workload in workloads + workloads.shuffled(using: &random) {
        guard laboratory.tally.failures < failures, result.findings.count < limit else { break }
        let all = laboratory.failures(of: try laboratory.record(workload))
        for failure in all.shuffled(using: &random).prefix(share) {
          if let finding = try laboratory.fail(workload, failure) {
            add(finding)
            break
          }
        }
        note()
      }
    }
    note()
    return result
  }

  /// Whether the laboratory finds a fault that a program could have on its way to the disk, which is done to the records of
  /// one that has none.
  public struct Proof: Sendable {
    /// The name of the planted fault.
    public let fault: String
    /// How many states were tried until it was found; nil when it was not, in as many as there were.
    public let states: Int?
    /// What was found.
    public let finding: String
  }

  /// Looks for each planted fault.
  ///
  /// - Returns: For each whether it was found. An engine that does without an operation has no fault in it: one that names
  ///   nothing late cannot name anything early.
  public func prove(on harness: some ConformanceHarness) throws -> [Proof] {
    let kit = ConformanceContext(harness, isSealed ? .encrypted : .fresh, seed: seed, kills: 25, patience: 3)
    defer { kit.cleanUp() }
    return try LabFault.allCases.map { fault in
      let laboratory = try CrashLaboratory(kit)
      laboratory.fault = fault
      var random = kit.random(391)
      let chosen: [[LabStep]] = [
        [.insert, .update], [.upsert, .reopen, .delete], [.migration, .insert], [.compaction, .upsert], [.backup],
        [.delete, .compaction, .insert],
      ]
      let workloads = chosen.flatMap { steps in
        [true, false].map { LabWorkload(isFilled: $0, steps.filter(laboratory.steps.contains)) }
      }
      for workload in workloads {
        let share = (states ?? 1_000) / workloads.count
        if let finding = try laboratory.losePower(
          workload, .lostPower(durability), states: share, depth: 1, &random)
        {
          return Proof(fault: fault.rawValue, states: laboratory.tally.states, finding: "\(finding)")
        }
      }
      return Proof(fault: fault.rawValue, states: nil, finding: "")
    }
  }

  private func again(_ laboratory: CrashLaboratory, _ workload: LabWorkload) throws -> CrashLaboratory.Finding? {
    if let first = trail.first, let failure = CrashLaboratory.Failure(first) {
      return try laboratory.fail(workload, failure)
    }
    let states = trail.compactMap { CrashState($0) }
    guard !states.isEmpty, states.count == trail.count else {
      throw ConformanceFailure(message: "\(trail) are no states", file: #fileID, line: #line)
    }
    return try laboratory.again(workload, .lostPower(durability), states)
  }
}
