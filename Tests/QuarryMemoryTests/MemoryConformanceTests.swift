import QuarryConformance
import QuarryConformanceTesting
import QuarryHarnesses
import Testing

private let memory = StorageConformance(MemoryHarness())
private let named = StorageConformance(NamedMemoryHarness()) { runs in
  runs.filter { $0.testCase.requiresPersistence && !$0.testCase.requiresSecondProcess }
}

@Suite struct MemoryConformanceTests {
  @Test func harness() { memory.checkHarness() }
  @Test(arguments: memory.areas) func conforms(_ area: ConformanceAreaRuns) async { await memory.check(area) }
}

/// The named store runs what the other has to refuse.
@Suite struct NamedMemoryConformanceTests {
  @Test func harness() { named.checkHarness() }
  @Test(arguments: named.areas) func conforms(_ area: ConformanceAreaRuns) async { await named.check(area) }
}
