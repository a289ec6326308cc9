import QuarryBackend
import QuarryConformanceKit

/// What a loss of power leaves, and stores whose operations on files fail: samples of what `quarry-conformance crash-lab`
/// tries.
enum LostPowerCases {
  static let all: [ConformanceCase] = power + failing + [failedCommit]

  private static func hardened(
    _ id: String, _ clauses: [String], _ summary: String, within limit: Duration = .seconds(300),
    file: String = #fileID, line: Int = #line, _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      id, clauses, summary, needs: [.check, .upsert], requiresPersistence: true, requiresCrashLab: true,
      level: .hardened, without: ConformanceVariant.allButFresh.subtracting([.encrypted]), within: limit, file: file,
      line: line, body)
  }

  /// Throws what was found, in its shortest form.
  private static func expectNone(
    _ finding: CrashLaboratory.Finding?, file: String = #fileID, line: Int = #line
  ) throws {
    guard let finding else { return }
    throw ConformanceFailure(message: "\(finding)", file: file, line: line)
  }

  /// The steps without which a step has nothing to do.
  private static func beginning(_ step: LabStep) -> [LabStep] { step == .trim ? [.history, .insert] : [] }

  // MARK: Loss of power

  private static let power: [ConformanceCase] =
    LabStep.allCases.enumerated().map { number, step in
      hardened(
        "DUR.lost-power-\(step.rawValue)", ["DUR-7", "DUR-3"],
        "A loss of power at any moment of \(summaries[step] ?? step.rawValue) leaves a committed state, and what was acknowledged."
      ) { kit in
        var random = kit.random(400 + number)
        let laboratory = try CrashLaboratory(kit)
        guard laboratory.steps.contains(step) else { return }
        let count = kit.triesFew ? 24 : 120
        for isFilled in [true, false] {
          // Alone, and between two others.
          let others = laboratory.steps.shuffled(using: &random)
          for steps in [beginning(step) + [step], beginning(step) + [others[0], step, others[1]]] {
            let workload = LabWorkload(isFilled: isFilled, steps)
            try expectNone(try laboratory.losePower(workload, states: count / 4, &random))
          }
        }
        try expect(laboratory.tally.states > 0, "no state was tried")
      }
    } + [
      hardened(
        "DUR.lost-power-making", ["DUR-7", "DUR-3"],
        "A loss of power while a store is made, or opened again and again, leaves none or a whole one."
      ) { kit in
        var random = kit.random(440)
        let laboratory = try CrashLaboratory(kit)
        let count = kit.triesFew ? 30 : 200
        try expectNone(try laboratory.losePower(LabWorkload(isFilled: false, []), states: count, &random))
        try expectNone(
          try laboratory.losePower(LabWorkload(isFilled: true, [.reopen, .reopen]), states: count, &random))
      },
      hardened(
        "DUR.killed-at-levels", ["DUR-1", "DUR-2", "DUR-7"],
        "Less durable stores lose nothing when a process ends, at any operation on a file."
      ) { kit in
        var random = kit.random(441)
        let laboratory = try CrashLaboratory(kit)
        for durability in [BackendManifest.Durability.processCrash, .none] {
          for _ in 0..<(kit.triesFew ? 1 : 8) {
            let steps = (0..<3).compactMap { _ in laboratory.steps.randomElement(using: &random) }
            let workload = LabWorkload(isFilled: .random(using: &random), steps)
            try expectNone(
              try laboratory.losePower(workload, .killed(durability), states: kit.triesFew ? 12 : 60, &random))
          }
        }
      },
      hardened(
        "DUR.killed-with-history", ["DUR-1", "HIST-3", "HIST-10"],
        "A process that ends at any operation on a file leaves each write with its change set, and a whole history."
      ) { kit in
        var random = kit.random(443)
        let laboratory = try CrashLaboratory(kit)
        guard laboratory.steps.contains(.history) else { return }
        // Neither workload has as many operations as the whole plan tries.
        let count = kit.triesFew ? 16 : 400
        for steps in [[LabStep.history, .insert, .trim, .update], [.history, .crowd, .upsert, .trim, .insert]] {
          let workload = LabWorkload(isFilled: true, steps)
          try expectNone(try laboratory.losePower(workload, .killed(.powerLoss), states: count, &random))
        }
        try expect(laboratory.tally.states >= 16, "too few states were tried")
      },
      hardened(
        "DUR.lost-power-at-levels", ["DUR-7"],
        "A loss of power leaves of a less durable store what its engine says: a committed state, or what it had when it was closed."
      ) { kit in
        var random = kit.random(442)
        let laboratory = try CrashLaboratory(kit)
        for durability in [BackendManifest.Durability.processCrash, .none] {
          guard kit.harness.afterLostPower(durability) != LostPowerPromise() else { continue }
          for number in 0..<(kit.triesFew ? 2 : 10) {
            var steps = (0..<3).compactMap { _ in laboratory.steps.randomElement(using: &random) }
            if number % 2 == 0 { steps[1] = .reopen }
            let workload = LabWorkload(isFilled: .random(using: &random), steps)
            try expectNone(
              try laboratory.losePower(workload, .lostPower(durability), states: kit.triesFew ? 16 : 80, &random))
          }
        }
      },
    ]

  private static let summaries: [LabStep: String] = [
    .insert: "an insert", .upsert: "an upsert", .update: "an update", .delete: "a delete",
    .crowd: "writes of several threads",
    .savepoint: "a transaction with a savepoint that was rolled back", .schema: "a change of the schema",
    .migration: "a migration", .compaction: "a compaction", .backup: "a backup", .rekey: "a change of keys",
    .reopen: "closing and opening", .history: "the beginning of a history", .trim: "the trimming of a history",
  ]

  // MARK: Failing operations

  private static let failedCommit = hardened(
    "DUR.failed-commit", ["DUR-8"],
    "A commit that threw because one operation failed is not there after the store was closed."
  ) { kit in
    var random = kit.random(449)
    let laboratory = try CrashLaboratory(kit)
    for step in [LabStep.insert, .delete] {
      let workload = LabWorkload(isFilled: true, [step])
      let failures = laboratory.singleFailures(of: try laboratory.record(workload))
      try expect(!failures.isEmpty, "\(workload) does nothing with files")
      // The last one is the sync that the commit waits for.
      let others = failures.dropLast().shuffled(using: &random).prefix(kit.triesFew ? 2 : 4)
      for failure in failures.suffix(1) + others {
        try expectNone(try laboratory.fail(workload, failure, mayStay: false))
      }
    }
  }

  private static let failing: [ConformanceCase] = LabStep.allCases.enumerated().map { number, step in
    hardened(
      "DUR.failing-\(step.rawValue)", ["DUR-8"],
      "When an operation on a file fails in \(summaries[step] ?? step.rawValue), once or from then on, nothing acknowledged is lost."
    ) { kit in
      var random = kit.random(450 + number)
      let laboratory = try CrashLaboratory(kit)
      guard laboratory.steps.contains(step) else { return }
      let count = kit.triesFew ? 16 : 80
      for isFilled in [true, false] {
        let other = laboratory.steps.randomElement(using: &random) ?? .insert
        let workload = LabWorkload(isFilled: isFilled, beginning(step) + [step, other])
        let failures = laboratory.failures(of: try laboratory.record(workload))
        try expect(!failures.isEmpty, "\(workload) does nothing with files")
        for failure in failures.shuffled(using: &random).prefix(count / 2) {
          try expectNone(try laboratory.fail(workload, failure))
        }
      }
    }
  }
}
