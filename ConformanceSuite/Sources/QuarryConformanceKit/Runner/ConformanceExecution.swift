import Foundation
import QuarryBackend
import Synchronization

/// Runs single cases of a plan on a harness. Each call blocks its thread until the case has ended or was given up.
public final class ConformanceExecution: Sendable {
  private let harness: any ConformanceHarness
  private let manifest: BackendManifest
  private let deviations: [String: String]
  private let seed: UInt64
  private let patience: Int
  private let kills: Int
  /// What the refusals of capabilities came to, each tried once.
  private let refusals = Mutex<[Capability: ConformanceFailure?]>([:])

  /// Creates an execution.
  public init(_ harness: some ConformanceHarness, _ selection: ConformanceSelection = ConformanceSelection()) {
    self.harness = harness
    manifest = harness.manifest
    deviations = Dictionary(harness.deviations.map { ($0.caseID, $0.reason) }, uniquingKeysWith: { first, _ in first })
    seed = selection.seed
    patience = max(1, selection.patience)
    kills = selection.kills
  }

  /// Runs the case in its variant.
  ///
  /// A case that does not end within its time limit is failed by its name and left behind with its thread and its place.
  public func result(of run: ConformanceRun) -> ConformanceResult {
    let clock = harness.clock
    let start = clock.now()
    let outcome = judged(outcome(of: run), run.testCase)
    return ConformanceResult(run, outcome, milliseconds: clock.milliseconds(since: start))
  }

  private func judged(_ outcome: ConformanceOutcome, _ testCase: ConformanceCase) -> ConformanceOutcome {
    guard let reason = deviations[testCase.id] else { return outcome }
    switch outcome {
    case .failed: return .deviated(reason: reason)
    case .passed: return .unexpectedPass
    default: return outcome
    }
  }

  private func outcome(of run: ConformanceRun) -> ConformanceOutcome {
    let testCase = run.testCase
    if testCase.requiresFiles, harness.storage == .server { return .refused(["files"]) }
    if testCase.requiresSecondProcess, let outcome = outcomeWithoutProcess(testCase) { return outcome }
    if let writers = testCase.writers, writers != manifest.writers {
      return .refused([writers == .one ? "one writer" : "many writers"])
    }
    let missing = testCase.capabilities.union(run.variant.capabilities)
      .filter { manifest.capabilities[$0]?.isSupported != true }
    if !missing.isEmpty { return refused(missing) }
    if testCase.requiresPersistence || run.variant == .reopened, !harness.isPersistent {
      return .refused(["persistence"])
    }
    let (harness, seed, declared, kills, patience) = (harness, seed, manifest, kills, patience)
    let processes = SecondProcesses()
    let ended = CaseThread.run(within: testCase.timeLimit * patience) { () async -> Ending in
      let kit = ConformanceContext(
        harness, run.variant, seed: seed, kills: kills, patience: patience, processes: processes)
      let ending = await Self.ending(of: testCase, kit, declared)
      kit.cleanUp()
      return ending
    }
    switch ended {
    case .passed: return .passed
    case .failed(let failure): return .failed(failure)
    case .refused(let capability): return refused([capability])
    case nil:
      processes.killAll()
      let limit = testCase.timeLimit * patience
      return .failed(Self.failure("hung: it did not end within \(limit) and was left behind", testCase))
    }
  }

  /// What comes of a case with a second process where none is of use or none can be started; nil where one can.
  private func outcomeWithoutProcess(_ testCase: ConformanceCase) -> ConformanceOutcome? {
    guard harness.isPersistent else { return .refused(["persistence"]) }
    // What outlives a process is promised by the durability.
    if testCase.area == .durability, manifest.durability == .none { return .refused(["durability"]) }
    guard let process = harness.secondProcess else {
      return .notRun(environment: "the harness has no second process")
    }
    let obstacle = process.obstacle ?? (testCase.requiresCrashLab ? CrashLab.obstacle(process) : nil)
    return obstacle.map { .notRun(environment: $0) }
  }

  private enum Ending: Sendable {
    case passed
    case failed(ConformanceFailure)
    /// The case met a refusal that the manifest declares.
    case refused(Capability)
  }

  private static func ending(
    of testCase: ConformanceCase, _ kit: ConformanceContext, _ manifest: BackendManifest
  ) async -> Ending {
    do {
      try await testCase.body(kit)
    } catch let failure as ConformanceFailure {
      return .failed(failure)
    } catch {
      if let capability = (error as? StorageError)?.capability,
        manifest.capabilities[capability]?.isSupported == false
      {
        return .refused(capability)
      }
      let cause = (error as? StorageError)?.cause.map { ", caused by \($0)" } ?? ""
      return .failed(failure("threw \(error)\(cause)", testCase))
    }
    return kit.observer.first.map { .failed($0) } ?? .passed
  }

  private static func failure(_ message: String, _ testCase: ConformanceCase) -> ConformanceFailure {
    ConformanceFailure(message: message, file: testCase.file, line: testCase.line)
  }

  /// Refused, if every one of the refusals is as it must be.
  private func refused(_ capabilities: some Collection<Capability>) -> ConformanceOutcome {
    let sorted = capabilities.sorted { $0.rawValue < $1.rawValue }
    for capability in sorted {
      if let failure = refusalFailure(capability) { return .failed(failure) }
    }
    return .refused(sorted.map(\.rawValue))
  }

  private func refusalFailure(_ capability: Capability) -> ConformanceFailure? {
    if let known = refusals.withLock({ $0[capability] }) { return known }
    let (harness, seed, patience) = (harness, seed, patience)
    let probe = CapabilityProbe(capability)
    let ended = CaseThread.run(within: .seconds(10) * patience) { () async -> ConformanceFailure? in
      let kit = ConformanceContext(harness, seed: seed, patience: patience)
      defer { kit.cleanUp() }
      do {
        try probe.inspect(kit)
        return nil
      } catch let failure as ConformanceFailure {
        return failure
      } catch {
        return ConformanceFailure(
          message: "the refusal of \(capability.rawValue) threw \(error)", file: #fileID, line: #line)
      }
    }
    let failure: ConformanceFailure? =
      switch ended {
      case .some(let failure): failure
      case nil:
        ConformanceFailure(message: "the refusal of \(capability.rawValue) hung", file: #fileID, line: #line)
      }
    refusals.withLock { $0[capability] = .some(failure) }
    return failure
  }
}
