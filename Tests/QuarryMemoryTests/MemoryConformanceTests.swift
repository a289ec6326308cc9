import QuarryBackend
import QuarryConformance
import QuarryMemory
import Testing

@Suite struct MemoryConformanceTests {
  @Test(arguments: ConformanceSuite.cases)
  func conforms(_ testCase: ConformanceCase) async throws {
    try await testCase.run(on: MemoryHarness())
  }
}

struct MemoryHarness: ConformanceHarness {
  var name: String { "memory" }
  var isPersistent: Bool { false }

  func makePlace() throws -> any BackendProvider { MemoryConfiguration.memory }
  func remove(_ place: any BackendProvider) {}
}
