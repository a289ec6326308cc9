import QuarryConformance
import QuarryConformanceTesting
import QuarryHarnesses
import Testing

private let conformance = StorageConformance(FlatFileHarness())

@Suite struct FlatFileConformanceTests {
  @Test func harness() { conformance.checkHarness() }
  @Test(arguments: conformance.runs) func conforms(_ run: ConformanceRun) async { await conformance.check(run) }
}
