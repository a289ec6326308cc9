import QuarryConformance
import Testing

/// Every case of the kit on every engine that keeps stores, closed and opened again between the steps of a case.
@Suite struct ReopenedConformanceTests {
  @Test(arguments: Engine.allCases, ConformanceSuite.cases)
  func conformsReopened(_ engine: Engine, _ testCase: ConformanceCase) async throws {
    try await testCase.run(on: ReopeningHarness(FileHarness(engine: engine, isSynced: false)))
  }
}
