import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Random commands, compared with the reference after each; what fails comes out as a short list of commands.
enum ModelCases {
  private static let steps = 200

  static let all: [ConformanceCase] = commands + schemas

  private static let commands = (1...50).map { number in
    ConformanceCase(
      "MODEL.random-\(number)", ["CRUD-1", "STMT-1", "TXN-1", "TXN-3", "PRED-12", "SNAP-1"],
      "Random commands are answered as by the reference.",
      without: Set(ConformanceVariant.allCases).subtracting([.fresh, .rowByRow]), within: .seconds(120)
    ) { kit in
      do {
        let count = try DifferentialTest([ContextHarness(kit: kit)]).run(
          seed: kit.caseSeed(7000 + UInt64(number)), steps: kit.tries(steps))
        try expect(count >= kit.tries(steps), "\(count) commands were run")
      } catch let failure as DifferentialTest.Failure {
        throw ConformanceFailure(message: failure.description, file: #fileID, line: #line)
      }
    }
  }

  private static let schemas = (1...30).map { number in
    ConformanceCase(
      "MODEL.schema-\(number)", ["SCH-1", "SCH-5", "SCH-7", "SCH-8", "IDX-1", "IDX-4", "TXN-1", "TXN-3", "SNAP-1"],
      "Random changes of the schema between random commands are answered as by the reference.",
      needs: [
        .savepoints, .snapshots, .upsert, .schemaDropModel, .schemaRenameModel, .schemaAddProperty,
        .schemaRenameProperty, .schemaDropProperty, .schemaCreateIndex, .schemaDropIndex, .schemaRenameIndex,
        .schemaChangeOptionality, .schemaSetVersion,
      ],
      without: Set(ConformanceVariant.allCases).subtracting([.fresh, .rowByRow, .replayed]), within: .seconds(120)
    ) { kit in
      do {
        try EvolutionRun.run(
          seed: kit.caseSeed(9000 + UInt64(number)), steps: kit.tries(steps), ContextHarness(kit: kit))
      } catch let failure as EvolutionRun.Failure {
        throw ConformanceFailure(message: failure.description, file: #fileID, line: #line)
      }
    }
  }
}

/// The places of a case as a harness, so that the case's variant and its cleaning up hold.
private struct ContextHarness: ConformanceHarness {
  let kit: ConformanceContext
  var name: String { kit.harness.name }
  var isPersistent: Bool { kit.harness.isPersistent }
  var manifest: BackendManifest { kit.harness.manifest }

  func makePlace() throws -> any BackendProvider { try kit.makePlace() }
  /// The context removes its places.
  func remove(_ place: any BackendProvider) {}
}
