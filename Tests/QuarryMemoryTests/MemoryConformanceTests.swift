import QuarryConformance
import QuarryConformanceTesting
import QuarryHarnesses
import Testing

private let memory = StorageConformance(MemoryHarness())
private let named = StorageConformance(NamedMemoryHarness())

@Suite struct MemoryConformanceTests {
  @Test func harness() { memory.checkHarness() }
  @Test(arguments: memory.runs) func conforms(_ run: ConformanceRun) async { await memory.check(run) }
}

/// The named store runs what the other has to refuse.
@Suite struct NamedMemoryConformanceTests {
  @Test func harness() { named.checkHarness() }
  @Test(arguments: named.runs.filter { $0.testCase.requiresPersistence && !$0.testCase.requiresSecondProcess })
  func conforms(_ run: ConformanceRun) async { await named.check(run) }
}
