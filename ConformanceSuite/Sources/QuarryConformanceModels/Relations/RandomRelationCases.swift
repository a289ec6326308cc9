import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Random commands on random graphs of three models, compared with the reference after each; what fails comes out as a
/// short list of commands.
enum RandomRelationCases {
  static let all: [ConformanceCase] = (1...24).map { number in
    ConformanceCase(
      "REL.random-\(number)", ["REL-2", "REL-3", "REL-4", "REL-5", "REL-12"],
      "Random commands on objects that refer to each other are answered as by the reference.",
      needs: [.savepoints, .upsert, .deleteWhere, .updateWhere],
      without: ConformanceVariant.ofReads.union([.frozen]), within: .seconds(60)
    ) { kit in
      var random = kit.random(31_000 + number)
      let plan = RelationPlan.make(&random)
      let commands = (0..<kit.tries(150)).map { _ in RelationCommand.make(plan, &random, depth: 0) }
      guard try RelationRun.failure(of: commands, plan, kit) != nil else { return }
      let short = try RelationRun.shortened(commands, plan, kit)
      let message = try RelationRun.failure(of: short, plan, kit) ?? "fails once only"
      throw ConformanceFailure(
        message: "\(message)\nreferences: \(plan)\ncommands:\n" + short.map { "  \($0)" }.joined(separator: "\n"),
        file: #fileID, line: #line)
    }
  }
}
