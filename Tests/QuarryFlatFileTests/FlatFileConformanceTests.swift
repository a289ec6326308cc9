import QuarryConformance
import QuarryConformanceTesting
import QuarryHarnesses
import Testing

private let conformance = StorageConformance(FlatFileHarness())

@Suite struct FlatFileConformanceTests {
  @Test func harness() { conformance.checkHarness() }
  @Test(arguments: conformance.areas) func conforms(_ area: ConformanceAreaRuns) async { await conformance.check(area) }
}
