import QuarryConformance
import QuarryConformanceTesting
import SortedStoreHarness
import Testing

private let conformance = StorageConformance(SortedHarness())
private let engine = KeyValueEngineSuite(SortedEngineHarness())

@Suite struct SortedStoreTests {
  @Test(arguments: engine.cases) func engineConforms(_ name: String) { #expect(engine.failure(of: name) == nil) }
  @Test func harness() { conformance.checkHarness() }
  @Test(arguments: conformance.runs) func conforms(_ run: ConformanceRun) async { await conformance.check(run) }
}
