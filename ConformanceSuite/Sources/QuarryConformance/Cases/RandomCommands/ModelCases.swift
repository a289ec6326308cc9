import QuarryBackend
import QuarryCore

/// Random commands, compared with the reference after each; what fails comes out as a short list of commands.
enum ModelCases {
  private static let steps = 200

  static let all: [ConformanceCase] = (1...50).map { number in
    ConformanceCase(
      "MODEL.random-\(number)", ["CRUD-1", "STMT-1", "TXN-1", "TXN-3", "PRED-12", "SNAP-1"],
      "Random commands are answered as by the reference.",
      without: Set(ConformanceVariant.allCases).subtracting([.fresh, .rowByRow]), within: .seconds(120)
    ) { kit in
      do {
        let count = try DifferentialTest([ContextHarness(kit: kit)]).run(
          seed: kit.caseSeed(7000 + UInt64(number)), steps: steps)
        try expect(count >= steps, "\(count) commands were run")
      } catch let failure as DifferentialTest.Failure {
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
